import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { LimitReport } from '../client/types.js';
import { EXIT } from '../exit.js';
import { run } from '../run-cli-spec.js';
import { json, problem, StubServer } from '../stub-server-spec.js';

const LIMITS: LimitReport = {
  module: 'mysql',
  maxConcurrency: 20,
  ratePerSecond: 0.5,
  fairBy: 'tenant',
  running: 7,
  waiting: 3,
  generation: 2,
  updatedAt: '2027-01-01T00:00:00.000Z',
  updatedBy: 'ann',
};

const RATE_ALONE = { ...LIMITS, module: 'mail', maxConcurrency: null, running: null, fairBy: null };

let server: StubServer;
beforeEach(async () => {
  server = await StubServer.start();
  server.answer = (_request, response) => json(response, LIMITS);
});
afterEach(() => server.stop());

const ask = (...argv: string[]) => run(['limit', ...argv, '--url', server.url]);

describe('limit list', () => {
  it('shows what runs and waits under the limits of each page', async () => {
    server.answer = ({ path }, response) => {
      const isFirst = !path.includes('cursor');
      const items = [isFirst ? LIMITS : RATE_ALONE];
      json(response, { items, page: { nextCursor: isFirst ? 'more' : null } });
    };
    const { code, stdout } = await ask('list');
    expect(code).toBe(EXIT.done);
    expect(stdout).toMatch(/mysql +7\/20 +3 +0\.5\/s +tenant +2 +2027-01-01T00:00:00\.000Z by ann/);
    expect(stdout).toMatch(/mail +- +3 +0\.5\/s +- +2/);
  });
});

describe('limit set', () => {
  it('sends what was written, and gives what was stored', async () => {
    const what = ['--max-concurrency', '20', '--rate', '0.5', '--fair-by', 'tenant'];
    const { code, stdout } = await ask('set', 'mysql', ...what, '--if-match', '1', '-o', 'json');
    expect(code).toBe(EXIT.done);
    const [{ body, ...request }] = server.seen as [(typeof server.seen)[0]];
    expect(request).toMatchObject({
      method: 'PUT',
      path: '/v1/limits/mysql',
      headers: { 'if-match': '"1"' },
    });
    expect(JSON.parse(body)).toEqual({ maxConcurrency: 20, ratePerSecond: 0.5, fairBy: 'tenant' });
    expect(JSON.parse(stdout)).toEqual(LIMITS);
  });

  it.each([
    [[], 'say what is limited'],
    [['--fair-by', 'tenant'], 'say what is limited'],
    [['--max-concurrency', '1.5'], 'must be a whole number'],
    [['--rate', 'fast'], '--rate is a number a second'],
  ])('with %j is wrong usage, and nothing is sent', async (options, words) => {
    const { code, stderr } = await ask('set', 'mysql', ...options);
    expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining(words)]);
    expect(server.seen).toEqual([]);
  });

  it('ends with a conflict where the limits are at another generation', async () => {
    server.answer = (_request, response) =>
      problem(response, { status: 412, code: 'REVISION_CHANGED' });
    const { code } = await ask('set', 'mysql', '--rate', '5', '--if-match', '0');
    expect(code).toBe(EXIT.conflict);
    expect(server.seen[0]?.headers).toMatchObject({ 'if-none-match': '*' });
  });
});

describe('limit remove', () => {
  it('says that there are none, and not that the gateway is elsewhere', async () => {
    const detail = 'There is no module limit "lab".';
    const refusal = { status: 404, code: 'NOT_FOUND', detail };
    server.answer = (_request, response) => problem(response, refusal);
    const { code, stderr } = await ask('remove', 'lab');
    expect([code, stderr]).toEqual([EXIT.notFound, `error: ${detail} (NOT_FOUND)\n`]);
  });

  it('removes those of the generation that was read', async () => {
    server.answer = (_request, response) => void response.writeHead(204).end();
    const { code, stderr } = await ask('remove', 'mysql', '--if-match', '2');
    expect([code, stderr]).toEqual([EXIT.done, expect.stringContaining('mysql has no limits now')]);
    expect(server.seen[0]).toMatchObject({
      method: 'DELETE',
      path: '/v1/limits/mysql',
      headers: { 'if-match': '"2"' },
    });
  });
});
