import { type JsonObject, type Outcome, textOfThrown } from '#core';
import { OutputReader, TooLarge } from '#json';
import type { CompleteLater, LookAgain } from './complete-later.js';
import { failedForGood, messageOf, withStack } from './failure-outcome.js';
import { kindOf } from './shapes.js';

const NOTHING: Outcome = Object.freeze({ kind: 'succeeded', output: null });

/**
 * The outcome of an attempt whose command returned this value. `maxBytes` bounds the value as JSON.
 * The outcome holds a copy of the value as JSON renders it: every step gets the same output,
 * whether or not the task was loaded again in between, and whatever the command does with the value
 * later. Never throws.
 */
export function outputOutcome(value: unknown, maxBytes: number): Outcome {
  if (value === undefined || value === null) return NOTHING;
  try {
    const kind = kindOf(value);
    if (kind === 'look_again') return lookOutcome(value as LookAgain);
    if (kind === 'complete_later') return laterOutcome(value as CompleteLater);
    return readOutcome(value, maxBytes);
  } catch (error) {
    return error instanceof TooLarge ? tooLarge(maxBytes) : unreadableOutput(error);
  }
}

/** A value that throws when it is read is a failure for good: it would do so again. */
export function unreadableOutput(error: unknown): Outcome {
  const message = `the output cannot be read: ${messageOf(textOfThrown(error))}`;
  return withStack(failedForGood('FAILED', message), error);
}

function lookOutcome({ afterMs }: LookAgain): Outcome {
  if (!(afterMs >= 0 && afterMs < Infinity))
    throw new TypeError('lookAgain needs a delay of 0 ms or more');
  return { kind: 'not_finished', afterMs };
}

function laterOutcome({ timeoutMs }: CompleteLater): Outcome {
  const isTime = timeoutMs === null || (timeoutMs >= 0 && timeoutMs < Infinity);
  if (!isTime) throw new TypeError('completeLater needs a timeout of 0 ms or more');
  return { kind: 'completes_later', timeoutMs };
}

function readOutcome(value: unknown, maxBytes: number): Outcome {
  const output = new OutputReader(maxBytes).read(value);
  const isObject = typeof output === 'object' && output !== null && !Array.isArray(output);
  return isObject
    ? { kind: 'succeeded', output: output as JsonObject }
    : failedForGood('FAILED', `the output must be a JSON object, and it is ${kindOfValue(value)}`);
}

/** A returned value in a word or two, without anything of what it holds. */
function kindOfValue(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value !== 'object' || value === null) return `a ${typeof value}`;
  const { name } =
    (value as { readonly constructor?: { readonly name?: unknown } }).constructor ?? {};
  return typeof name === 'string' && name !== 'Object' ? `a ${name}` : 'no object as JSON';
}

function tooLarge(maxBytes: number): Outcome {
  const message = `the output has more than ${maxBytes} bytes`;
  return failedForGood('OUTPUT_TOO_LARGE', message);
}
