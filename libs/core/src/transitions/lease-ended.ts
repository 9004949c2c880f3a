import { failAttempt, endUnwanted } from '../advance/end-attempt.js';
import { endEarly } from '../advance/early-end.js';
import type { Change } from '../change/change.js';
import type { ActionRef } from '../task/action-ref.js';
import type { ActionRun, Draft, Lease } from '../task/action-run.js';
import { runIdOf } from '../scopes/run-id.js';
import { type ExpiredClaim, type LeaseTerms, UNHELD_MAX } from '../task/lease-terms.js';
import { loseLease } from './lease-lost.js';

/** A run in a worker's hands, and the lease. */
export interface WorkersRun {
  readonly run: ActionRun;
  readonly lease: Lease;
  readonly terms: LeaseTerms;
}

/** The run as one in a worker's hands; null: it is not. */
export function workersRun(run: ActionRun): WorkersRun | null {
  const { lease } = run;
  return lease?.terms === undefined ? null : { run, lease, terms: lease.terms };
}

/**
 * The lease of a worker is over. One that was held counts as the end of a session does; before a
 * heartbeat it is only known that the answer with the action did not arrive, or that the worker
 * died at its first breath.
 */
export function endLease(change: Change, ref: ActionRef, held: WorkersRun): void {
  const { run, terms } = held;
  const { isHeld } = terms;
  const unheld = isHeld ? 0 : terms.unheld + 1;
  if (!isHeld && unheld <= UNHELD_MAX) forgetClaim(change, ref, held);
  else if (isHeld && isOutOfTime(change, ref, terms)) endOverdue(change, ref, held);
  else loseLease(change, ref, run);
  rememberClaim(change, ref, { held, isHandedBack: false, unheld });
}

/** Whether the attempt had its time, and the action has some left. */
function isOutOfTime(change: Change, ref: ActionRef, { reportBy }: LeaseTerms): boolean {
  const run = change.run(ref);
  return reportBy <= change.now && run?.look === 'none' && (run.deadline ?? 0) > change.now;
}

function endOverdue(change: Change, ref: ActionRef, { lease, run }: WorkersRun): void {
  const message = `worker ${lease.owner} did not end the attempt in its time`;
  const failure = 'TIMED_OUT';
  change.noteRun('failed', ref, { message, code: failure });
  failAttempt(change, ref, { run, cause: { terminal: false, failure, message } });
}

/** The action is as it was before the claim, but that its command may have begun. */
function forgetClaim(change: Change, ref: ActionRef, { lease, run }: WorkersRun): void {
  const isBegun = change.action(ref).onCrash !== 'fail';
  const undone = uncounted(change, ref, { run, isBegun });
  change.noteRun('handed_back', ref, {
    actor: lease.owner,
    message: `worker ${lease.owner} gave no sign that the action came there`,
  });
  queueAgain(change, ref, undone);
}

/** The action goes to the next one that asks, or has ended where the task does not want it. */
export function queueAgain(change: Change, ref: ActionRef, run: ActionRun): void {
  if (!change.wants(ref)) return endUnwanted(change, ref);
  change.queue(ref, run);
  // An action that was never started does not begin after an early end.
  endEarly(change);
}

/** A run without its last claim. `isBegun`: its command may have begun all the same. */
export function uncounted(
  change: Change,
  ref: ActionRef,
  { isBegun, run }: { readonly run: ActionRun; readonly isBegun: boolean },
): Draft<ActionRun> {
  const next = change.edit(ref, run, run.state);
  if (run.look !== 'none') return next;
  next.attempts -= 1;
  next.spent = Math.max(0, run.spent - 1);
  if (isBegun) next.unheld += 1;
  if (next.attempts + next.unheld > 0) return next;
  next.startedAt = null;
  next.deadline = null;
  return next;
}

/** Keeps what a late outcome of the claim needs, while the action is not in other hands. */
export function rememberClaim(
  change: Change,
  ref: ActionRef,
  { held, ...facts }: { readonly held: WorkersRun } & Pick<ExpiredClaim, 'isHandedBack' | 'unheld'>,
): void {
  const run = change.run(ref);
  if (run === null || (run.state !== 'queued' && run.state !== 'waiting')) return;
  // The end of the claim may have been all that a reset waited for: this is another run by now.
  if (runIdOf(change.base, ref.step) !== runIdOf(change, ref.step)) return;
  const { attempts, crashes, spent, unheld } = held.run;
  const counted = { attempts, crashes, spent, unheld };
  change.edit(ref, run, run.state).expired = { ...facts, token: held.lease.token, counted };
}
