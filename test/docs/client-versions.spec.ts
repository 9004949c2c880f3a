import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { codeBlocks } from './markdown.js';
import { readPage, REPOSITORY } from './pages.js';

const MANIFESTS = [
  'test/openapi/npm/package.json',
  'test/openapi/requirements.txt',
  'test/openapi/go-tools.txt',
  'examples/clients/go/go.mod',
];
/** A package of npm, Python or Go with its version. */
const PINNED = /(?<=\s|^)(@?[a-z][\w./-]*)(?:@|==)(v?\d[\w.-]*)/gm;

it('the versions on the page about clients are those that the tests install', () => {
  const known = MANIFESTS.map((file) => readFileSync(path.join(REPOSITORY, file), 'utf8'))
    .join('\n')
    // Every package as npm writes it on its command line.
    .replaceAll('"', '')
    .replaceAll(/: |==| (?=v\d)/g, '@');
  const commands = codeBlocks(readPage('docs/generate-a-client.md').text)
    .filter(({ language }) => language === 'sh')
    .map(({ text }) => text);
  const pinned = [...commands.join('\n').matchAll(PINNED)].map(
    ([, name, version]) => `${name}@${version}`,
  );
  expect(pinned.length).toBeGreaterThanOrEqual(7);
  expect(pinned.filter((one) => !known.includes(one))).toEqual([]);
});
