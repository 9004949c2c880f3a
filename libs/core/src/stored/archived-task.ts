import { isObject } from '../json/shape.js';
import { IMPORT, isImport } from '../task/import-action.js';
import { isFinal } from '../task/status.js';
import type { Task } from '../task/task.js';
import { TASK_JSON } from './task-json.js';
import { taskFault } from './task-shape.js';

/** Format of archives. */
const FORMAT = 2;

/** A final task outside of a store, as JSON: the whole document, so that nothing of it is lost. */
interface ArchivedTask {
  readonly archive: typeof FORMAT;
  /** Members that say nothing are left out, and a moment that never comes is `never`. */
  readonly task: object;
}

/** The task as archives have it. */
export function archivedTask(task: Task): ArchivedTask {
  return { archive: FORMAT, task: TASK_JSON.write(task, task.plan.steps) };
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
  const { archive, task: found } = value;
  if (archive !== FORMAT)
    return { fault: 'has a format of archives that this version does not know' };
  try {
    const task = TASK_JSON.read(found, (steps) => steps);
    const fault = taskFault(task);
    if (fault !== null) return { fault: `cannot be read: ${fault}` };
    return isFinal(task.status) && task.wakeAt === null ? task : { fault: 'is not final' };
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
