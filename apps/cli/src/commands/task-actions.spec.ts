import { expect, it } from '@jest/globals';
import { run } from '../run-cli-spec.js';
import { json, StubServer, taskReport } from '../stub-server-spec.js';

it('a reset names the step, and sends parameters where some are written', async () => {
  const server = await StubServer.start();
  server.answer = (_request, response) => json(response, taskReport('rolling_back'));
  const ask = (...argv: string[]) => run([...argv, '-o', 'json', '--url', server.url]);
  const given = ['--to', 'init', '--reason', 'wrong'];
  await ask('task', 'reset', 'a', 'memory=16', ...given, '-i', '{"cpu":4}');
  await ask('task', 'reset', 'a', ...given);
  await server.stop();
  const asked = server.seen.filter(({ method }) => method === 'POST');
  expect(asked.map((request) => request.path)).toEqual(['/v1/tasks/a:reset', '/v1/tasks/a:reset']);
  expect(asked.map(({ body }) => JSON.parse(body) as object)).toEqual([
    { reason: 'wrong', to: 'init', parameters: { cpu: 4, memory: 16 } },
    { reason: 'wrong', to: 'init' },
  ]);
});
