import type { ActionRef, StepPlan, Task } from '#core';
import { ownersOf } from '#core/read';
import { openActions } from '#core/scopes';
import { searchTermsOf } from '#core/stored';
import type { TaskFilter } from '#ports';

/** The beginning of the line of a session that holds a running action. */
const OWNER = 'owner:';

/**
 * Text of the terms of a task, as its column has it: each is a line, and so is each session that
 * holds an action of it. Null: there are none.
 */
export function termLines(task: Task): string | null {
  const { cursor, hold, outcome, plan } = task;
  const open = openActions(task);
  const owners = ownersOf(task, open);
  const [ref] = open;
  const isAlone = open.length === 1 && ref?.step === cursor && hold === null && outcome === null;
  if (!isAlone) return allLines(task, open, owners);
  const [owner = ''] = owners;
  const { direction } = ref;
  const step = plan.steps[cursor]!;
  const before = linesBefore.get(step);
  if (before?.owner === owner && before.direction === direction) return before.text;
  const text = allLines(task, open, owners);
  linesBefore.set(step, { direction, owner, text });
  return text;
}

function allLines(task: Task, open: ActionRef[], owners: readonly string[]): string | null {
  const lines = [...searchTermsOf(task, open), ...owners.map((owner) => OWNER + owner)];
  return lines.length === 0 ? null : lineOf(lines.join('\n'));
}

/** The lines of a task at one step alone. `owner`: the session that holds its action; '': none. */
interface LinesAlone {
  readonly direction: ActionRef['direction'];
  readonly owner: string;
  readonly text: string | null;
}

/**
 * Those that were made last, by the step. A chain stores nothing else, and all tasks of a flow have
 * the same steps: to make each text again takes 3 % of the time of the thread that runs them.
 */
const linesBefore = new WeakMap<StepPlan, LinesAlone>();

/** Lists of texts: a task that fits has one of each list among its {@link termLines}. */
export function partsOf({
  owners,
  terms = [],
}: Pick<TaskFilter, 'owners' | 'terms'>): readonly (readonly string[])[] {
  const parts = terms.map((list) => list.map(lineOf));
  if (owners === undefined) return parts;
  const sessions = owners === 'any' ? [`\n${OWNER}`] : owners.map((owner) => lineOf(OWNER + owner));
  return [...parts, sessions];
}

function lineOf(text: string): string {
  return `\n${text}\n`;
}
