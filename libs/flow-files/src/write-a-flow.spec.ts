import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { parseFlowFile, validateFlowText } from './parse-flow-file.js';
import { PROBLEM_CODES } from './problem.js';
import { KIND_NAMES } from '#kinds';

const pageNamed = (name: string): string => {
  return readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');
};

it('docs/flow-language.md lists the problems there are, with their meaning', () => {
  const page = pageNamed('flow-language.md');
  const rows = [
    ...page.matchAll(/^\| \[`([A-Z][A-Z_0-9]+)`\]\(findings\.md#[a-z_0-9]+\) \| (.+) \|$/gm),
  ];
  expect(Object.fromEntries(rows.map(([, code, meaning]) => [code, meaning]))).toEqual(
    PROBLEM_CODES,
  );
});

it('the first flow of docs/write-a-flow.md is sound', () => {
  const [, text = ''] = /```jsonc\n([\s\S]*?)```/.exec(pageNamed('write-a-flow.md')) ?? [];
  const { flows, problems } = parseFlowFile(text);
  expect(problems).toEqual([]);
  expect(flows.map(({ definition }) => definition.name)).toEqual(['hello']);
});

it('docs/flow-language.md has a part for each kind of step, with a flow and a picture', () => {
  const page = pageNamed('flow-language.md');
  for (const kind of KIND_NAMES) {
    const [, part = ''] = page.split(`\n## ${kind}\n`);
    const [own = ''] = part.split('\n## ');
    expect({ kind, flow: own.includes(`"${kind}": `) && own.includes('```jsonc') }).toEqual({
      kind,
      flow: true,
    });
    expect({ kind, picture: own.includes('```mermaid') }).toEqual({ kind, picture: true });
    expect({ kind, back: own.includes('**On the way back:**') }).toEqual({ kind, back: true });
  }
});

it('the flows of docs/flow-language.md are as they should be', () => {
  const texts = [...pageNamed('flow-language.md').matchAll(/```jsonc\n([\s\S]*?)```/g)];
  expect(texts.length).toBeGreaterThan(KIND_NAMES.length);
  for (const [, text = ''] of texts) {
    expect(validateFlowText(text)).toEqual({ valid: true, problems: [], warnings: [] });
  }
});
