import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { run } from '../run-cli-spec.js';
import { json, StubServer } from '../stub-server-spec.js';

let server: StubServer;

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
