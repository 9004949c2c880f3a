import type { HeldResidue } from '#executor';
import type { Verdict } from '#workshop/rehearsal';
import { allSteps, type DrilledTask } from './gateway.js';

/** A resource that a module still holds, and the task it is held for. */
export interface Left extends HeldResidue {
  readonly taskId: string;
}

/** A task as a play left it. */
interface Rested {
  readonly task: DrilledTask;
  /** Null: it has settled; else why that is not known. */
  readonly unrest: string | null;
  /** A child task that waits for a person, so that its parent does; null: none does. */
  readonly held: DrilledTask | null;
  /** Status of each task that did some of its work, itself included, by id. */
  readonly statuses: ReadonlyMap<string, string>;
  /** The tasks among these that are known in full. */
  readonly tasks: readonly Pick<DrilledTask, 'steps' | 'taskId'>[];
  readonly left: readonly Left[];
}

const HELD: ReadonlySet<string> = new Set(['on_hold', 'paused']);

/** Judges a play by its task and by what the modules say. */
export function judgeDrill(rested: Rested): Verdict<Left> {
  const { held, left, task, unrest } = rested;
  const { status } = task;
  const residue = left.filter((one) => isUnwanted(one, rested));
  const waiting = held ?? task;
  const why = waiting.taskMessage;
  if (waiting.status === 'rollback_failed') return { result: 'stuck', status, why, residue };
  if (HELD.has(waiting.status)) return { result: 'held', status, why, residue };
  if (unrest !== null) return { result: 'stuck', status, why: unrest, residue };
  if (residue.length === 0) return { result: 'clean', status, why, residue };
  return { result: 'residue', status, why: residue.map(sentence).join('; '), residue };
}

/** Resources of a task that succeeded are wanted, unless their step failed or was undone. */
function isUnwanted({ run, taskId }: Left, { statuses, task, tasks }: Rested): boolean {
  if (task.status !== 'succeeded' || statuses.get(taskId) !== 'succeeded') return true;
  if (run === undefined) return false;
  const own = tasks.find((one) => one.taskId === taskId);
  const step = allSteps(own?.steps ?? []).find(({ id }) => id === run);
  if (step === undefined) return false;
  return step.state !== 'succeeded' || (step.rollback?.state ?? 'none') !== 'none';
}

function sentence({ module, run, what }: Left): string {
  return `${module} holds ${what}${run === undefined ? '' : ` of ${run}`}`;
}
