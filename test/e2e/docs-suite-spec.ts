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

/** Pages whose commands are run together. */
export interface PageGroup {
  readonly name: string;
  has(path: string): boolean;
}

const listed = (name: string, paths: readonly string[]): PageGroup => ({
  name,
  has: (path) => paths.includes(path),
});

/** The pages that a newcomer reads first. */
export const TOUR = listed('of the tour', [
  'README.md',
  'docs/console.md',
  'docs/getting-started.md',
  'docs/grow-a-flow.md',
  'docs/lab.md',
]);

/** The page of the HTTP interface. */
export const HTTP = listed('of the HTTP interface', ['docs/http-api.md']);

/** The pages of those who keep it running. */
export const OPERATIONS = listed('of operations', [
  'docs/kubernetes.md',
  'docs/notifications.md',
  'docs/observability.md',
  'docs/operations.md',
  'docs/run-distributed.md',
]);

const NAMED = [TOUR, HTTP, OPERATIONS];

/** All other pages. */
export const OTHERS: PageGroup = {
  name: 'of all other pages',
  has: (path) => NAMED.every((group) => !group.has(path)),
};

/** Tests that run every block of commands of a group of pages, and compare what it prints. */
export function describePages(group: PageGroup): void {
  const pages = readPages()
    .filter(({ path }) => group.has(path))
    .map(({ path, text }) => ({ path, steps: stepsOf(codeBlocks(text)) }));
  const run = pages.map(({ path, steps }) => {
    return { path, steps: steps.filter(({ block }) => runs(block)) };
  });

  it(`the pages ${group.name} have commands that are run`, () => {
    const [all, count] = [pages, run].map((list) => {
      return list.reduce((sum, { steps }) => sum + steps.length, 0);
    });
    process.stdout.write(`docs: ${count} of ${all} blocks of commands run\n`);
    expect(count).toBeGreaterThan(0);
  });

  describe.each(run.filter(({ steps }) => steps.length > 0))('the commands of $path', (page) => {
    describeSteps(page.steps);
  });
}

function describeSteps(steps: readonly Step[]): void {
  let desk: DocDesk;

  beforeAll(async () => {
    execFileSync('curl', ['--version']);
    desk = await DocDesk.open();
  });
  afterAll(() => desk.close());

  it.each(steps.map((step) => [step.block.line, step] as const))(
    'in line %d do what it says',
    async (_, { block, output }) => {
      const { failures, stderr, stdout } = await desk.run(block.text);
      const code = /^exit (\d+)$/.exec(block.directive)?.[1];
      const expected = code === undefined ? [] : [expect.stringMatching(`^${code} `)];
      expect({ failures, stderr, stdout }).toEqual({ failures: expected, stderr, stdout });
      if (output !== undefined) expectOutput(output, stdout);
    },
  );
}

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
