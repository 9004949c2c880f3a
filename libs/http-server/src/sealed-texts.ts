import { SEAL_MARK, sealedIn } from '#core';
import { pointerPart } from '#json';
import { invalidRequest, Problem } from './problems.js';

/** A body with one of these may hold the mark of sealed values in another spelling. */
const ESCAPE = '\\u';

/** Members whose values are data of tasks, and not parts of the request itself. */
const VALUES = /\/(given|output|parameters|payload)(\/|$)/;

/**
 * Throws the `Problem` that a body holds a sealed value. No request may bring one, wherever it
 * stands: a task would open it for its commands as if it had sealed it itself.
 */
export function expectNoSealed(bytes: Buffer, value: unknown): void {
  if (!bytes.includes(SEAL_MARK) && !bytes.includes(ESCAPE)) return;
  const pointer = sealedAt(value, '');
  if (pointer === null) return;
  const message = 'This is a sealed secret, and no request may bring one.';
  const fault = { pointer, message, hint: 'Send the secret itself.' };
  if (!VALUES.test(pointer)) throw invalidRequest(fault);
  throw new Problem('INVALID_PARAMETERS', message, { errors: [fault] });
}

/** Where the first sealed value stands in a value, or in the name of a member; null: nowhere. */
function sealedAt(value: unknown, pointer: string): string | null {
  if (typeof value === 'string') return sealedIn(value).length > 0 ? pointer : null;
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, inner] of Object.entries(value)) {
    if (sealedIn(name).length > 0) return pointer;
    const found = sealedAt(inner, pointer + pointerPart(name));
    if (found !== null) return found;
  }
  return null;
}
