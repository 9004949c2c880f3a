import { decodeText, type JsonLimits, readJson, readJsonInTurns, WrongJson } from '#json';
import { nextTurn } from './loop-turns.js';
import { invalidRequest, Problem } from './problems.js';
import { expectNoSealed } from './sealed-texts.js';

/** The text of a body, or the problem that it is not UTF-8. */
export function decodeBody(bytes: Buffer): string {
  try {
    return decodeText(bytes);
  } catch (error) {
    throw problemOf(error);
  }
}

/** Values that every body may have, however few bytes it may have. */
const VALUES_MIN = 250_000;

/** Bytes of the longest body that is taken for each value, where that is more. */
const BYTES_A_VALUE = 16;

/**
 * The value of a JSON body. `longest`: bytes of the longest that is taken there. Throws a `Problem`
 * for everything that is wrong with it.
 */
export function parseBody(bytes: Buffer, longest: number): unknown {
  try {
    const value = readJson(bytes, limitsOf(bytes, longest));
    expectNoSealed(bytes, value);
    return value;
  } catch (error) {
    throw problemOf(error);
  }
}

/** The same of a large body, in several turns of the event loop. Rejects where that one throws. */
export async function parseLargeBody(bytes: Buffer, longest: number): Promise<unknown> {
  try {
    const value = await readJsonInTurns(bytes, limitsOf(bytes, longest), nextTurn);
    await nextTurn();
    expectNoSealed(bytes, value);
    return value;
  } catch (error) {
    throw problemOf(error);
  }
}

/** Its bytes were counted while they came. */
function limitsOf({ length }: Buffer, longest: number): JsonLimits {
  return { bytes: length, values: Math.max(VALUES_MIN, Math.floor(longest / BYTES_A_VALUE)) };
}

function problemOf(error: unknown): unknown {
  if (!(error instanceof WrongJson)) return error;
  const { code, hint, isNotJson, message, pointer, sentence } = error;
  if (code === 'EMPTY') return malformed('The body is empty; send a JSON object.', error);
  if (code === 'NOT_UTF8') return malformed('The body is not UTF-8 text.', error);
  if (isNotJson) return malformed(message, error);
  if (code === 'TOO_MANY_VALUES') return tooFull(sentence, error);
  return invalidRequest({ pointer, message: sentence, ...(hint !== null && { hint }) });
}

function tooFull(sentence: string, cause: WrongJson): Problem {
  const detail = `${sentence} Send them in several requests.`;
  return new Problem('PAYLOAD_TOO_LARGE', detail, { cause });
}

function malformed(detail: string, cause: WrongJson): Problem {
  return new Problem('MALFORMED_JSON', detail, { cause });
}
