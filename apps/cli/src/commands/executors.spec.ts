import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { run } from '../run-cli-spec.js';
import { json, StubServer } from '../stub-server-spec.js';

let server: StubServer;

beforeAll(async () => {
  server = await StubServer.start();
});

afterAll(() => server.stop());

const flows = ['a', 'b', 'c', 'd', 'e', 'f'];
const unserved = [{ module: 'gpu', flows }];

async function list(answer: object, format = 'table') {
  server.answer = (_request, response) => json(response, { items: [], unserved, ...answer });
  return run(['executor', 'list', '-o', format, '--url', server.url]);
}

describe('executor list', () => {
  it('names modules and commands that no executor has, and the flows that need them', async () => {
    const unservedCommands = [{ module: 'm', command: 'z', flows: ['a'] }];
    const { stdout } = await list({ unservedCommands });
    expect(stdout).toContain('gpu: no executor serves it; needed by a, b, c, d, e and 1 more');
    expect(stdout).toContain('m.z: no executor of m has it; needed by a');
  });

  it('leaves them out of what programs read', async () => {
    const { stderr, stdout } = await list({ unservedCommands: [] }, 'json');
    expect(JSON.parse(stdout)).toEqual([]);
    expect(stderr).toContain('gpu: no executor serves it');
  });

  it('is there for a gateway that tells of no commands', async () => {
    expect((await list({})).code).toBe(0);
  });
});

beforeAll(async () => {
  server = await StubServer.start();
  server.answer = (_request, response) => json(response, { heartbeatMs: 10_000 });
});

afterAll(() => server.stop());

describe('executor drain', () => {
  it.each([
    [[], 'draining', 'no further actions'],
    [['--off'], 'active', 'actions again'],
  ])('with %j sets a worker to %s', async (options, state, words) => {
    const args = ['executor', 'drain', 'node/1/x', ...options, '--url', server.url];
    const { code, stderr } = await run(args);
    expect([code, stderr]).toEqual([0, expect.stringContaining(words)]);
    expect(server.seen.at(-1)).toMatchObject({
      method: 'PUT',
      path: '/v1/workers/node%2F1%2Fx',
      body: JSON.stringify({ state }),
    });
  });
});
