import { type ActionRun, FAILURE_CODES, hasFailed, type LeaseTerms, type Task } from '#core';
import { actionOf, openActions, runIdOf, runOf, stepAt } from '#core/scopes';
import type { AttemptPlace } from '#ports';
import { claimedRun } from './claim.js';
import type { StepContext } from './step-context.js';
import type { WorkClaim, WorkDirection, WorkItem } from './work-desk.js';

/** Failures after which nobody knows whether the command had an effect. */
const UNKNOWN: ReadonlySet<number> = new Set([
  FAILURE_CODES.TIMED_OUT,
  FAILURE_CODES.LEASE_LOST,
  FAILURE_CODES.CALLED_OFF,
  FAILURE_CODES.TERMINATED,
]);

/** The run that a claim is about, and its terms, while the document gives it to the worker. */
interface HeldRun {
  readonly run: ActionRun;
  readonly terms: LeaseTerms;
}

/** The action that a claim is about. */
export function refOf({ direction, place }: WorkClaim): {
  readonly direction: WorkDirection;
  readonly step: number;
} {
  return { direction, step: place };
}

/** The run of a claim; null: the worker does not have it any more. */
export function heldRun(task: Task, claim: WorkClaim): HeldRun | null {
  const run = claimedRun(task, { ref: refOf(claim), token: claim.token });
  const terms = run?.lease?.terms;
  return run === null || terms === undefined ? null : { run, terms };
}

/** Claims of a worker that a document gives it, those with terms that fit. */
export function claimsIn(
  task: Task,
  worker: string,
  fits: (terms: LeaseTerms) => boolean = () => true,
): readonly WorkClaim[] {
  return openActions(task).flatMap((ref): WorkClaim[] => {
    const { direction, step: place } = ref;
    const run = runOf(task, ref);
    const action = actionOf(task, ref);
    if (run === null || action === undefined) return [];
    const { attempts: attempt, lease } = run;
    if (lease?.owner !== worker || lease.terms === undefined || !fits(lease.terms)) return [];
    const { command, module } = action;
    const { taskId } = task.plan;
    const { token } = lease;
    return [{ taskId, place, direction, attempt, token, worker, module, command }];
  });
}

/** The place of a claim's attempt; null: its step is not in the task any more. */
export function attemptOf(task: Task, { attempt, direction, place, taskId }: WorkClaim) {
  const step = stepAt(task, place)?.name;
  if (step === undefined) return null;
  return { taskId, step, run: runIdOf(task, place), direction, attempt } satisfies AttemptPlace;
}

/** The item by which a worker is given an action. `now`: by the clock of the store. */
export function itemOf(
  { claim, context, task }: { claim: WorkClaim; context: StepContext; task: Task },
  { run, terms }: HeldRun,
  now: number,
): WorkItem {
  const left = (end: number): number => Math.max(0, end - now);
  const { attempt, command, completionToken, fencingToken, flow, forwardKey } = context;
  return {
    claim,
    taskId: claim.taskId,
    flow,
    step: context.step,
    run: context.run,
    direction: claim.direction,
    module: context.module,
    command,
    parameters: context.parameters,
    labels: task.plan.labels,
    results: context.results,
    attempt,
    idempotencyKey: context.idempotencyKey,
    forwardKey,
    ...(claim.direction === 'rollback' && { forward: forwardOf(task, claim, context) }),
    fencingToken,
    completionToken,
    leaseMs: left(run.dueAt ?? now),
    timeLeftMs: left(context.deadline),
    attemptTimeLeftMs: left(terms.reportBy),
    confirm: actionOf(task, refOf(claim))?.onCrash === 'fail',
    traceparent: context.traceparent,
  };
}

function forwardOf(
  task: Task,
  { place }: WorkClaim,
  { output }: StepContext,
): NonNullable<WorkItem['forward']> {
  const normal = task.runs[place]?.normal;
  if (normal?.state === 'succeeded') return { state: 'succeeded', output };
  const isKnown = normal !== undefined && hasFailed(normal) && !UNKNOWN.has(normal.code);
  return { state: isKnown ? 'failed' : 'unknown', output };
}
