import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EXIT } from '../exit.js';
import { run } from '../run-cli-spec.js';
import { problem, StubServer } from '../stub-server-spec.js';

let server: StubServer;

beforeAll(async () => {
  server = await StubServer.start();
});
afterAll(() => server.stop());

const away = { status: 503, code: 'STORE_UNAVAILABLE', detail: 'The store did not answer.' };

describe('a command whose time ends while it asks again', () => {
  it('says what the server has answered before', async () => {
    server.answer = (_request, response) => {
      response.setHeader('retry-after', '2');
      problem(response, away);
    };
    const ended = await run(['task', 'list', '--timeout', '300ms', '--url', server.url]);
    expect(ended.stderr).toContain('The store did not answer. (STORE_UNAVAILABLE)');
    expect(ended.stderr).not.toContain('timed out');
    expect(ended.code).toBe(EXIT.unreachable);
  });

  it('says it also where the last try has no answer', async () => {
    let tries = 0;
    server.answer = (_request, response) => {
      tries += 1;
      if (tries === 1) problem(response, away);
    };
    const ended = await run(['task', 'list', '--timeout', '1s', '--url', server.url]);
    expect(ended.stderr).toContain('STORE_UNAVAILABLE');
    expect([tries, ended.code]).toEqual([2, EXIT.unreachable]);
  });

  it('says that the time is over where nothing was answered', async () => {
    server.answer = () => {};
    const ended = await run(['task', 'list', '--timeout', '300ms', '--url', server.url]);
    expect(ended.stderr).toContain('timed out');
    expect(ended.code).toBe(EXIT.timeOver);
  });
});

describe('a task whose start has no clear answer', () => {
  it('has the key with which it is made once, after all tries as well', async () => {
    server.answer = (_request, response) => problem(response, away);
    const ended = await run(['task', 'start', 'a', '--timeout', '30s', '--url', server.url]);
    expect(ended.stderr).toMatch(/makes it once, or finds it:\n {2}--idempotency-key cli-/);
    expect(ended.stderr.match(/idempotency-key/g)).toHaveLength(1);
    expect(ended.code).toBe(EXIT.unreachable);
  });
});
