import { advance } from '../advance/advance.js';
import type { Change } from '../change/change.js';
import { excessWith } from '../moves/room.js';
import { failAttempt, takeUp } from '../advance/end-attempt.js';
import type { Completed } from '../task/event.js';
import type { AttemptFailure } from '../task/failure.js';
import type { JsonObject } from '../json/json.js';
import { wayAt } from '../scopes/step-at.js';
import { forgiveUndone } from '../moves/recover.js';
import { runIdOf } from '../scopes/run-id.js';
import { APPLIED, ignored, illegal, type Verdict } from '../task/verdict.js';
import type { ActionRun } from '../task/action-run.js';

/** Word for what is done, by which repetitions are told from other actions. */
const VERB = 'complete';
/** Completions that a task remembers, at most. */
const REMEMBERED_MAX = 50;

/**
 * How an attempt ended, from whoever it was handed to. It counts while that attempt is under way:
 * also before its command has said that it is in other hands, because they may be quick. The same
 * said once more changes nothing.
 */
export function completed(change: Change, event: Completed): Verdict {
  const { actor, attempt, direction, key, result, step } = event;
  if (isRepeated(change, key)) {
    return ignored('repeated');
  }
  const run = change.run(event);
  const isOpen = change.outcome === null && run !== null && isUnderWay(run);
  if (!isOpen || run.attempts !== attempt) {
    return illegal(lateness(change, event, run));
  }
  if (key !== null) remember(change, key);
  const failure = 'failure' in result ? result.failure : excessOf(change, event);
  if (failure === null) {
    succeed(change, event, run);
    return APPLIED;
  }
  const ref = { direction, step };
  const { failure: code, message } = failure;
  const told = event.reason === '' ? message : `${message} (${event.reason})`;
  change.noteRun('failed', ref, { actor, message: told, code });
  failAttempt(change, ref, { run: takeUp(change, ref, run), cause: failure });
  return APPLIED;
}

function isRepeated({ doneActions }: Change, key: string | null): boolean {
  return key !== null && doneActions.some((done) => done.action === VERB && done.key === key);
}

/**
 * Whether the attempt that the run counted last has not ended. A step whose error was caught runs
 * on without an attempt, for as long as the steps run that caught it.
 */
function isUnderWay({ lease, look, state }: ActionRun): boolean {
  if (state === 'running') return lease !== null;
  return (state === 'waiting' || state === 'queued') && look !== 'none';
}

function lateness(change: Change, { attempt, step }: Completed, run: ActionRun | null): string {
  const id = runIdOf(change, step);
  const isCaught = run?.state === 'running' && run.lease === null;
  const state = isCaught ? 'caught' : (run?.state ?? 'gone');
  const told = run !== null && run.attempts !== attempt ? `attempt ${run.attempts} of ` : '';
  return `complete needs an attempt that is under way; ${told}${id} is ${state}`;
}

/** Only the newest are known again: their number must not grow with the steps of a task. */
function remember(change: Change, key: string): void {
  const all = [...change.doneActions, { key, action: VERB, at: change.now }];
  const surplus = all.filter(({ action }) => action === VERB).length - REMEMBERED_MAX;
  const oldest = surplus > 0 ? all.findIndex(({ action }) => action === VERB) : -1;
  change.requests.doneActions = oldest < 0 ? all : all.toSpliced(oldest, 1);
}

/** The failure that an output is with which the task would outgrow its store, or null. */
function excessOf(change: Change, { direction, result }: Completed): AttemptFailure | null {
  const output = 'output' in result ? result.output : null;
  if (output === null || direction !== 'normal') return null;
  const message = excessWith(change, output);
  return message === null ? null : { terminal: true, failure: 'OUTPUT_TOO_LARGE', message };
}

function succeed(change: Change, event: Completed, run: ActionRun): void {
  const { actor, direction, reason, step } = event;
  const ref = { direction, step };
  const output = keptOf(event);
  const ended = change.end(ref, takeUp(change, ref, run), 'succeeded');
  ended.code = 0;
  ended.error = null;
  ended.message = null;
  ended.output = output;
  change.noteRun('succeeded', ref, { actor, ...(reason !== '' && { message: reason }) });
  if (direction === 'rollback' && wayAt(change, step) === 'forward') forgiveUndone(change, step);
  advance(change);
}

/** Only a normal action has an output. */
function keptOf({ direction, result }: Completed): JsonObject | null {
  return direction === 'normal' && 'output' in result ? result.output : null;
}
