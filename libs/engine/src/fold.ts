import type { Dispatch, JournalEntry, Task } from '#core';
import { asOneChange, type Decision, type Moved } from '#core/transitions';
import type { TaskStore } from '#ports';
import { isAskedFor, messagesOf } from './dispatched.js';

/** Decisions folded onto each other, as one change of the stored document. */
export interface Fold {
  readonly task: Task;
  readonly entries: readonly JournalEntry[];
  /** In the order in which they were made; null where the decision itself threw. */
  readonly decisions: readonly (Decision | null)[];
}

/** Folds decisions of which each was made on the document that the one before it led to. */
export function foldOf(base: Task, decisions: readonly (Decision | null)[]): Fold {
  let last: Moved | null = null;
  let moves = 0;
  for (const decision of decisions) {
    if (decision?.kind !== 'moved') continue;
    last = decision;
    moves += 1;
  }
  if (last === null) return { task: base, entries: [], decisions };
  // Most commits carry one decision, and nothing is copied for it.
  if (moves === 1) return { task: last.task, entries: last.entries, decisions };
  return folded(asOneChange(base, last.task), decisions);
}

/**
 * The only message of a fold, where it takes the document along: its receiver can tell whether the
 * write is there, so that it may leave with the write. Else null.
 */
export function earlyMessageOf(store: TaskStore, { decisions, task }: Fold): Dispatch | null {
  if (store.snapshots === null) return null;
  const moves = decisions.filter((decision) => decision?.kind === 'moved');
  const queued = moves.flatMap((move) => move.queued);
  if (queued.length !== 1) return null;
  const [only] = messagesOf(store, task, queued);
  return only?.snapshot === undefined ? null : only;
}

/**
 * Merges decisions. A later decision may take back what an earlier one queued: such a message is
 * not sent. A message that is queued again is sent once.
 */
function folded(task: Task, decisions: readonly (Decision | null)[]): Fold {
  const entries: JournalEntry[] = [];
  for (const decision of decisions) {
    if (decision?.kind === 'moved') entries.push(...decision.entries);
  }
  const sent = new Set<string>();
  const asked = decisions.toReversed().map((decision) => {
    if (decision?.kind !== 'moved') return decision;
    const queued = decision.queued.filter(({ attempt, ref }) => {
      const key = `${ref.direction} ${ref.step}`;
      if (sent.has(key) || !isAskedFor(task, ref, attempt)) return false;
      sent.add(key);
      return true;
    });
    return { ...decision, queued };
  });
  return { task, entries, decisions: asked.toReversed() };
}
