import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EXIT } from '../exit.js';
import { run } from '../run-cli-spec.js';
import { json, problem, StubServer, taskReport } from '../stub-server-spec.js';

let server: StubServer;

beforeAll(async () => {
  server = await StubServer.start();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.seen.length = 0;
  server.answer = (_request, response) => json(response, taskReport('running'));
});

const complete = (...argv: string[]) =>
  run(['task', 'complete', 'a', 'poll#3/check', '-o', 'json', '--url', server.url, ...argv]);

describe('task complete', () => {
  it('sends the token with an output, to the run', async () => {
    const { code } = await complete('--token', 'bsc_x', '--result', '{"host":"h"}');
    expect(code).toBe(EXIT.done);
    const [request] = server.seen;
    expect(request?.path).toBe('/v1/tasks/a/steps/poll%233%2Fcheck:complete');
    expect(JSON.parse(request?.body ?? '')).toEqual({ token: 'bsc_x', output: { host: 'h' } });
  });

  it('sends an error instead, and at which revision', async () => {
    const error = ['--error', 'QUOTA', '--message', 'no room', '--retryable'];
    await complete('--token', 'bsc_x', ...error, '--if-match', '"7"');
    const [request] = server.seen;
    expect(JSON.parse(request?.body ?? '')).toEqual({
      token: 'bsc_x',
      error: { code: 'QUOTA', message: 'no room', retryable: true },
    });
    expect(request?.headers['if-match']).toBe('"7"');
  });

  it('sends a reason instead of a token, once by its key', async () => {
    const key = ['--idempotency-key', 'k'];
    await complete('--reason', 'the machine is there', '--result', '{"host":"h"}', ...key);
    const [request] = server.seen;
    const body = { reason: 'the machine is there', output: { host: 'h' } };
    expect(JSON.parse(request?.body ?? '')).toEqual(body);
    expect(request?.headers['idempotency-key']).toBe('"k"');
  });

  it('says that it needs a second person', async () => {
    const operation = { operationId: 'op-1', status: 'waiting', consent: { rule: 'the rule' } };
    server.answer = (_request, response) => json(response, operation, 202);
    const { code, stderr } = await complete('--reason', 'the machine is there');
    expect(code).toBe(EXIT.done);
    expect(stderr).toContain('operation approve op-1');
  });

  it.each([
    [[], 'give --token, or as an operator --reason'],
    [['--token', 't', '--reason', 'r'], 'give --token, or as an operator --reason'],
    [['--reason', ' '], 'which says why'],
    [['--token', 't', '--result', '[]'], '--result must be a JSON object'],
    [['--token', 't', '--error', 'Q'], '--message must say what went wrong'],
    [['--token', 't', '--error', 'Q', '--result', '{}'], 'either --result or --error'],
    [['--token', 't', '--message', 'no disk'], '--message is about a failure'],
    [['--token', 't', '--result', '{}', '--retryable'], '--retryable is about a failure'],
  ])('is refused with %j', async (argv, words) => {
    const { code, stderr } = await complete(...argv);
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain(words);
    expect(server.seen).toEqual([]);
  });

  it.each([
    ['json', /"state": "succeeded"/],
    ['name', /^a$/m],
    ['table', /^poll#3\/check of a: succeeded$/m],
  ])('shows a worker what it is told, as %s', async (form, shown) => {
    const told = { taskId: 'a', step: 'poll#3/check', state: 'succeeded' };
    server.answer = (_request, response) => json(response, told);
    const { code, stdout } = await complete('--token', 'bsc_x', '-o', form);
    expect(code).toBe(EXIT.done);
    expect(stdout).toMatch(shown);
    expect(server.seen).toHaveLength(1);
  });

  it('says that it came too late', async () => {
    server.answer = (_request, response) =>
      problem(response, { status: 409, code: 'ILLEGAL_ACTION' });
    expect((await complete('--token', 't')).code).toBe(EXIT.conflict);
  });
});
