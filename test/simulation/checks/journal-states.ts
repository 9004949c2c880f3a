import type { JournalEntry, RunState } from '#core';

/** States that an action may be in, as far as the journal tells. */
export type Known = readonly RunState[];

/** The end of a wait is not told of. */
const WAITING: Known = ['waiting', 'queued'];
/** A look at what goes on elsewhere is not told of, nor is its end. */
const LOOKING: Known = ['waiting', 'queued', 'running'];

/** The states that an action may have after an entry about it; null: the entry does not tell. */
export function stateAfter(
  { direction, kind, refused }: JournalEntry,
  before: Known,
): Known | null {
  switch (kind) {
    case 'started':
      return ['running'];
    case 'succeeded':
      return ['succeeded'];
    case 'failed':
      return ['queued', 'failed'];
    case 'lease_lost':
      return before === LOOKING ? LOOKING : ['queued', 'failed'];
    case 'restart_scheduled':
      return ['queued'];
    case 'retry_scheduled':
      return WAITING;
    case 'not_finished':
      return LOOKING;
    case 'handed_back':
      if (before === LOOKING) return LOOKING;
      return refused === true ? WAITING : ['queued', 'failed'];
    case 'dispatched_again':
      return before === LOOKING ? LOOKING : ['queued'];
    case 'timed_out':
      return [direction === 'rollback' ? 'failed' : 'timed_out'];
    case 'called_off':
      return ['terminated'];
    case 'skip_requested':
      return ['skipped'];
    default:
      return null;
  }
}

/** Whether the action still has something coming. */
export function isOpen(known: Known): boolean {
  return known.some((state) => state === 'queued' || state === 'running' || state === 'waiting');
}

/** Whether nothing of the action is still to be done. */
export function isPassed(known: Known): boolean {
  return known[0] === 'succeeded' || known[0] === 'skipped';
}
