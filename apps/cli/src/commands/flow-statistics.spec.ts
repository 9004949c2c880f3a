import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { run } from '../run-cli-spec.js';
import { json, StubServer } from '../stub-server-spec.js';

const STATISTICS = {
  flow: 'vm',
  over: 'day',
  started: 9,
  ended: { succeeded: 7, rolled_back: 1, terminated: 0 },
  rollbackFailed: 1,
  successRate: 0.875,
  duration: { p50: 0.3, p95: 76, max: 81.4 },
  intervals: [],
  isComplete: false,
  steps: [
    {
      ...{ step: 'g/make', direction: 'normal', succeeded: 2_999, failed: 1, cancelled: 2 },
      ...{ retries: 4, failureRate: 0.0003, duration: { p50: 0.0005, p95: 1.25, max: 2 } },
      errors: [
        { code: 'NO_HOST', count: 5 },
        { code: '*', count: 1 },
      ],
    },
    {
      ...{ step: '*', direction: 'rollback', succeeded: 0, failed: 0, cancelled: 1 },
      ...{ retries: 0, failureRate: null, duration: null, errors: [] },
    },
  ],
};

describe('flow statistics', () => {
  let server: StubServer;
  beforeEach(async () => {
    server = await StubServer.start();
    server.answer = (_request, response) => json(response, STATISTICS);
  });
  afterEach(() => server.stop());
  const ask = (...argv: readonly string[]) =>
    run(['flow', 'statistics', 'vm', ...argv, '--url', server.url]);

  it('is a table of steps under the ends of tasks', async () => {
    const { stderr, stdout } = await ask();
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
      ['vm, last 24 hours: 9 started, 7 succeeded, 1 rolled back, 0 terminated, 1 rollback failed'],
      ['success rate 87.5 %, half within 300 ms, 95 % within 76 s, at most 81.4 s'],
      [''],
      ['STEP', 'ENDED', 'FAILED', 'RATE', 'RETRIES', 'P50', 'P95', 'ERRORS'],
      ['g/make', '3002', '1', '0.1 %', '4', '1 ms', '1.25 s', 'NO_HOST 5, others 1'],
      ['↩ all further steps', '1', '0', '-', '0', '-', '-'],
    ]);
    expect(stderr).toContain('There is more than can be added up at once.');
  });

  it('gives programs all of it, and asks for the span', async () => {
    let path = '';
    server.answer = (request, response) => {
      path = request.path;
      json(response, STATISTICS);
    };
    const { stdout } = await ask('--over', 'month', '-o', 'json');
    expect(JSON.parse(stdout)).toEqual(STATISTICS);
    expect(path).toBe('/v1/flows/vm/statistics?over=month');
  });

  it('refuses a span that there is not', async () => {
    expect((await ask('--over', 'year')).code).toBe(2);
  });
});
