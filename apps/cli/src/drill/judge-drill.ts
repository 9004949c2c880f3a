import type { HeldResidue } from '#executor';
import type { Verdict } from '#rehearsal';
import type { TaskReport } from '../client/types.js';
import { allSteps } from './steps-of.js';

/** A resource that a module still holds, and the task it is held for. */
export interface Left extends HeldResidue {
  readonly taskId: string;
}

/** A task as a play left it. */
interface Rested {
  readonly task: TaskReport;
  /** Null: it has come to rest; else why that is not known. */
  readonly unrest: string | null;
  /** Status of each task that did some of its work, itself included, by id. */
  readonly statuses: ReadonlyMap<string, string>;
  readonly left: readonly Left[];
}

const HELD: ReadonlySet<string> = new Set(['on_hold', 'paused']);

/** Judges a play by its task and by what the modules say. */
export function judgeDrill({ left, statuses, task, unrest }: Rested): Verdict<Left> {
  const { status } = task;
  const residue = left.filter((one) => isUnwanted(one, task, statuses));
  const why = task.taskMessage;
  if (status === 'rollback_failed') return { result: 'stuck', status, why, residue };
  if (HELD.has(status)) return { result: 'held', status, why, residue };
  if (unrest !== null) return { result: 'stuck', status, why: unrest, residue };
  if (residue.length === 0) return { result: 'clean', status, why, residue };
  return { result: 'residue', status, why: residue.map(sentence).join('; '), residue };
}

/** Resources of a task that succeeded are wanted, unless their step failed or was undone. */
function isUnwanted(
  { run, taskId }: Left,
  task: TaskReport,
  statuses: ReadonlyMap<string, string>,
): boolean {
  if (task.status !== 'succeeded' || statuses.get(taskId) !== 'succeeded') return true;
  if (taskId !== task.taskId || run === undefined) return false;
  const step = allSteps(task.steps).find(({ id }) => id === run);
  if (step === undefined) return false;
  return step.state !== 'succeeded' || (step.rollback?.state ?? 'none') !== 'none';
}

function sentence({ module, run, what }: Left): string {
  return `${module} holds ${what}${run === undefined ? '' : ` of ${run}`}`;
}
