import { JSON_DEPTH_MAX, pointerPart, TOO_DEEP } from './json-fault.js';
import type { InputFault } from './problems.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const LIST = 0x5b;
const LIST_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;

/** Of each level that is open: the entry that is read, or where the name of the member begins. */
interface Levels {
  readonly isList: boolean[];
  readonly at: number[];
}

/**
 * The first place of a JSON text that is nested too deeply; null: there is none. Looks at each byte
 * once and makes nothing of it, as `JSON.parse` of deep nesting takes a hundred times the memory.
 */
export function findDeepNesting(bytes: Buffer): InputFault | null {
  const levels: Levels = { isList: [], at: [] };
  let depth = 0;
  let name = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      name = at;
      at = endOfQuote(bytes, at);
    } else if (byte === LIST || byte === OBJECT) {
      if (depth === JSON_DEPTH_MAX) return { pointer: pointerOf(bytes, levels), ...TOO_DEEP };
      levels.isList[depth] = byte === LIST;
      levels.at[depth] = 0;
      depth += 1;
    } else if (byte === LIST_END || byte === OBJECT_END) depth = Math.max(0, depth - 1);
    else if (byte === COLON && depth > 0) levels.at[depth - 1] = name;
    else if (byte === COMMA && levels.isList[depth - 1]) levels.at[depth - 1]! += 1;
  }
  return null;
}

/** Where the closing quote is; the end where there is none. */
function endOfQuote(bytes: Buffer, start: number): number {
  for (let end = bytes.indexOf(QUOTE, start + 1); end !== -1;) {
    let before = end - 1;
    while (bytes[before] === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
    end = bytes.indexOf(QUOTE, end + 1);
  }
  return bytes.length;
}

function pointerOf(bytes: Buffer, { at, isList }: Levels): string {
  return at.map((place, i) => pointerPart(isList[i] ? place : nameAt(bytes, place))).join('');
}

function nameAt(bytes: Buffer, start: number): string {
  const text = bytes.toString('utf8', start, endOfQuote(bytes, start) + 1);
  try {
    return String(JSON.parse(text));
  } catch {
    // Not JSON further on either; it is a place all the same.
    return text;
  }
}
