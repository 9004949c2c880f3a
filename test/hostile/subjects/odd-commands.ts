import assert from 'node:assert/strict';
import { ODD_ERRORS, ODD_RESULTS } from '../odd-results.js';
import type { Reproduction, Subject } from '../reproduction.js';

const MAY_SUCCEED = new Set([
  'a list that goes on for ever',
  'a map of instances',
  'a promise that is never kept',
  'half a character',
  'a member that means a prototype',
  'a proxy that has no descriptors',
]);

const slug = (kind: string): string => kind.replaceAll(/\W+/g, '-');
const flowOf = (command: string, kind: string): string => `odd-${command}-${slug(kind)}`;

const commands = (kinds: object, names: readonly string[]) =>
  Object.keys(kinds).flatMap((kind) => names.map((command) => ({ command, kind })));

const ALL = [
  ...commands(ODD_RESULTS, ['returns', 'resolves']),
  ...commands(ODD_ERRORS, ['throws', 'rejects']),
];

const step = (command: string, kind = '') => [
  { name: 'odd', normal: { module: 'odd', command, timeout: 10, parameters: { kind } } },
];

const odd = ALL.map(({ command, kind }): Reproduction => ({
  rule: `a command that ${command} something odd fails alone: ${kind}`,
  sends: 'a task whose step runs it',
  play: async (stand) => {
    const task = await stand.api.run(flowOf(command, kind));
    const [run] = task.steps;
    if (task.status === 'succeeded' && MAY_SUCCEED.has(kind)) return;
    assert.equal(task.status, 'rolled_back', JSON.stringify(task).slice(0, 300));
    assert.equal(run?.state, 'failed');
    assert.ok((run?.message ?? '').length > 0, 'it says nothing');
    assert.ok((run?.message ?? '').length < 1_000, 'it says too much');
    assert.equal((await stand.api.run('lab-succeed')).status, 'succeeded');
  },
}));

/** Results of commands that cannot be read, written or carried. */
export const oddCommands: Subject = {
  name: 'odd commands',
  flows: {
    ...Object.fromEntries(
      ALL.map(({ command, kind }) => [flowOf(command, kind), step(command, kind)]),
    ),
    'odd-huge': step('huge'),
  },
  reproductions: [
    ...odd,
    {
      rule: 'an output of half a gigabyte is refused before it is written out',
      sends: 'a task whose step returns 500 MB',
      play: async (stand) => {
        const started = performance.now();
        const task = await stand.api.run('odd-huge');
        const ms = Math.round(performance.now() - started);
        assert.equal(task.status, 'rolled_back');
        assert.equal(task.steps[0]?.state, 'failed');
        assert.ok(ms <= stand.within(1_000), `${ms} ms`);
      },
    },
  ],
};
