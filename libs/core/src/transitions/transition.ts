import type { Action } from '../flow/action.js';
import { Change } from '../change/change.js';
import { actionOf, dispatchFor, nextAttempt, orderOf, runOf } from '../scopes/dispatch.js';
import type { Claimed, EventOf, Moment, TaskEvent } from '../task/event.js';
import type { JournalEntry } from '../task/journal.js';
import type { Dispatch } from '../task/message.js';
import type { Task } from '../task/task.js';
import { answered } from './answered.js';
import { childrenCounted } from './children-counted.js';
import { claimed } from './claimed.js';
import { completed } from './completed.js';
import { completesLater } from './completes-later.js';
import { failed, timedOut } from './failed.js';
import { alertTold, failureFlowTold } from './owed-told.js';
import { handedBack } from './handed-back.js';
import { judged } from './judged.js';
import { locksHeld, locksNamed } from './locks-told.js';
import { notFinished } from './not-finished.js';
import { pauseRequested } from './pause-requested.js';
import { resetRequested } from './reset-requested.js';
import { renewed } from './renewed.js';
import { restarted } from './restarted.js';
import { resumeRequested } from './resume-requested.js';
import { retryRequested } from './retry-requested.js';
import { rollbackRequested } from './rollback-requested.js';
import { signalReceived } from './signal-received.js';
import { skipRequested } from './skip-requested.js';
import { succeeded } from './succeeded.js';
import { terminateRequested } from './terminate-requested.js';
import { tick } from './tick.js';
import { undoRequested } from './undo-requested.js';
import { workerReported } from './worker-reported.js';
import { boundedEvent } from './event-size.js';
import { scopeIndexOf } from '../scopes/scope-index.js';
import type { Refusal, Verdict } from '../task/verdict.js';
import type { ActionRef } from '../task/action-ref.js';
import { countSteps } from '../flow/program.js';
import { type Effect, effectsOf } from './effect.js';

/** An action that a change queued: whoever decides may claim it, or its message is sent. */
export interface QueuedAction {
  readonly ref: ActionRef;
  readonly action: Action;
  /** The attempt that the message asks for. */
  readonly attempt: number;
  /** Its order time, in milliseconds since 1970. */
  readonly orderAt: number;
}

/** A task changed: the next document, and what must be done once it is stored. */
export interface Moved {
  readonly kind: 'moved';
  /** To be stored on the condition that the stored revision is still the one before it. */
  readonly task: Task;
  /** Actions that wait for an executor now; after the commit their messages are to be sent. */
  readonly queued: readonly QueuedAction[];
  /** The other work to do after the commit, in this order. */
  readonly effects: readonly Effect[];
  /** Journal entries that were added; for observers, after the commit. */
  readonly entries: readonly JournalEntry[];
}

/** The result of an event. Ignored and refused events change nothing. */
export type Decision = Moved | NotMoved;

type NotMoved = Extract<Verdict, { kind: 'ignored' }> | Refusal;

/**
 * An event that was applied and whose document is yet to be made. A process that serves modules
 * itself claims some of what was queued before that, so that one document has both.
 */
export interface Proposal {
  readonly kind: 'proposed';
  /** Actions that wait for an executor now. */
  readonly queued: readonly QueuedAction[];
  /** For `conclude`, which uses it up. */
  readonly change: Change;
}

/** The result that an event would have. */
export type Proposed = Proposal | NotMoved;

const NO_CLAIMS: readonly Claimed[] = [];

/**
 * Applies an event to a task: returns the next document, the queued actions, and facts. It is pure:
 * it mutates nothing, reads only its arguments, and calls nobody. A move that the tables do not
 * allow throws, because it is a bug.
 */
export function transition(
  task: Task,
  event: TaskEvent,
  options: { readonly moment: Moment },
): Decision {
  const proposed = propose(task, event, options);
  return proposed.kind === 'proposed' ? conclude(proposed) : proposed;
}

