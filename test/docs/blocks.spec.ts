import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { parseFlowFile } from '#flow-files';
import { SETTINGS, variableOf } from '#settings';
import { type CodeBlock, codeBlocks } from './markdown.js';
import { readPage, readPages, REPOSITORY } from './pages.js';

/** The directives that may follow the language of a block. */
const DIRECTIVES: Readonly<Record<string, RegExp>> = {
  sh: /^(no-run \S.*|exit [1-9]\d?)?$/,
  json: /^(output)?$/,
  text: /^(output)?$/,
  ts: /^(from \S+)?$/,
  python: /^(from \S+)?$/,
  go: /^(from \S+)?$/,
};

const blocks = readPages().flatMap((page) =>
  codeBlocks(page.text).map((block) => ({ ...block, where: `${page.path}:${block.line}` })),
);

it('a block says how it is checked in words that are known', () => {
  const unknown = blocks.filter(({ directive, language }) => {
    return !(DIRECTIVES[language] ?? /^$/).test(directive);
  });
  expect(unknown.map(({ where }) => where)).toEqual([]);
});

it.each(blocks.filter(isFlow).map((block) => [block.where, block] as const))(
  'the flow in %s is sound',
  (_, { text }) => {
    const { flows, problems } = parseFlowFile(text);
    expect(problems).toEqual([]);
    expect(flows).not.toEqual([]);
  },
);

it.each(
  blocks
    .filter(({ language }) => language === 'yaml')
    .map((block) => [block.where, block] as const),
)('the YAML in %s can be read, and names settings that there are', (_, { text }) => {
  const documents = parseAllDocuments(text);
  expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
  const known = new Set(Object.keys(SETTINGS).map(variableOf));
  const named = text.match(/BACKSTEP_(?!X_)[A-Z_]+/g) ?? [];
  const isKnown = (name: string): boolean =>
    known.has(name) || known.has(name.replace(/_FILE$/, ''));
  expect(named.filter((name) => !isKnown(name))).toEqual([]);
});

const quoting = blocks.filter(({ directive }) => directive.startsWith('from '));

it.each(quoting.map((block) => [block.where, block] as const))(
  'the code in %s is what the file says',
  (_, { directive, text }) => {
    const file = readFileSync(path.join(REPOSITORY, directive.slice('from '.length)), 'utf8');
    // A comment of dots stands for what was left out.
    const parts = text.split(/^ *\/\/ \.\.\.$/m).map((part) => part.replace(/^\n|\n$/g, ''));
    expect(parts.filter((part) => !file.includes(part))).toEqual([]);
  },
);

it('every command of the page for emergencies is in a block, which is run or says why not', () => {
  const { text } = readPage('docs/operations.md');
  const fenced = new Set(codeBlocks(text).flatMap((block) => linesOf(block)));
  const inline = text.split('\n').flatMap((line, index) => {
    if (fenced.has(index + 1)) return [];
    return /`(?:npx )?backstep [a-z]/.test(line) ? [`docs/operations.md:${index + 1}`] : [];
  });
  expect(inline).toEqual([]);
});

it.each(runbooks().map((section) => [section.alert, section] as const))(
  'the section of %s says what it means, what to look at, what to press, and what comes then',
  (_, { text }) => {
    const missing = ['means:', 'look', 'press:', 'then:'].filter((word) => !said(text, word));
    expect(missing).toEqual([]);
  },
);

/** The sections of alerts, each with its text. */
function runbooks(): readonly { readonly alert: string; readonly text: string }[] {
  const parts = readPage('docs/operations.md').text.split(/^#{2,3} /m);
  return parts.flatMap((text) => {
    const [alert = ''] = text.split('\n');
    return /^Backstep[A-Z]\w+$/.test(alert) ? [{ alert, text }] : [];
  });
}

/** Whether something stands out as the beginning of a sentence, or within what does. */
function said(text: string, word: string): boolean {
  const strong = [...text.matchAll(/\*\*([^*]+)\*\*/g)].map(([, found = '']) =>
    found.toLowerCase(),
  );
  return strong.some((found) => found.includes(word));
}

/** The numbers of the lines of a block, its fences included. */
function linesOf({ line, text }: CodeBlock): number[] {
  return Array.from({ length: text.split('\n').length + 2 }, (_, n) => line + n);
}

/** A whole flow file; one with dots in it is a sketch. */
function isFlow({ directive, language, text }: CodeBlock): boolean {
  const isJson = (language === 'json' || language === 'jsonc') && directive === '';
  return isJson && text.startsWith('{') && text.includes('"normal": {') && !text.includes('...');
}
