import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { parseFlowFile } from './parse-flow-file.js';
import { PROBLEM_CODES } from './problem.js';

const page = readFileSync(new URL('../../../docs/write-a-flow.md', import.meta.url), 'utf8');

it('docs/write-a-flow.md lists the problems there are, with their meaning', () => {
  const rows = [...page.matchAll(/^\| `([A-Z][A-Z_0-9]+)` \| (.+) \|$/gm)];
  expect(Object.fromEntries(rows.map(([, code, meaning]) => [code, meaning]))).toEqual(
    PROBLEM_CODES,
  );
});

it('the first flow of docs/write-a-flow.md is sound', () => {
  const [, text = ''] = /```jsonc\n([\s\S]*?)```/.exec(page) ?? [];
  const { flows, problems } = parseFlowFile(text);
  expect(problems).toEqual([]);
  expect(flows.map(({ definition }) => definition.name)).toEqual(['hello']);
});
