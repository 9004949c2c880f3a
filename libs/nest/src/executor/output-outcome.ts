import type { JsonObject, Outcome } from '#core';
import { messageOf } from './failure-outcome.js';
import { jsonBound } from './json-bound.js';
import { LookAgain } from './look-again.js';

const NOTHING: Outcome = Object.freeze({ kind: 'succeeded', output: null });

/** What a command's returned value means for the attempt. `maxBytes` bounds it as JSON. */
export function outputOutcome(value: unknown, maxBytes: number): Outcome {
  if (value === undefined || value === null) return NOTHING;
  if (value instanceof LookAgain) return { kind: 'not_finished', afterMs: value.afterMs };
  if (typeof value !== 'object' || Array.isArray(value)) return notJson('it is no object');
  const bound = jsonBound(value);
  if (bound !== undefined && bound <= maxBytes) {
    return { kind: 'succeeded', output: value as JsonObject };
  }
  return writtenOutcome(value, maxBytes);
}

/**
 * Large outputs, and those that JSON would change: dates, instances, `NaN`. Reading back what was
 * written gives every step the same output, whether or not the task was loaded anew in between.
 */
function writtenOutcome(value: object, maxBytes: number): Outcome {
  let written: string | undefined;
  try {
    written = JSON.stringify(value);
  } catch (error) {
    return notJson(messageOf(error));
  }
  if (written === undefined) return notJson('it has no JSON form');
  const bytes = Buffer.byteLength(written);
  if (bytes > maxBytes) {
    const message = `the output has ${bytes} bytes, at most ${maxBytes} are allowed`;
    return { kind: 'failed', terminal: true, failure: 'OUTPUT_TOO_LARGE', message };
  }
  const output: unknown = JSON.parse(written);
  const isObject = typeof output === 'object' && output !== null && !Array.isArray(output);
  return isObject
    ? { kind: 'succeeded', output: output as JsonObject }
    : notJson('it is no object');
}

function notJson(why: string): Outcome {
  const message = `the output is not a JSON object: ${why}`;
  return { kind: 'failed', terminal: true, failure: 'FAILED', message };
}
