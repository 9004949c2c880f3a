import type { JsonValue } from '../json/json.js';
import { isObject } from '../json/shape.js';
import { IMPORT, isImport } from '../task/import-action.js';
import { Journal, type JournalEntry } from '../task/journal.js';
import { isFinal } from '../task/status.js';
import type { Task } from '../task/task.js';
import { storedAlert } from './stored-alert.js';
import { taskFault } from './task-shape.js';
import type { ActionRun, StepRuns } from '../task/action-run.js';

/** A final task outside of a store, as JSON: the whole document, so that nothing of it is lost. */
interface ArchivedTask {
  /** Format of archives. */
  readonly archive: 1;
  readonly task: Omit<Task, 'journal' | 'index'> & { readonly journal: readonly JournalEntry[] };
  /** Paths of the moments that never come, for which JSON has no number. */
  readonly endless: readonly string[];
}

/** The task as archives have it. */
export function archivedTask(whole: Task): ArchivedTask {
  const { index, journal, ...rest } = whole;
  void index;
  const task = { ...rest, journal: journal.entries() };
  const endless: string[] = [];
  if (task.plan.deadline === Infinity) endless.push('plan.deadline');
  for (const [path, run] of runsOf(task)) {
    if (run?.deadline === Infinity) endless.push(`${path}.deadline`);
    if (run?.dueAt === Infinity) endless.push(`${path}.dueAt`);
  }
  return { archive: 1, task, endless };
}

/**
 * The reason why an archived task cannot be read. `fault` is the rest of a sentence that begins
 * with the id of the task.
 */
interface ArchiveFault {
  readonly fault: string;
}

/**
 * The task that JSON of an archive tells of, or why it is none that can be put back. Anybody may
 * have written it.
 */
export function readArchivedTask(value: unknown): Task | ArchiveFault {
  if (!isObject(value) || !isObject(value['task'])) return { fault: 'is no archived task' };
  const { archive, endless, task: found } = value;
  if (archive !== 1) return { fault: 'has a format of archives that this version does not know' };
  try {
    const journal = Journal.ofAny(found['journal']);
    const alert = storedAlert(found['alert']);
    const task = { ...found, alert, journal, index: null } as unknown as Task;
    const whole = Array.isArray(endless) && endless.length > 0 ? withEndless(task, endless) : task;
    const fault = taskFault(whole);
    if (fault !== null) return { fault: `cannot be read: ${fault}` };
    if (!isFinal(whole.status) || whole.wakeAt !== null) return { fault: 'is not final' };
    return whole;
  } catch {
    return { fault: 'cannot be read' };
  }
}

/**
 * The final task as it is put into a store again, at a moment: from then on it is kept as long as
 * one that has just ended.
 */
export function putBack(task: Task, at: number): Task {
  const others = task.doneActions.filter((done) => !isImport(done));
  return { ...task, doneActions: [...others, { key: null, action: IMPORT, at }] };
}

type Runs = Pick<Task, 'runs'>;

function* runsOf({ runs }: Runs): Generator<readonly [path: string, run: ActionRun | null]> {
  for (const [n, { normal, rollback }] of runs.entries()) {
    yield [`runs.${n}.normal`, normal];
    yield [`runs.${n}.rollback`, rollback];
  }
}

function withEndless(task: Task, endless: readonly JsonValue[]): Task {
  const paths = new Set(endless);
  const runs = task.runs.map((each, n): StepRuns => {
    const normal = endlessRun(each.normal, `runs.${n}.normal`, paths);
    const rollback = endlessRun(each.rollback, `runs.${n}.rollback`, paths);
    return { ...each, normal: normal as ActionRun, rollback };
  });
  const deadline = paths.has('plan.deadline') ? Infinity : task.plan.deadline;
  return { ...task, plan: { ...task.plan, deadline }, runs };
}

function endlessRun(
  run: ActionRun | null,
  path: string,
  paths: ReadonlySet<JsonValue>,
): ActionRun | null {
  if (run === null || !(paths.has(`${path}.deadline`) || paths.has(`${path}.dueAt`))) return run;
  const deadline = paths.has(`${path}.deadline`) ? Infinity : run.deadline;
  const dueAt = paths.has(`${path}.dueAt`) ? Infinity : run.dueAt;
  return { ...run, deadline, dueAt };
}
