import type { JsonPlace } from './wrong-json.js';

/** Longest number that is taken, in characters: a double has no more than 309 digits. */
export const NUMBER_LENGTH_MAX = 400;

/** Only a text with this number of digits together can have a number that is not kept. */
const MANY_DIGITS = /[\d.]{16}/;

const NUMBER_OR_TEXT = /["\d-]/g;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|-/y;

/**
 * The place after the text in quotes that begins at `at`; the end of everything where it has no
 * closing quote. Takes time in proportion to what it passes over, whatever stands there.
 */
export function endOfText(json: string, at: number): number {
  for (let quote = json.indexOf('"', at + 1); quote !== -1; quote = json.indexOf('"', quote + 1)) {
    let before = quote - 1;
    while (json[before] === '\\') before -= 1;
    if ((quote - before) % 2 === 1) return quote + 1;
  }
  return json.length;
}

/** Line and column of a place in a text. */
export function placeOf(text: string, at: number): JsonPlace {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf('\n'); end !== -1 && end < at; end = text.indexOf('\n', start)) {
    line += 1;
    start = end + 1;
  }
  return { line, column: at - start + 1 };
}

const STRUCTURE = /["[\]{}]/g;
const [COMMA, LIST, OBJECT, QUOTE] = [',', '[', '{', '"'].map((letter) => letter.charCodeAt(0));
const EMPTY = /[[{]\s*[\]}]/y;

/**
 * Whether a text has more values than a number: members, entries, and it itself. Makes nothing of
 * it, as each value takes many times its bytes.
 */
export function isFuller(text: string, valuesMax: number): boolean {
  // A value takes two letters at least, with what parts it from the next.
  if (text.length <= 2 * valuesMax) return false;
  let values = 1;
  for (let at = 0; at < text.length && values <= valuesMax; at += 1) {
    const letter = text.charCodeAt(at);
    if (letter === QUOTE) at = endOfText(text, at) - 1;
    else if (letter === COMMA) values += 1;
    else if ((letter === LIST || letter === OBJECT) && !isEmpty(text, at)) values += 1;
  }
  return values > valuesMax;
}

/** Whether the list or the object that begins there ends at once. */
function isEmpty(text: string, at: number): boolean {
  EMPTY.lastIndex = at;
  return EMPTY.test(text);
}

/**
 * Whether a text is nested deeper than a number of levels, as far as it is JSON. Makes nothing of
 * it, as `JSON.parse` of deep nesting takes a hundred times the memory.
 */
export function isDeeper(text: string, depthMax: number): boolean {
  let depth = 0;
  STRUCTURE.lastIndex = 0;
  for (let next = STRUCTURE.exec(text); next !== null; next = STRUCTURE.exec(text)) {
    const [token] = next;
    if (token === '"') STRUCTURE.lastIndex = endOfText(text, next.index);
    else if (token === '[' || token === '{') depth += 1;
    else depth = Math.max(0, depth - 1);
    if (depth > depthMax) return true;
  }
  return false;
}

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
