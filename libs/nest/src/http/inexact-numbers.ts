import { endOfText, placeOf } from './json-text.js';
import { Problem } from './problems.js';

/** Longest number that is taken, in characters: a double has no more than 309 digits. */
const NUMBER_LENGTH_MAX = 400;

/** Only a text with so many digits together can have a number that is not kept. */
const MANY_DIGITS = /[\d.]{16}/;
const NUMBER_OR_TEXT = /["\d-]/g;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|-/y;

/**
 * Whole numbers of a JSON text that are other numbers once they are read, as a double holds about
 * sixteen digits: long ids, mostly. Fractions are rounded everywhere, and mean no more than that.
 * Throws a `Problem` at a number that nobody could mean, before anything is made of it.
 */
export function inexactNumbers(text: string): ReadonlySet<number> {
  const found = new Set<number>();
  if (!MANY_DIGITS.test(text)) return found;
  NUMBER_OR_TEXT.lastIndex = 0;
  for (let next = NUMBER_OR_TEXT.exec(text); next !== null; next = NUMBER_OR_TEXT.exec(text)) {
    const { index } = next;
    if (next[0] === '"') NUMBER_OR_TEXT.lastIndex = endOfText(text, index);
    else NUMBER_OR_TEXT.lastIndex = index + judge(numberAt(text, index), found);
  }
  return found;
}

function numberAt(text: string, at: number): string {
  NUMBER.lastIndex = at;
  const [token = '-'] = NUMBER.exec(text) ?? [];
  if (token.length <= NUMBER_LENGTH_MAX) return token;
  const what = `a number has more than ${NUMBER_LENGTH_MAX} characters; write it as text`;
  throw new Problem('MALFORMED_JSON', `${placeOf(text, at)}: ${what}.`);
}

/** How long the number is; one that is not kept is added to those found. */
function judge(token: string, found: Set<number>): number {
  if (token.length < 16) return token.length;
  const value = Number(token);
  const written = decimalOf(token);
  if (written.power >= 0 && written.digits !== decimalOf(String(value)).digits) found.add(value);
  return token.length;
}

/** Digits without zeros around them, and the power of ten that follows. */
function decimalOf(token: string): { readonly digits: string; readonly power: number } {
  const [mantissa = '', exponent = '0'] = token.replace('-', '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const all = `${whole}${fraction}`;
  // By index: an expression for zeros before the end looks again from each of them.
  let end = all.length;
  while (end > 0 && all[end - 1] === '0') end -= 1;
  let start = 0;
  while (start < end && all[start] === '0') start += 1;
  const power = Number(exponent) - fraction.length + all.length - end;
  return { digits: all.slice(start, end), power };
}
