import { statusName, type TaskStatusName } from '#core';
import type { Effect } from './effects.js';
import type { Ended } from './play.js';

/**
 * How a play came out. `clean`: it ended, and nothing is left that should not be. `held`: it waits
 * for a person, as its flow wants. `stuck`: a rollback failed, or it waits for what never comes.
 * `residue`: it ended, and something is left.
 */
type Result = 'clean' | 'held' | 'stuck' | 'residue';

/** The outcome of one play. */
export interface Verdict<Left> {
  readonly result: Result;
  readonly status: TaskStatusName;
  /** The reason, in words for people; null: none. */
  readonly why: string | null;
  /** Changes outside that are left and should not be. */
  readonly residue: readonly Left[];
}

/** Judges a task that rests. */
export function judge({ effects, task, waiting }: Ended): Verdict<Effect> {
  const status = statusName(task.status);
  const waits = waiting === null ? null : statusName(waiting.status);
  const residue = effects.filter(({ isUnwanted }) => isUnwanted || task.outcome !== 'succeeded');
  const why = waiting?.message ?? task.message;
  if (waits === 'rollback_failed') return { result: 'stuck', status, why, residue };
  if (waits !== null) return { result: 'held', status, why, residue };
  if (task.outcome === null) {
    const silence = 'the task waits for an event that never arrives';
    return { result: 'stuck', status, why: silence, residue };
  }
  if (residue.length === 0) return { result: 'clean', status, why, residue };
  return { result: 'residue', status, why: residue.map(sentence).join('; '), residue };
}

function sentence({ command, isPartial, module, run }: Effect): string {
  return `${isPartial ? 'part of ' : ''}${module}.${command} of ${run} was not undone`;
}
