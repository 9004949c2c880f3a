import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EXIT } from './exit.js';
import { run } from './run-cli-spec.js';
import { problem, StubServer } from './stub-server-spec.js';

let server: StubServer;
beforeEach(async () => {
  server = await StubServer.start();
});
afterEach(() => server.stop());

const ask = (...argv: string[]) => run([...argv, '--url', server.url]);

describe('an error', () => {
  it('says how many mistakes there are besides those that are listed', async () => {
    const errors = [
      { pointer: '/a', message: 'Wrong.' },
      { pointer: '/b', message: 'Wrong\u001b[2J.' },
    ];
    server.answer = (_request, response) =>
      problem(response, { status: 400, code: 'INVALID_REQUEST', errors, moreErrors: 7 });
    const { stderr } = await ask('task', 'start', 'sample');
    expect(stderr).toContain('\n  and 7 more\n');
    expect(stderr).not.toContain('\u001b');
  });

  it('names no place where the whole of the input is at fault', async () => {
    const errors = [{ pointer: '', message: 'Wrong.' }];
    const refusal = { status: 422, code: 'INVALID_SCHEDULE', errors };
    server.answer = (_request, response) => problem(response, refusal);
    const { stderr } = await ask('task', 'list');
    expect(stderr).toBe('error: Detail of INVALID_SCHEDULE. (INVALID_SCHEDULE)\n');
  });

  it.each([[['-o', 'json']], [['--output=json']], [['-ojsonl']]])(
    'writes errors of the server as a line of JSON with %j',
    async (format) => {
      const errors = [{ pointer: '/cpu', message: '`cpu` is missing.', hint: 'Cores.' }];
      server.answer = (_request, response) =>
        problem(response, { status: 422, code: 'INVALID_PARAMETERS', errors });
      const { code, stderr, stdout } = await ask('task', 'start', 'sample', ...format);
      expect({ code, stdout }).toEqual({ code: EXIT.usage, stdout: '' });
      expect(stderr).toMatch(/^.*\n$/);
      expect(JSON.parse(stderr)).toEqual({
        code: 'INVALID_PARAMETERS',
        message: 'Detail of INVALID_PARAMETERS. (INVALID_PARAMETERS at /cpu)',
        errors,
        hint: 'Cores.',
        exitCode: EXIT.usage,
      });
    },
  );

  it.each([
    [['task', 'lsit'], { message: "unknown command 'lsit'", hint: 'Did you mean list?' }],
    [['task', 'get'], { message: "missing required argument 'task'" }],
    [['task', 'get', ''], { message: 'an argument is empty' }],
    [[], { message: 'a command is missing' }],
  ])('writes what is wrong with %j as JSON too', async (argv, expected) => {
    const { code, stderr, stdout } = await run([...argv, '-o', 'json']);
    expect({ code, stdout }).toEqual({ code: EXIT.usage, stdout: '' });
    expect(JSON.parse(stderr)).toMatchObject({ code: 'WRONG_USAGE', exitCode: 2, ...expected });
  });

  it('writes as JSON that nobody answers', async () => {
    const gone = await StubServer.start();
    const { url } = gone;
    await gone.stop();
    const { code, stderr } = await run(['task', 'list', '--url', url, '-o', 'json']);
    expect(code).toBe(EXIT.unreachable);
    expect(JSON.parse(stderr)).toMatchObject({ code: 'UNREACHABLE', exitCode: EXIT.unreachable });
  });
});
