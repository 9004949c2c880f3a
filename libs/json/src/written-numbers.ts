import { endOfText } from './json-text.js';

/** Longest number that is taken, in characters: a double has no more than 309 digits. */
export const NUMBER_LENGTH_MAX = 400;

/** Only a text with this number of digits together can have a number that is not kept. */
const MANY_DIGITS = /[\d.]{16}/;
const NUMBER_OR_TEXT = /["\d-]/g;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|-/y;

/**
 * Whether a text has a number that is too long, or a whole number that is not kept, before anything
 * is made of it. May be true of a text that is not JSON.
 */
export function hasOddNumbers(text: string): boolean {
  if (!MANY_DIGITS.test(text)) return false;
  NUMBER_OR_TEXT.lastIndex = 0;
  for (let next = NUMBER_OR_TEXT.exec(text); next !== null; next = NUMBER_OR_TEXT.exec(text)) {
    const { index } = next;
    if (next[0] === '"') NUMBER_OR_TEXT.lastIndex = endOfText(text, index);
    else {
      NUMBER.lastIndex = index;
      const [token = '-'] = NUMBER.exec(text) ?? [];
      if (token.length > NUMBER_LENGTH_MAX || !isKept(token)) return true;
      NUMBER_OR_TEXT.lastIndex = index + token.length;
    }
  }
  return false;
}

/**
 * Whether a number is the same once it is read, as a double holds about sixteen digits: long ids
 * are not, mostly. Fractions are rounded everywhere, and mean no more than that.
 */
export function isKept(token: string): boolean {
  if (token.length < 16) return true;
  const written = decimalOf(token);
  return written.power < 0 || written.digits === decimalOf(String(Number(token))).digits;
}

/** Digits without zeros around them, and the power of ten that follows. */
function decimalOf(token: string): { readonly digits: string; readonly power: number } {
  const [mantissa = '', exponent = '0'] = token.replace(/^-/, '').toLowerCase().split('e');
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
