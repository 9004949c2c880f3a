import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { RE2JS } from 're2js';
import { fits, pattern, readableLineForm, REASON, STEP } from '../requests/limits.js';
import { openApiDocument } from './openapi.js';

const FOLDER = new URL('../../../../schemas/', import.meta.url);

/** Each word of a pattern in the syntax that ECMA-262, RE2 and Python share. */
const WORD = new RegExp(
  [
    String.raw`\\(?:x[0-9a-f]{2}|[sStnr]|[^A-Za-z0-9])`,
    String.raw`\[\^?(?:[^\\[\]^]|\\(?:x[0-9a-f]{2}|[sStnr]|[^A-Za-z0-9]))+\]`,
    String.raw`\((?:\?:)?(?!\?)|\)|\|`,
    String.raw`[*+?]|\{\d+(?:,\d*)?\}`,
    String.raw`[^\\[\](){}|*+?]`,
  ].join('|'),
  'gy',
);

/** The part of a pattern that is not portable; null: all of it is. */
function foreignPart(source: string): string | null {
  const portable = [...source.matchAll(WORD)].map(([word]) => word).join('');
  if (portable !== source) return source.slice(portable.length);
  try {
    void [new RegExp(source), new RegExp(source, 'u'), RE2JS.compile(source)];
    return null;
  } catch (error) {
    return String(error);
  }
}

/** Every pattern below a value, as JSON Schemas write them. */
function patternsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    if (name === 'pattern' && typeof member === 'string') return [member];
    const isNames = name === 'patternProperties' && typeof member === 'object' && member !== null;
    return [...(isNames ? Object.keys(member) : []), ...patternsIn(member)];
  });
}

function published(): readonly (readonly [place: string, pattern: string])[] {
  const files = readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => {
      return [file, JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as unknown] as const;
    });
  return [['openapi.json', openApiDocument()] as const, ...files].flatMap(([place, document]) =>
    [...new Set(patternsIn(document))].map((source) => [place, source] as const),
  );
}

describe('a published pattern', () => {
  it('is portable wherever one stands', () => {
    const all = published();
    expect(new Set(all.map(([place]) => place)).size).toBeGreaterThan(2);
    const foreign = all.map(([place, source]) => [place, source, foreignPart(source)]);
    expect(foreign.filter(([, , part]) => part !== null)).toEqual([]);
  });

  it.each([
    ['a class that only some engines have', String.raw`^\p{Cc}$`],
    ['a look-ahead', '^(?=a)b$'],
    ['a look-behind', '(?<=a)b'],
    ['a named group', '(?<name>a)'],
    ['a class of anything', '^[^]*$'],
    ['digits, of which Python has more', String.raw`^\d+$`],
    ['words, of which Python has more', String.raw`^[\w-]+$`],
    ['an escape that RE2 does not read', String.raw`^[^\u0000-\u001f]$`],
    ['a back reference', String.raw`^(a)\1$`],
    ['a count that is too high for RE2', '^a{1,2100}$'],
    ['a bracket that is not escaped', '^a{x$'],
  ])('cannot have %s', (_name, source) => {
    expect(foreignPart(source)).not.toBeNull();
  });
});

describe('a form of text', () => {
  const line = fits(readableLineForm(10));
  const reason = fits(REASON);

  it('counts code points, as JSON Schema does', () => {
    expect(fits(STEP)('x'.repeat(2_100))).toBe(true);
    expect(fits(STEP)('\u{1f600}'.repeat(2_100))).toBe(true);
    expect(fits(STEP)('x'.repeat(2_101))).toBe(false);
    expect(fits(STEP)('')).toBe(false);
  });

  it('refuses a text of which nothing can be read, in every script', () => {
    const every = Array.from({ length: 0x1_00_00 }, (_, code) => String.fromCharCode(code));
    const blanks = every.filter((text) => /[\s\p{Cc}]/u.test(text));
    expect(blanks.length).toBeGreaterThan(80);
    expect(blanks.filter((text) => line(text) || reason(text))).toEqual([]);
    const readable = every.filter((text) => /[^\s\p{Cc}]/u.test(text));
    expect(readable.filter((text) => !line(text) || !reason(text))).toEqual([]);
  });

  it('takes blanks around what can be read, and line breaks where they may be', () => {
    expect([line('  a b  '), reason('\n a\tb \n')]).toEqual([true, true]);
    expect([line('a\nb'), reason('a\u0000'), reason('\u0000a')]).toEqual([false, false, false]);
    expect(pattern(REASON.pattern).test(' ')).toBe(false);
  });
});
