import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { within } from '#testing';
import { EXIT, Interrupted } from './exit.js';
import { run } from './run-cli-spec.js';
import { event, eventText, json, problem, StubServer, taskReport } from './stub-server-spec.js';
import { VERSION } from './version.js';

const receipt = { taskId: 'task-1', flow: 'sample', flowVersion: 1, status: 'not_started' };

const HELP: [string, string[], string][] = [
  ['help', ['--help'], 'Usage: backstep'],
  ['the version', ['--version'], '1.2.3'],
  ["a command's help", ['task', 'start', '--help'], '--idempotency-key'],
  ["a command's settings", ['start', '--help'], '--governance-interval <value>'],
  ['the words that a setting takes', ['start', '--help'], '(choices: debug, info, warn, error,'],
  ['the default of a setting', ['start', '--help'], '(default: 25s)'],
  ['a default that depends on something', ['dev', '--help'], 'default: on in dev and demo, off'],
  ['what every command takes', ['task', 'list', '--help'], '--url <url>'],
  ['the help of a command in a group', ['help', 'task', 'watch'], 'Usage: backstep task watch'],
  ['where the documentation is', ['--help'], 'docs/README.md'],
  ['where to put a link that signs in', ['console', '--help'], 'Paste the link into a browser.'],
];

const WRONG: [string, string[], string][] = [
  ['no command', [], 'Usage: backstep'],
  ['an unknown command', ['tsk'], "unknown command 'tsk'\n(Did you mean task?)"],
  ['help of an unknown command', ['help', 'task', 'wach'], 'Did you mean watch?'],
  ['an unknown command that is to help', ['task', 'wach', '--help'], "unknown command 'wach'"],
  ['an unknown option', ['task', 'list', '--flwo', 'x'], "unknown option '--flwo'"],
  ['a missing argument', ['task', 'get'], "missing required argument 'task'"],
  ['a missing reason', ['task', 'rollback', 'x'], "'--reason <text>' not specified"],
  ['an empty reason', ['task', 'rollback', 'x', '--reason', ' '], '--reason must say why'],
  ['an empty argument', ['task', 'get', ''], 'an argument is empty'],
  ['an unknown process', ['start', 'nothing'], "'nothing' is invalid"],
  ['an unknown format', ['task', 'list', '-o', 'xml'], "argument 'xml' is invalid"],
  ['a wrong URL', ['task', 'list', '--url', 'nowhere'], '"nowhere" is not an http://'],
  ['a socket without a path', ['task', 'list', '--url', 'unix:'], 'URL, or unix:<path> (--url or'],
  ['a port that is none', ['demo', '--port', '65536'], '--port "65536"'],
  ['a wrong duration', ['task', 'list', '--timeout', 'soon'], '--timeout "soon": not a dur'],
  ['a time limit of a process', ['start', 'lab', '--timeout', '9s'], 'start runs until it is'],
  ['a wrong number', ['task', 'list', '--limit', '0'], '--limit must be at least 1'],
  ['an unknown shell', ['completion', 'tcsh'], 'no completion for "tcsh"'],
  ['a wrong setting', ['config', 'print', '--lease', 'x'], 'BACKSTEP_LEASE (flag)'],
];

const REFUSALS: [number, string, number][] = [
  [400, 'INVALID_REQUEST', EXIT.usage],
  [422, 'INVALID_PARAMETERS', EXIT.usage],
  [404, 'TASK_NOT_FOUND', EXIT.notFound],
  [409, 'ILLEGAL_ACTION', EXIT.conflict],
  [412, 'REVISION_CHANGED', EXIT.conflict],
  [422, 'IDEMPOTENCY_KEY_REUSED', EXIT.conflict],
  [500, 'INTERNAL', EXIT.endedOtherwise],
  [503, 'STORE_UNAVAILABLE', EXIT.unreachable],
];

