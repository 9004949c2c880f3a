import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { run } from '../run-cli-spec.js';
import { json, StubServer } from '../stub-server-spec.js';

let server: StubServer;

beforeAll(async () => {
  server = await StubServer.start();
});
afterAll(() => server.stop());

describe('lock list', () => {
  it('says how the holders stand, where that can be read', async () => {
    const since = '2026-01-01T00:00:00.000Z';
    const stuck = { taskId: 't1', since, flow: 'pay', status: 'rollback_failed', step: null };
    const gone = { ...stuck, taskId: 't2', flow: null, status: null };
    const lock = { name: 'fleet', slots: 2, holders: [stuck, gone], waiting: [stuck] };
    server.answer = (_request, response) =>
      json(response, { items: [lock], page: { nextCursor: null } });
    const { stdout } = await run(['lock', 'list', '--url', server.url]);
    expect(stdout).toMatch(/fleet +2 +t1 \(pay, rollback failed\), t2 +1/);
  });
});
