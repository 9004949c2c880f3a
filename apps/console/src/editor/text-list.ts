import type { Node } from 'jsonc-parser';

/** An entry of an array or an object in a text, with the comments that belong to it. */
export interface Entry {
  /** Space before it, and comments that a blank line parts from it: they belong to the place. */
  readonly free: string;
  /** Comments on the lines above it. */
  readonly lead: string;
  readonly body: string;
  /** Comments before its comma. */
  readonly mid: string;
  readonly hasComma: boolean;
  /** Comments behind its comma, on the same line. */
  readonly after: string;
}

/** An array or an object in a text. */
export interface EntryList {
  readonly entries: readonly Entry[];
  /** From behind the last entry to the bracket. */
  readonly closing: string;
}

interface Token {
  readonly kind: 'block' | 'break' | 'comma' | 'line' | 'space';
  readonly from: number;
  readonly to: number;
}

const COMMENTS: ReadonlySet<Token['kind']> = new Set(['line', 'block']);
const BREAK = /^[ \t]*\r?\n/;
const TOKENS = [
  ['line', /\/\/[^\r\n]*/y],
  ['block', /\/\*[^]*?(?:\*\/|$)/y],
  ['break', /\r\n|\n|\r/y],
  ['comma', /,/y],
  ['space', /[^\r\n,/]+|\//y],
] as const;

/** Takes an array or an object apart. */
export function readList(text: string, { children = [], length, offset }: Node): EntryList {
  const ends = children.map((child) => child.offset + child.length);
  const starts = children.map((child) => child.offset);
  const gaps = [offset + 1, ...ends].map((from, place) =>
    gapOf(text.slice(from, starts[place] ?? offset + length - 1)),
  );
  const entries = children.map((_, place): Entry => {
    const [before, behind] = [gaps[place], gaps[place + 1]];
    const { free, lead } = leadOf(before?.rest ?? '');
    // Comments on the line of the opening bracket belong to the list.
    const head = place === 0 ? `${before?.mid}${before?.hasComma ? ',' : ''}${before?.after}` : '';
    const { after = '', hasComma = false, mid = '' } = behind ?? {};
    const body = text.slice(starts[place], ends[place]);
    return { free: `${head}${free}`, lead, body, mid, hasComma, after };
  });
  const last = gaps.at(-1);
  const isEmpty = children.length === 0;
  const closing = isEmpty ? text.slice(offset + 1, offset + length - 1) : (last?.rest ?? '');
  return { entries, closing };
}

/** Puts a list together again; commas are set as its places ask for. */
export function writeList({ closing, entries }: EntryList, hasTrailing: boolean, eol: string) {
  const parts = entries.map((entry, place) => {
    const { after, body, free, hasComma, lead, mid } = entry;
    const comma = hasTrailing || place < entries.length - 1 ? ',' : '';
    const tail = hasComma ? `${mid}${comma}${after}` : `${comma}${mid}${after}`;
    return { start: free, rest: `${lead}${body}`, tail };
  });
  let text = '';
  let isCut = false;
  for (const { rest, start, tail } of [...parts, { start: closing, rest: '', tail: '' }]) {
    if (isCut && !BREAK.test(start)) text += eol;
    text += `${start}${rest}${tail}`;
    isCut = endsInLineComment(rest === '' ? start : tail);
  }
  return text;
}

/** Space and comments up to the end of the last comment; empty: there is none. */
export function commentsOf(space: string): string {
  const last = tokensOf(space).findLast(({ kind }) => COMMENTS.has(kind));
  return last === undefined ? '' : space.slice(0, last.to);
}

/** Two stretches of space; a comment up to the end of its line must not take what follows. */
export function joinSpace(first: string, second: string, eol: string): string {
  return endsInLineComment(first) && !BREAK.test(second)
    ? `${first}${eol}${second}`
    : first + second;
}

function endsInLineComment(space: string): boolean {
  const last = tokensOf(space).findLast(({ kind }) => kind !== 'space');
  return last?.kind === 'line';
}

/** Between two entries: what belongs to the first one, and the rest. */
function gapOf(gap: string): Pick<Entry, 'after' | 'hasComma' | 'mid'> & { readonly rest: string } {
  const tokens = tokensOf(gap);
  const comma = tokens.find(({ kind }) => kind === 'comma');
  const start = comma?.to ?? 0;
  const lineEnd = tokens.find(({ from, kind }) => from >= start && kind === 'break');
  const own = tokens.filter(({ from, kind, to }) => {
    return from >= start && to <= (lineEnd?.from ?? gap.length) && COMMENTS.has(kind);
  });
  // Without a line's end, comments behind a comma belong to what follows it.
  const isOwn = lineEnd !== undefined || comma === undefined;
  const end = isOwn ? (own.at(-1)?.to ?? start) : start;
  if (comma === undefined) {
    return { mid: gap.slice(0, end), hasComma: false, after: '', rest: gap.slice(end) };
  }
  const [mid, after] = [gap.slice(0, comma.from), gap.slice(start, end)];
  return { mid, hasComma: true, after, rest: gap.slice(end) };
}

function leadOf(before: string): Pick<Entry, 'free' | 'lead'> {
  let start: number | null = null;
  let breaks = 0;
  let isFirst = true;
  for (const { from, kind } of tokensOf(before)) {
    if (kind === 'break') breaks += 1;
    else if (COMMENTS.has(kind)) {
      if (start === null || breaks > 1) start = from;
      breaks = 0;
      isFirst = false;
    }
  }
  if (isFirst || breaks > 1) start = null;
  const at = start ?? before.length;
  return { free: before.slice(0, at), lead: before.slice(at) };
}

function tokensOf(space: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let from = 0; from < space.length;) {
    const token = tokenAt(space, from);
    tokens.push(token);
    from = token.to;
  }
  return tokens;
}

function tokenAt(space: string, from: number): Token {
  for (const [kind, pattern] of TOKENS) {
    pattern.lastIndex = from;
    if (pattern.test(space)) return { kind, from, to: pattern.lastIndex };
  }
  return { kind: 'space', from, to: from + 1 };
}
