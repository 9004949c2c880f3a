import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { matchesJson, matchesText } from '../docs/compare-output.js';
import { DocDesk } from '../docs/doc-desk.js';
import { type CodeBlock, codeBlocks } from '../docs/markdown.js';
import { readPages } from '../docs/pages.js';

jest.setTimeout(240_000);

/** A block of commands, and what the page says it prints. */
interface Step {
  readonly block: CodeBlock;
  readonly output: CodeBlock | undefined;
}

const pages = readPages().map(({ path, text }) => ({ path, steps: stepsOf(codeBlocks(text)) }));
const run = pages.map(({ path, steps }) => ({
  path,
  steps: steps.filter(({ block }) => runs(block)),
}));
const left = pages.flatMap(({ path, steps }) =>
  steps.filter(({ block }) => !runs(block)).map(({ block }) => `${path}:${block.line}`),
);

describe('the pages', () => {
  it('have commands that are run, and say of the others why not', () => {
    const count = run.reduce((sum, { steps }) => sum + steps.length, 0);
    process.stdout.write(`docs: ${count} blocks of commands run, ${left.length} not\n`);
    expect(count).toBeGreaterThan(0);
  });
});

describe.each(run.filter(({ steps }) => steps.length > 0))('the commands of $path', (page) => {
  let desk: DocDesk;

  beforeAll(async () => {
    execFileSync('curl', ['--version']);
    desk = await DocDesk.open();
  });
  afterAll(() => desk.close());

  it.each(page.steps.map((step) => [step.block.line, step] as const))(
    'in line %d do what it says',
    async (_, { block, output }) => {
      const { failures, stderr, stdout } = await desk.run(block.text);
      const code = /^exit (\d+)$/.exec(block.directive)?.[1];
      const expected = code === undefined ? [] : [expect.stringMatching(`^${code} `)];
      expect({ failures, stderr, stdout }).toEqual({ failures: expected, stderr, stdout });
      if (output !== undefined) expectOutput(output, stdout);
    },
  );
});

function expectOutput({ language, text }: CodeBlock, stdout: string): void {
  const matches =
    language === 'json'
      ? matchesJson(JSON.parse(text), JSON.parse(stdout))
      : matchesText(text, stdout);
  // Shown side by side where it does not match.
  if (!matches) expect(stdout).toBe(text);
}

function stepsOf(blocks: readonly CodeBlock[]): Step[] {
  return blocks.flatMap((block, index) => {
    const next = blocks[index + 1];
    if (block.language !== 'sh') return [];
    return [{ block, output: next?.directive === 'output' ? next : undefined }];
  });
}

function runs({ directive }: CodeBlock): boolean {
  return !directive.startsWith('no-run');
}
