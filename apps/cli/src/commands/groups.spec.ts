import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { standsStill } from '../client/follow-task.js';
import type { FlowReport, TaskReport } from '../client/types.js';
import { EXIT } from '../exit.js';
import { run } from '../run-cli-spec.js';
import { json, StubServer, taskReport } from '../stub-server-spec.js';

const ACTION = {
  module: 'lab',
  command: 'effect',
  timeout: 300,
  retry: 0,
  onCrash: 'fail',
} as const;
const AGAIN = { backoff: 'fixed', delay: 1, maxDelay: null, jitter: false } as const;
const RUN = { code: 0, message: null, timeStart: 1, timeEnd: 2, attempts: 1 };

const FLOW: FlowReport = {
  name: 'nested',
  version: 3,
  hash: '',
  timeCreate: 1,
  description: null,
  input: null,
  timeout: null,
  onFailure: 'rollback',
  steps: [
    { name: 'first', needs: [], normal: ACTION, rollback: ACTION },
    {
      name: 'g',
      needs: ['first'],
      group: [
        { name: 'a', needs: [], normal: ACTION, rollback: null },
        {
          name: 'i',
          needs: ['a'],
          group: [{ name: 'b', needs: [], normal: ACTION, rollback: null }],
          retry: { forEach: '{% zones %}', as: 'zone' },
          timeout: null,
        },
      ],
      retry: { attempts: 3, ...AGAIN },
      timeout: 60,
    },
  ],
};

/** A group whose only step's rollback stands so. */
function holding(state: 'failed' | 'running'): TaskReport['steps'][number] {
  const head = { needs: [], generation: 1, output: null, state: 'succeeded', ...RUN } as const;
  const rollback = { ...ACTION, ...RUN, state };
  const halves = { normal: ACTION, rollback };
  const inner = { ...head, name: 'a', id: 'g#2/a', kind: 'normal', ...halves } as const;
  const scopes = [{ kind: 'try', name: '2', way: 'back', steps: [inner] }] as const;
  return {
    ...head,
    name: 'g',
    id: 'g',
    kind: 'group',
    state: 'running',
    retry: 1,
    timeout: null,
    scopes,
  };
}

describe('a group on the command line', () => {
  let server: StubServer;

  beforeEach(async () => {
    server = await StubServer.start();
  });

  afterEach(() => server.stop());

  const ask = (...argv: string[]) => run([...argv, '--url', server.url]);

  it('is shown by `flow get` with its steps beneath it', async () => {
    server.answer = (_asked, response) => json(response, FLOW);
    const { code, stdout } = await ask('flow', 'get', 'nested');
    expect(code).toBe(EXIT.done);
    const lines = stdout.split('\n').map((line) => line.replaceAll(/ {2,}/g, '  ').trimEnd());
    expect(lines.slice(0, -1)).toEqual([
      'nested v3',
      '',
      'STEP  COMMAND  ↩ ROLLBACK  RETRY  TIMEOUT  NEEDS',
      'first  lab.effect  lab.effect  -  300 s',
      'g  group, 3 tries  60 s  first',
      '└─ a  lab.effect  -  -  300 s',
      '└─ i  group, a try for each  a',
      '└── b  lab.effect  -  -  300 s',
    ]);
  });

  it('of a flow that bounds its live tasks is shown with that bound', async () => {
    server.answer = (_asked, response) => json(response, { ...FLOW, maxLive: 20 });
    const { stdout } = await ask('flow', 'get', 'nested');
    expect(stdout.split('\n').slice(0, 3)).toEqual(['nested v3', 'at most 20 live tasks', '']);
  });

  it('counts in `flow list` with its steps', async () => {
    server.answer = (_asked, response) => json(response, { items: [FLOW] });
    const { stdout } = await ask('flow', 'list');
    expect(stdout).toMatch(/^nested +3 +5 /m);
  });

  it('waits for a person with the id of the run to skip', async () => {
    const task = { ...taskReport('rollback_failed'), steps: [holding('failed')] };
    server.answer = ({ path }, response) => {
      return json(response, path.includes('/events') ? { items: [] } : task);
    };
    const { stderr, stdout } = await ask('task', 'watch', 'task-1');
    expect(stderr).toContain('backstep task skip task-1 --step g#2/a --reason');
    expect(stdout).not.toBe('');
    const shown = await ask('task', 'get', 'task-1');
    expect(shown.stdout).toMatch(/✗ not undone +try 2/);
  });

  it('moves as long as a step in it does', () => {
    const standing = (state: 'failed' | 'running'): boolean => {
      return standsStill({ hold: null, status: 'rollback_failed', steps: [holding(state)] });
    };
    expect([standing('failed'), standing('running')]).toEqual([true, false]);
  });
});
