import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EXIT } from '../exit.js';
import { run } from '../run-cli-spec.js';
import { json, StubServer } from '../stub-server-spec.js';

let server: StubServer;
beforeEach(async () => {
  server = await StubServer.start();
});
afterEach(() => server.stop());

const action = (retry: unknown) => ({ module: 'lab', command: 'x', timeout: 300, retry });

describe('the drill of a flow', () => {
  const drill = { version: 2, at: 0, passed: true, failures: 0, total: 33 };
  const flow = { name: 'vm', version: 2, timeCreate: 0, description: null, input: null, steps: [] };

  it.each([
    [drill, 'passed'],
    [{ ...drill, passed: false, failures: 3 }, 'failed 3/33'],
    [{ ...drill, version: 1 }, 'passed (v1)'],
    [null, '-'],
    [undefined, '-'],
  ])('is a column of flow list: %j', async (drilled, text) => {
    const item = { ...flow, startable: true, ...(drilled !== undefined && { drill: drilled }) };
    server.answer = (_request, response) => json(response, { items: [item] });
    const { stdout } = await run(['flow', 'list', '--url', server.url]);
    const [head = '', row = ''] = stdout.split('\n');
    const at = head.indexOf('DRILL');
    expect(row.slice(at, head.indexOf('STARTABLE')).trim()).toBe(text);
  });

  it('is a line of flow get', async () => {
    server.answer = (_request, response) => json(response, { ...flow, drill });
    const { stdout } = await run(['flow', 'get', 'vm', '--url', server.url]);
    expect(stdout).toMatch(/^drill: passed, /m);
  });
});

describe('flow list', () => {
  const flow = { version: 1, timeCreate: 0, description: null, input: null, steps: [] };
  const items = [
    { ...flow, name: 'live', startable: true, file: 'live.json' },
    { ...flow, name: 'broken', startable: false, file: 'broken.json' },
    { ...flow, name: 'stored', startable: true, file: null },
    {
      ...flow,
      name: 'unserved',
      startable: false,
      file: null,
      obstacle: { message: 'No executor.' },
    },
    { ...flow, name: 'retired', startable: false, retired: true, file: null },
    { ...flow, name: 'lost', startable: false, retired: false, file: null },
  ];

  it('leaves out flows that take no new tasks for good, and says so', async () => {
    server.answer = (_request, response) => json(response, { items });
    const { stderr, stdout } = await run(['flow', 'list', '-o', 'name', '--url', server.url]);
    expect(stdout.trim().split('\n')).toEqual(['live', 'broken', 'stored', 'unserved']);
    expect(stderr).toContain('unserved cannot be started: No executor.');
    expect(stderr).toContain('--all');
  });

  it('shows them with --all', async () => {
    server.answer = (_request, response) => json(response, { items });
    const { stderr, stdout } = await run([
      'flow',
      'list',
      '--all',
      '-o',
      'name',
      '--url',
      server.url,
    ]);
    expect(stdout.trim().split('\n')).toEqual(items.map(({ name }) => name));
    expect(stderr).not.toContain('--all');
  });
});

describe('flow get', () => {
  it.each([
    [false, '// \u001b[2J\u202e\r\n[]'],
    [true, '// ?[2J?\n[]'],
  ])('writes the text of a version as it is; a terminal is safe (%s)', async (isTTY, written) => {
    const text = '// \u001b[2J\u202e\r\n[]';
    server.answer = ({ path }, response) => {
      if (path === '/v1/flows/vm/versions/2/source') response.end(text);
      else json(response, { name: 'vm', version: 2, steps: [] });
    };
    const args = ['flow', 'get', 'vm', '--source', '--flow-version', '2', '--url', server.url];
    const { code, stdout } = await run(args, { isTTY });
    expect([code, stdout]).toEqual([EXIT.done, written]);
    expect(server.seen.map(({ path }) => path)).toEqual([
      '/v1/flows/vm/versions/2',
      '/v1/flows/vm/versions/2/source',
    ]);
  });

  it('shows how often steps are tried again, and what a request gives', async () => {
    const many = { attempts: 3, backoff: 'exponential' };
    const steps = [
      { name: 'a', needs: [], normal: action(0), rollback: null },
      { name: 'b', needs: ['a'], normal: action(2), rollback: null },
      { name: 'c', needs: ['b'], normal: action(many), rollback: null },
    ];
    const cpu = { type: 'integer', description: 'Cores.' };
    const properties = { cpu, zone: { type: ['string', 'null'] }, any: {} };
    const input = { type: 'object', required: ['cpu'], properties };
    const flow = { name: 'vm', version: 2, timeCreate: 0, description: null, input, steps };
    server.answer = (_request, response) => json(response, flow);
    const { stdout } = await run(['flow', 'get', 'vm', '--url', server.url]);
    expect(stdout).toBe(`\
vm v2

STEP  COMMAND  ↩ ROLLBACK  RETRY                    TIMEOUT  NEEDS
a     lab.x    -           -                          300 s
b     lab.x    -           2                          300 s  a
c     lab.x    -           3 attempts, exponential    300 s  b

PARAMETER  TYPE            REQUIRED  DESCRIPTION
cpu        integer         yes       Cores.
zone       string or null  no
any                        no
`);
  });
});