describe.each(['host', 'socket'] as const)('the command line, with a %s', (on) => {
  let server: StubServer;

  beforeEach(async () => {
    server = await StubServer.start(on);
  });

  afterEach(() => server.stop());

  const ask = (...argv: string[]) => run([...argv, '--url', server.url]);
  /** Answers with a task that ends so. */
  const endsAs = (status: string): void => {
    server.answer = ({ method, path: asked }, response) => {
      if (method === 'POST') return json(response, { ...receipt, timeCreate: 1 }, 201);
      if (asked.endsWith('/events')) return json(response, { items: [event(1, 'created')] });
      return json(response, taskReport(status));
    };
  };

  it('has the version of the package', () => {
    const file = path.join(import.meta.dirname, '..', '..', '..', 'package.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ version: VERSION });
  });

  it.each(HELP)('shows %s on standard output', async (_what, argv, text) => {
    const { code, stderr, stdout } = await run(argv);
    expect({ code, stderr }).toEqual({ code: EXIT.done, stderr: '' });
    // Lines break where the longest option leaves them room to.
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(text);
  });

  it.each(WRONG)('ends with 2 for %s, and says so', async (_what, argv, sentence) => {
    const { code, stderr, stdout } = await run(argv);
    expect({ code, stdout }).toEqual({ code: EXIT.usage, stdout: '' });
    expect(stderr).toContain(sentence);
  });

  it.each(REFUSALS)(
    'makes of %d %s the exit code %d and one sentence',
    async (status, code, expected) => {
      server.answer = (_request, response) => problem(response, { status, code });
      const result = await ask('task', 'get', 'x');
      expect(result.code).toBe(expected);
      expect(result.stderr).toBe(`error: Detail of ${code}. (${code})\n`);
    },
  );

  it('says where the input is at fault', async () => {
    const errors = [
      { pointer: '/parameters/cpu', message: '`cpu` is missing.', hint: 'Cores.' },
      { pointer: '/flow', message: 'No such flow.' },
    ];
    const refusal = { status: 422, code: 'INVALID_PARAMETERS', errors };
    server.answer = (_request, response) => problem(response, refusal);
    const { stderr } = await ask('task', 'start', 'sample');
    expect(stderr).toBe(
      `error: A title (INVALID_PARAMETERS)
  /parameters/cpu: \`cpu\` is missing. Cores.
  /flow: No such flow.
`,
    );
  });

  it('ends with 5 where nobody answers, also when the time for it is short', async () => {
    const gone = await StubServer.start(on);
    const { url } = gone;
    await gone.stop();
    for (const more of [[], ['--timeout', '2s']]) {
      const { code, stderr } = await run(['task', 'list', '--url', url, ...more]);
      expect(code).toBe(EXIT.unreachable);
      const reason = on === 'host' ? 'the connection was refused' : 'there is no such socket';
      expect(stderr).toContain(`cannot be reached at ${url}: ${reason}`);
    }
  });

  it.each([
    ['resource hosts', '/modules/resource/hosts', '--url http://127.0.0.1:7071'],
    ['task list', '/v1/tasks', 'where the gateway is'],
  ])(
    '%s says where to ask instead of a process that does not have it',
    async (line, path, hint) => {
      const nothing = { title: 'Nothing is here', detail: 'Nothing is here. Look there.' };
      const refusal = { status: 404, code: 'NOT_FOUND', instance: path, ...nothing };
      server.answer = (_request, response) => problem(response, refusal);
      const { code, stderr } = await ask(...line.split(' '));
      expect(code).toBe(EXIT.notFound);
      expect(stderr).toContain(`has no ${path} (NOT_FOUND)\n`);
      expect(stderr).toContain(hint);
    },
  );

  it('ends with 5 where something else answers', async () => {
    server.answer = (_request, response) => void response.writeHead(404).end('<html>');
    const { code, stderr } = await ask('task', 'list');
    expect(code).toBe(EXIT.unreachable);
    expect(stderr).toContain('answered 404 and not as Backstep does');
  });

  it('ends with 6 when the time is over', async () => {
    server.answer = () => {};
    const { code, stderr } = await ask('task', 'get', 'x', '--timeout', '50ms');
    expect(code).toBe(EXIT.timeOver);
    expect(stderr).toBe('error: timed out after 0.05 s\n');
  });

  it('ends with 6 before the task is known, and says how to make it only once', async () => {
    server.answer = () => {};
    const argv = ['task', 'start', 'x', '--idempotency-key', 'k1', '--wait', '50ms'];
    const { code, stderr } = await ask(...argv);
    expect(code).toBe(EXIT.timeOver);
    expect(stderr).toMatch(
      /^Whether the task was made is not known; .*\n {2}--idempotency-key k1\n/,
    );
  });

  it('ends with 130 and no error when it is interrupted', async () => {
    server.answer = () => {};
    const argv = ['task', 'watch', 'x', '--url', server.url];
    const onSession = (session: { abort(reason: Error): void }): void => {
      server.answer = () => session.abort(new Interrupted(EXIT.interrupted));
    };
    const result = await within('the end', run(argv, { onSession }));
    expect(result).toEqual({ code: EXIT.interrupted, stdout: '', stderr: '' });
  });

  it.each([
    ['succeeded', EXIT.done],
    ['rolled_back', EXIT.endedOtherwise],
    ['rollback_failed', EXIT.endedOtherwise],
    ['terminated', EXIT.endedOtherwise],
  ])('waits for a task: %s is exit code %d', async (status, code) => {
    endsAs(status);
    for (const how of ['--wait', '--watch']) {
      expect(await ask('task', 'start', 'sample', how)).toMatchObject({ code });
    }
  });

  it('sends what was written, with a key of its own', async () => {
    endsAs('succeeded');
    const labels = ['--label', 'team=a', '--label', 'env=b=c'];
    const { code, stdout } = await ask('task', 'start', 'x', 'cpu=4', ...labels, '-o', 'name');
    expect({ code, stdout }).toEqual({ code: EXIT.done, stdout: 'task-1\n' });
    const [seen] = server.seen;
    expect(seen?.path).toBe('/v1/tasks');
    expect(JSON.parse(seen?.body ?? '')).toEqual({
      flow: 'x',
      parameters: { cpu: 4 },
      labels: { team: 'a', env: 'b=c' },
    });
    expect(seen?.headers['idempotency-key']).toMatch(/^"cli-[0-9a-f-]{36}"$/);
  });

  it('sends a request again with the same key when the connection breaks', async () => {
    server.answer = (_request, response) => {
      server.answer = (_again, later) => json(later, { ...receipt, timeCreate: 1 }, 201);
      response.socket?.destroy();
    };
    expect(await ask('task', 'start', 'sample')).toMatchObject({ code: EXIT.done });
    const posts = server.seen.filter(({ method }) => method === 'POST');
    const keys = posts.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(2);
    expect(keys[0]).toBe(keys[1]);
  });

  it('acts on a task with reason, key and revision', async () => {
    endsAs('succeeded');
    server.answer = (_request, response) => json(response, taskReport('rolling_back'));
    const given = ['--reason', 'wrong', '--if-match', '"3"', '--idempotency-key', 'k"1'];
    await ask('task', 'skip', 'a/b', '--step', 'init', ...given, '-o', 'json');
    expect(server.seen[0]).toMatchObject({
      method: 'POST',
      path: '/v1/tasks/a%2Fb:skip',
      body: '{"reason":"wrong","step":"init"}',
      headers: { 'if-match': '"3"', 'idempotency-key': '"k\\"1"' },
    });
  });

  it('takes page after page', async () => {
    server.answer = ({ path: asked }, response) => {
      const isLast = asked.includes('cursor=next');
      const items = [{ ...taskReport('succeeded'), taskId: isLast ? 'b' : 'a' }];
      json(response, { items, page: { nextCursor: isLast ? null : 'next' } });
    };
    const filters = ['--status', 'running,succeeded', '--label', 'team=a'];
    const { stdout } = await ask('task', 'list', '--all', '-o', 'name', ...filters);
    expect(stdout).toBe('a\nb\n');
    expect(server.seen[0]?.path).toBe(
      '/v1/tasks?status=running%2Csucceeded&label.team=a&limit=200',
    );
  });

  it('follows a task over a broken stream, from the event after the last one', async () => {
    const streams = [eventText(1, 'created'), eventText(2, 'task_succeeded')];
    let status = 'running';
    server.answer = ({ headers, path: asked }, response) => {
      if (headers.accept !== 'text/event-stream') {
        if (asked.endsWith('/events')) return json(response, { items: [] });
        return json(response, taskReport(status));
      }
      const text = streams.shift() ?? '';
      if (streams.length === 0) status = 'succeeded';
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(text, () => response.socket?.destroy());
    };
    const { code, stdout } = await within('the end', ask('task', 'watch', 'x', '-o', 'jsonl'));
    expect(code).toBe(EXIT.done);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([event(1, 'created'), event(2, 'task_succeeded')]);
    const opened = server.seen.filter(({ headers }) => headers.accept === 'text/event-stream');
    expect(opened.map(({ headers }) => headers['last-event-id'])).toEqual(['0', '1']);
  });

  it('draws over what it drew only where that is possible', async () => {
    endsAs('succeeded');
    const argv = ['task', 'watch', 'x', '--url', server.url];
    const inFile = await run(argv);
    expect(inFile.stdout).not.toContain('\u001b');
    expect(inFile.stdout).toContain('created');
    const onScreen = await run(argv, { isTTY: true, env: { NO_COLOR: '1' } });
    expect(onScreen.stdout).toContain('\u001b[K');
    expect(onScreen.stdout).not.toContain('\u001b[32m');
    const inColour = await run(argv, { isTTY: true });
    expect(inColour.stdout).toContain('\u001b[32m✓ succeeded');
  });

  it('writes data only, if asked to be quiet', async () => {
    endsAs('succeeded');
    expect((await ask('task', 'start', 'sample')).stderr).toContain(
      `next: npx backstep task watch task-1 --url ${server.url}\n`,
    );
    expect((await ask('task', 'start', 'sample', '-q')).stderr).toBe('');
  });

  it.each(['bash', 'zsh', 'fish'])('completes every command in %s', async (shell) => {
    const { code, stdout } = await run(['completion', shell]);
    expect(code).toBe(EXIT.done);
    for (const word of [' task rollback', '--idempotency-key', 'standalone', ' config print']) {
      expect(stdout).toContain(word);
    }
  });

  it('prints each setting with its source', async () => {
    const env = { BACKSTEP_LEASE: '7s' };
    const { stdout } = await run(['config', 'print', '-o', 'json', '--drain', '3s'], { env });
    expect(JSON.parse(stdout)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'BACKSTEP_LEASE', value: '7s', source: 'environment' }),
        expect.objectContaining({ name: 'BACKSTEP_DRAIN', value: '3s', source: 'flag' }),
      ]),
    );
  });
});

describe('settings that would send a password in clear text', () => {
  it('are shown, and not used', async () => {
    const env = { BACKSTEP_STORE: 'mongodb://me:hidden@db.invalid/backstep' };
    const refusal = 'BACKSTEP_STORE: would send a password to another machine in clear text';
    const shown = await run(['config', 'print'], { env });
    expect(shown.code).toBe(EXIT.done);
    expect(shown.stderr).toContain(`warning: ${refusal}`);
    const used = await run(['key', 'create', 'boss', '--admin'], { env });
    expect(used.code).toBe(EXIT.usage);
    expect(used.stderr).toContain(refusal);
    const looked = await run(['doctor', '-o', 'json'], { env });
    expect(looked.code).toBe(EXIT.endedOtherwise);
    expect(looked.stdout).toContain(refusal);
    expect(JSON.stringify([shown, used, looked])).not.toContain('hidden');
  });
});
