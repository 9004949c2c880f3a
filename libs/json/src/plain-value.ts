/** The rules of a value. */
interface PlainRules {
  readonly depth: number;
  /** Members may have any name, and texts any characters. */
  readonly isOwn: boolean;
  /** Its text had something by which a lone surrogate is possible. */
  readonly hasOddText: boolean;
}

/**
 * Whether a value that `JSON.parse` gave has nothing that could not be stored or could do harm
 * further on, as far as the value shows it.
 */
export function isPlain(value: unknown, rules: PlainRules, level = 1): boolean {
  if (typeof value === 'string') return isPlainText(value, rules);
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  if (level > rules.depth) return false;
  if (Array.isArray(value)) {
    for (const entry of value) if (!isPlain(entry, rules, level + 1)) return false;
    return true;
  }
  const object = value as Readonly<Record<string, unknown>>;
  // eslint-disable-next-line guard-for-in -- JSON.parse makes own members only.
  for (const name in object) {
    if (name === '__proto__' && !rules.isOwn) return false;
    if (!isPlainText(name, rules) || !isPlain(object[name], rules, level + 1)) return false;
  }
  return true;
}

function isPlainText(text: string, { hasOddText, isOwn }: PlainRules): boolean {
  return isOwn || !hasOddText || !isIllFormed(text);
}

/** Whether a text has half of a surrogate pair, which UTF-8 cannot write. */
export function isIllFormed(text: string): boolean {
  return /[\ud800-\udfff]/u.test(text);
}

const ESCAPE = /\\[^]/g;

/**
 * Whether a member of a text may be there twice in its object: `JSON.parse` keeps the last
 * silently. `value` is what it made of the text.
 */
export function mayRepeatMember(text: string, value: unknown): boolean {
  // Most texts are done with here: each member has a colon, and what was dropped had one too.
  if (countOf(':', text) === countMembers(value)) return false;
  // And those with colons elsewhere here: what was dropped had at least its name in quotes.
  return countOf('"', withoutEscapes(text)) !== 2 * countTexts(value);
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
