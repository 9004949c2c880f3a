import { cutText, type FailureName, type Outcome, readThrown, refusal, textOfThrown } from '#core';
import type { RetryableError } from './command-error.js';
import { stackOf } from './error-stack.js';
import {
  type HttpRefusal,
  isErrorCode,
  isHttpRefusal,
  isRpcRefusal,
  isStoreAway,
  kindOf,
} from './shapes.js';

/** A message is one line in a journal of many. */
const MESSAGE_LENGTH_MAX = 500;
/** More of them do not fit into a message. */
const SENTENCES_MAX = 100;

/** Refusals that another attempt may not meet, although they are the caller's in HTTP. */
const PASSING_STATUS: ReadonlySet<number> = new Set([408, 409, 423, 425, 429]);

/** When it is looked again whether a participant's store is there, in milliseconds. */
const STORE_AGAIN_MS = 2_000;

/**
 * The outcome of an attempt that threw this error. It depends on the error's shape and never on its
 * text: Backstep's own errors name their outcome; a participant's store that is away is waited for
 * while the step has time; an `RpcException` is a deliberate refusal (Nest throws it when a guard
 * says no); an `HttpException` goes by its status; anything else may be tried again. An error that
 * throws when it is read is final. Of a failure it has the stack trace of the error. Never throws.
 */
export function failureOutcome(error: unknown): Outcome {
  try {
    return withStack(readFailure(error), error);
  } catch (why) {
    return failedForGood('FAILED', `the error cannot be read: ${messageOf(textOfThrown(why))}`);
  }
}

/** The outcome with the stack trace of what was thrown, unless its command was not even entered. */
export function withStack(outcome: Outcome, error: unknown): Outcome {
  if (outcome.kind !== 'failed' || outcome.refused === true) return outcome;
  const isMeant = isAnswer(error);
  const stack = stackOf(error, { isMeant });
  if (stack === undefined) return outcome;
  const tellsAll = isMeant && !hasCause(error);
  return { stack, ...(tellsAll && { intended: true as const }), ...outcome };
}

/** Whether an author chose this error as an answer. Any other one is a surprise. */
function isAnswer(error: unknown): boolean {
  return kindOf(error) !== undefined || isRpcRefusal(error) || isHttpRefusal(error);
}

/** A failure after which trying again is pointless. */
export function failedForGood(failure: FailureName, message: string): Outcome {
  return { kind: 'failed', terminal: true, failure, message };
}

/** The outcome of a command whose output cannot be kept, or is not as it declares it. */
export function invalidOutput(message: string): Outcome {
  return { kind: 'failed', terminal: true, failure: 'FAILED', error: 'INVALID_OUTPUT', message };
}

/** Whether another error led to it, or it holds others. */
function hasCause(error: unknown): boolean {
  return [memberOf(error, 'cause'), memberOf(error, 'errors')].some((each) => {
    return each !== undefined && each !== null;
  });
}

function readFailure(error: unknown): Outcome {
  const kind = kindOf(error);
  if (kind === 'invalid_parameters') return refusal('INVALID_PARAMETERS', messageOf(error));
  if (kind === 'retryable') {
    const { afterMs } = error as RetryableError;
    const outcome = { message: messageOf(error), ...RETRYABLE, ...namedBy(error) };
    // A delay that is no valid time is dropped: the retry policy sets the wait.
    const isTime = afterMs !== undefined && afterMs >= 0 && afterMs < Infinity;
    return isTime ? { afterMs, ...outcome } : outcome;
  }
  if (isStoreAway(error)) {
    return { kind: 'not_finished', afterMs: STORE_AGAIN_MS, message: messageOf(error) };
  }
  if (kind === 'terminal')
    return { ...failedForGood('FAILED', messageOf(error)), ...namedBy(error) };
  if (isRpcRefusal(error)) return failedForGood('FAILED', messageOf(error));
  if (isHttpRefusal(error)) return httpFailure(error);
  return { message: messageOf(error), ...RETRYABLE };
}

/** The first line of what an error says, not longer than a journal can bear. */
export function messageOf(error: unknown): string {
  const line = readThrown(error).trimStart().split('\n', 1)[0]?.trimEnd() ?? '';
  return cutText(line, MESSAGE_LENGTH_MAX);
}

const RETRYABLE = { kind: 'failed', terminal: false, failure: 'FAILED' } as const;

/** The name that the command itself gave to its error, and whether it did nothing. */
function namedBy(error: unknown): { readonly error?: string; readonly refused?: true } {
  const code = memberOf(error, 'code');
  return {
    ...(isErrorCode(code) && { error: code }),
    ...(memberOf(error, 'noEffect') === true && { refused: true as const }),
  };
}

function httpFailure(error: HttpRefusal): Outcome {
  const status = error.getStatus();
  const terminal = status < 500 && !PASSING_STATUS.has(status);
  const failure = status === 400 || status === 422 ? 'INVALID_PARAMETERS' : 'FAILED';
  return { kind: 'failed', terminal, failure, message: messageOf(httpMessage(error)) };
}

/** Nest's `ValidationPipe` puts what is wrong into a list beside a message that says nothing. */
function httpMessage(error: HttpRefusal): string {
  const response: unknown = error.getResponse();
  const said = typeof response === 'object' ? memberOf(response, 'message') : response;
  if (Array.isArray(said)) return said.slice(0, SENTENCES_MAX).map(String).join('; ');
  return typeof said === 'string' ? said : error.message;
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Record<string, unknown>)[name];
}
