import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EXIT } from '../exit.js';
import { run } from '../run-cli-spec.js';
import { json, problem, StubServer, taskReport } from '../stub-server-spec.js';

const RECEIPT = { taskId: 't', flow: 'vm', flowVersion: 2, status: 'running', timeCreate: 1 };
const act = (module: string) => ({ module, command: 'c', parameters: { module: 'none' } });
const STEPS = [
  { name: 'a', needs: [], normal: act('lab'), rollback: act('undo') },
  { name: 'b', needs: [], choice: [{ when: 'x', steps: [{ name: 'c', normal: act('deep') }] }] },
];

let server: StubServer;
beforeEach(async () => {
  server = await StubServer.start();
  server.answer = ({ method, path }, response) => {
    if (method === 'POST') return json(response, RECEIPT, 201);
    if (path === '/v1/flows/vm/versions/2') return json(response, { steps: STEPS });
    // A caller with limits sees no executors: those of `lab` are there all the same.
    const unserved = ['other', 'undo', 'deep'].map((module) => ({ module, flows: ['vm'] }));
    return json(response, { items: [], unserved });
  };
});
afterEach(() => server.stop());

const start = (...more: string[]) => run(['task', 'start', 'vm', ...more, '--url', server.url]);

describe('task start', () => {
  it('warns of each module that nobody serves, in steps of whatever kind', async () => {
    const { code, stderr } = await start('-o', 'name');
    expect(code).toBe(EXIT.done);
    expect(stderr.match(/module \w+/g)).toEqual(['module deep', 'module undo']);
    expect((await start('-q')).stderr).toBe('');
  });

  it('says nothing where that cannot be found out', async () => {
    server.answer = ({ method }, response) => {
      if (method === 'POST') return json(response, RECEIPT, 201);
      return problem(response, { status: 403, code: 'FORBIDDEN' });
    };
    expect(await start('-o', 'name')).toEqual({ code: EXIT.done, stdout: 't\n', stderr: '' });
  });

  it.each([[['--wait', '100ms', '--timeout', '1h']], [['--wait', '1h', '--timeout', '100ms']]])(
    'waits for the shorter of both times: %j',
    async (times) => {
      const { answer } = server;
      server.answer = (asked, response) => {
        if (asked.path.includes('/events')) return;
        if (!asked.path.startsWith('/v1/tasks/')) return answer(asked, response);
        json(response, taskReport('running'));
      };
      expect((await start(...times)).code).toBe(EXIT.timeOver);
    },
    10_000,
  );

  it.each([
    [['vm', '--wait', 'cpu=4', 'size=1']],
    [['vm', 'cpu=4', '--wait', 'size=1', '-q']],
    [['--wait', 'vm', 'cpu=4', 'size=1']],
    [['--wait', '2m', 'vm', 'cpu=4', 'size=1']],
    [['vm', 'cpu=4', 'size=1', '--wait', '120']],
  ])('takes what follows `--wait` for its own only if it is a duration: %j', async (words) => {
    const { answer } = server;
    server.answer = (asked, response) => {
      if (!asked.path.startsWith('/v1/tasks/')) return answer(asked, response);
      json(response, asked.path.includes('/events') ? { items: [] } : taskReport('succeeded'));
    };
    const { code } = await run(['task', 'start', ...words, '--url', server.url]);
    expect(code).toBe(EXIT.done);
    const sent = { flow: 'vm', parameters: { cpu: 4, size: 1 } };
    expect(JSON.parse(server.seen[0]?.body ?? '')).toEqual(sent);
  });
});
