import { JSON_DEPTH_MAX, pointerPart } from './json-fault.js';
import { endOfText } from './json-text.js';
import type { InputFault } from './problems.js';

/** Starts of the structural parts of a JSON text; numbers, `true` and the like are passed over. */
const STRUCTURE = /["[\]{},:]/g;
const ESCAPE = /\\[^]/g;

interface Level {
  /** The members so far; `null` in a list. */
  readonly names: Set<string> | null;
  /** The member or entry that is being read. */
  at: string | number;
}

/**
 * The first member of a JSON text whose name is there twice in its object, which `JSON.parse` takes
 * silently, keeping the last. `value` is what it made of the text.
 */
export function findRepeatedMember(text: string, value: unknown): InputFault | null {
  // Most texts are done with here: each member has a colon, and what was dropped had one too.
  if (countOf(':', text) === countMembers(value)) return null;
  // And those with colons elsewhere here: what was dropped had at least its name in quotes.
  if (countOf('"', withoutEscapes(text)) === 2 * countTexts(value)) return null;
  return locate(text);
}

function countOf(letter: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(letter); at !== -1; at = text.indexOf(letter, at + 1)) count++;
  return count;
}

function withoutEscapes(text: string): string {
  return text.includes('\\"') ? text.replace(ESCAPE, '') : text;
}

/** How many members the objects of a value have. */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const entry of value) count += countMembers(entry);
    return count;
  }
  const object = value as Readonly<Record<string, unknown>>;
  // eslint-disable-next-line guard-for-in -- JSON.parse makes own members only.
  for (const name in object) count += 1 + countMembers(object[name]);
  return count;
}

/** How many names and texts a value has. */
function countTexts(value: unknown): number {
  if (typeof value === 'string') return 1;
  if (typeof value !== 'object' || value === null) return 0;
  const names = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce<number>((count, part) => count + countTexts(part), names);
}

/** Not recursive: what was dropped may be nested to any depth. */
function locate(text: string): InputFault | null {
  const levels: Level[] = [];
  let last = '';
  STRUCTURE.lastIndex = 0;
  for (let next = STRUCTURE.exec(text); next !== null; next = STRUCTURE.exec(text)) {
    const token = tokenAt(text, next.index);
    STRUCTURE.lastIndex = next.index + token.length;
    const level = levels.at(-1);
    if (token === '{') levels.push({ names: new Set(), at: '' });
    else if (token === '[') levels.push({ names: null, at: 0 });
    else if (token === '}' || token === ']') levels.pop();
    else if (token === ',' && typeof level?.at === 'number') level.at++;
    else if (token === ':' && level !== undefined && !enter(level, last)) return repeated(levels);
    last = token;
  }
  return null;
}

function tokenAt(text: string, at: number): string {
  return text[at] === '"' ? text.slice(at, endOfText(text, at)) : (text[at] ?? '');
}

/** Whether the member, named by a token of the text, is the first of its name. */
function enter(level: Level, token: string): boolean {
  const name = JSON.parse(token) as string;
  level.at = name;
  if (level.names?.has(name)) return false;
  level.names?.add(name);
  return true;
}

function repeated(levels: readonly Level[]): InputFault {
  const path = levels.slice(0, JSON_DEPTH_MAX);
  return {
    pointer: path.map(({ at }) => pointerPart(at)).join(''),
    message: `\`${String(levels.at(-1)?.at).slice(0, 60)}\` is there twice.`,
    hint: 'Remove one of the two, or give it another name.',
  };
}