/** Like `transition`, up to where claims may be added; `conclude` makes the document. */
export function propose(
  task: Task,
  event: TaskEvent,
  { moment }: { readonly moment: Moment },
): Proposed {
  const change = new Change(task, moment);
  const bounded = boundedEvent(event, task.plan.steps, placesBeyond(task));
  const verdict = applyEvent(change, bounded);
  if (verdict.kind !== 'applied') return verdict;
  if ('hasSecrets' in event) change.hasSecrets = true;
  return proposalOf(change);
}

/** How many places there are, or may come to be, besides those of the steps of the flow. */
function placesBeyond(task: Task): number {
  if (task.scopes.length === 0) return 0;
  const { steps: made } = scopeIndexOf(task).made;
  return Math.max(made, task.runs.length - countSteps(task.plan.steps));
}

/** The proposal that follows from a change so far. */
export function proposalOf(change: Change): Proposal {
  return { kind: 'proposed', queued: stillQueued(change), change };
}

/**
 * Makes the document of a proposal, with claims on some of what it queued: those need no message,
 * and `queued` of the result is without them. A claim that comes to nothing leaves its action as it
 * was. Once for each proposal.
 */
export function conclude(proposal: Proposal, claims: readonly Claimed[] = NO_CLAIMS): Moved {
  const { change } = proposal;
  for (const claim of claims) applyEvent(change, claim);
  const queued = claims.length === 0 ? proposal.queued : stillQueued(change);
  const task = change.finish();
  const { entries } = change.journal;
  return { kind: 'moved', task, queued, effects: effectsOf(change, task), entries };
}

const NO_DISPATCHES: readonly Dispatch[] = [];

/** The message that asks for each of these actions of the task. */
export function dispatchesOf(task: Task, queued: readonly QueuedAction[]): readonly Dispatch[] {
  if (queued.length === 0) return NO_DISPATCHES;
  return queued.flatMap(({ ref }) => {
    const run = runOf(task, ref);
    return run === null ? [] : [dispatchFor(task, ref, run)];
  });
}

const NOTHING_QUEUED: readonly QueuedAction[] = [];

function stillQueued(change: Change): readonly QueuedAction[] {
  let queued: QueuedAction[] | null = null;
  const { plan } = change.base;
  for (const ref of change.queued) {
    const run = change.run(ref);
    const action = actionOf(change, ref);
    if (run?.state !== 'queued' || action === undefined) continue;
    (queued ??= []).push({ ref, action, attempt: nextAttempt(run), orderAt: orderOf(plan, run) });
  }
  return queued ?? NOTHING_QUEUED;
}

/**
 * The document that several changes made of a stored one, each on top of the one before, as it is
 * stored by a single commit: one revision after the stored one.
 */
export function asOneChange(stored: Task, last: Task): Task {
  return { ...last, revision: stored.revision + 1 };
}

/** The rule of each event. */
const RULES: {
  readonly [Kind in TaskEvent['kind']]: (change: Change, event: EventOf<Kind>) => Verdict;
} = {
  claimed,
  succeeded,
  not_finished: notFinished,
  completes_later: completesLater,
  failed,
  timed_out: timedOut,
  handed_back: handedBack,
  tick,
  restarted,
  rollback_requested: rollbackRequested,
  undo_requested: undoRequested,
  terminate_requested: terminateRequested,
  retry_requested: retryRequested,
  skip_requested: skipRequested,
  pause_requested: pauseRequested,
  resume_requested: resumeRequested,
  reset_requested: resetRequested,
  renewed,
  worker_reported: workerReported,
  answered,
  signal_received: signalReceived,
  judged,
  completed,
  children_counted: childrenCounted,
  locks_named: locksNamed,
  locks_held: locksHeld,
  failure_flow_told: failureFlowTold,
  alert_told: alertTold,
};

function applyEvent(change: Change, event: TaskEvent): Verdict {
  return (RULES[event.kind] as (change: Change, event: TaskEvent) => Verdict)(change, event);
}
