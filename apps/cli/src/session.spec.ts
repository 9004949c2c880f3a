import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { EXIT } from './exit.js';
import { run } from './run-cli-spec.js';
import { problem, StubServer } from './stub-server-spec.js';

let server: StubServer;

beforeEach(async () => {
  server = await StubServer.start('host');
});

afterEach(() => server.stop());

it('may take longer than a timer of Node can', async () => {
  server.answer = (_request, response) => {
    setImmediate(() => problem(response, { status: 404, code: 'TASK_NOT_FOUND' }));
  };
  const { code } = await run(['task', 'get', 'x', '--timeout', '30d', '--url', server.url]);
  expect(code).toBe(EXIT.notFound);
});
