import { decodeText, type JsonLimits, readJson, readJsonInTurns, WrongJson } from '#json';
import { nextTurn } from './loop-turns.js';
import { invalidRequest, Problem } from './problems.js';

/** The text of a body, or the problem that it is not UTF-8. */
export function decodeBody(bytes: Buffer): string {
  try {
    return decodeText(bytes);
  } catch (error) {
    throw problemOf(error);
  }
}

/** The value of a JSON body. Throws a `Problem` for everything that is wrong with it. */
export function parseBody(bytes: Buffer): unknown {
  try {
    return readJson(bytes, limitsOf(bytes));
  } catch (error) {
    throw problemOf(error);
  }
}

/** The same of a large body, in several turns of the event loop. Rejects where that one throws. */
export async function parseLargeBody(bytes: Buffer): Promise<unknown> {
  try {
    return await readJsonInTurns(bytes, limitsOf(bytes), nextTurn);
  } catch (error) {
    throw problemOf(error);
  }
}

/** Its bytes were counted while they came. */
function limitsOf({ length }: Buffer): JsonLimits {
  return { bytes: length };
}

function problemOf(error: unknown): unknown {
  if (!(error instanceof WrongJson)) return error;
  const { code, hint, isNotJson, message, pointer, sentence } = error;
  if (code === 'EMPTY') return malformed('The body is empty; send a JSON object.', error);
  if (code === 'NOT_UTF8') return malformed('The body is not UTF-8 text.', error);
  if (isNotJson) return malformed(message, error);
  return invalidRequest({ pointer, message: sentence, ...(hint !== null && { hint }) });
}

function malformed(detail: string, cause: WrongJson): Problem {
  return new Problem('MALFORMED_JSON', detail, { cause });
}
