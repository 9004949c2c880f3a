import { assertNever } from './assert.js';
import { Change } from './change.js';
import { nextAttempt } from './dispatch.js';
import type { ActionRef, Moment, TaskEvent } from './event.js';
import type { Action } from './flow.js';
import type { JournalEntry } from './journal.js';
import type { Dispatch } from './message.js';
import type { Task } from './task.js';
import { claimed } from './transitions/claimed.js';
import { failed } from './transitions/failed.js';
import { handedBack } from './transitions/handed-back.js';
import { notFinished } from './transitions/not-finished.js';
import { renewed } from './transitions/renewed.js';
import { restarted } from './transitions/restarted.js';
import { retryRequested } from './transitions/retry-requested.js';
import { rollbackRequested } from './transitions/rollback-requested.js';
import { skipRequested } from './transitions/skip-requested.js';
import { succeeded } from './transitions/succeeded.js';
import { terminateRequested } from './transitions/terminate-requested.js';
import { tick } from './transitions/tick.js';
import { timedOut } from './transitions/timed-out.js';
import type { Refusal, Verdict } from './verdict.js';

/** A task changed: the next document, and what must be done once it is stored. */
export interface Moved {
  readonly kind: 'moved';
  /** To be stored on the condition that the stored revision is still the one before it. */
  readonly task: Task;
  /** Messages to send after the commit. */
  readonly dispatches: readonly Dispatch[];
  /** Journal entries that were added; for observers, after the commit. */
  readonly entries: readonly JournalEntry[];
}

/** What an event comes to. Ignored and refused events change nothing. */
export type Decision = Moved | Extract<Verdict, { kind: 'ignored' }> | Refusal;

/** An action that a change queued and whose message would travel. */
export interface Offer {
  readonly ref: ActionRef;
  readonly action: Action;
  /** The attempt that the message would ask for. */
  readonly attempt: number;
}

/**
 * Is offered each action that a change queued: return an event to handle it within the same commit
 * (a process that serves the module itself claims the step at once), or null to let the message
 * travel.
 */
export type HandOver = (offer: Offer) => TaskEvent | null;

/**
 * What becomes of a task through an event: the next document, messages and facts. Nothing is
 * mutated, nothing is read but the arguments; a move that the tables do not allow throws, because
 * it is a bug.
 */
export function transition(
  task: Task,
  event: TaskEvent,
  { moment, handOver }: { moment: Moment; handOver?: HandOver | undefined },
): Decision {
  const change = new Change(task, moment);
  const verdict = applyEvent(change, event);
  if (verdict.kind !== 'applied') return verdict;
  if (handOver !== undefined) takeOver(change, handOver);
  return concluded(change);
}

/** What a change came to. */
export function concluded(change: Change): Moved {
  const { entries } = change;
  return { kind: 'moved', task: change.finish(), dispatches: change.dispatches(), entries };
}

/** Lets the process that decides take what was queued. One round: what that queues travels. */
export function takeOver(change: Change, handOver: HandOver): void {
  const offered = change.queued.length;
  for (let index = 0; index < offered; index++) {
    const ref = change.queued[index] as ActionRef;
    const run = change.run(ref);
    if (run?.state !== 'queued') continue;
    const event = handOver({ ref, action: change.action(ref), attempt: nextAttempt(run) });
    if (event !== null) applyEvent(change, event);
  }
}

function applyEvent(change: Change, event: TaskEvent): Verdict {
  switch (event.kind) {
    case 'claimed':
      return claimed(change, event);
    case 'renewed':
      return renewed(change, event);
    case 'succeeded':
      return succeeded(change, event);
    case 'not_finished':
      return notFinished(change, event);
    case 'failed':
      return failed(change, event);
    case 'timed_out':
      return timedOut(change, event);
    case 'handed_back':
      return handedBack(change, event);
    case 'tick':
      return tick(change, event);
    case 'restarted':
      return restarted(change, event);
    case 'rollback_requested':
      return rollbackRequested(change, event);
    case 'terminate_requested':
      return terminateRequested(change, event);
    case 'retry_requested':
      return retryRequested(change, event);
    case 'skip_requested':
      return skipRequested(change, event);
    default:
      return assertNever(event);
  }
}
