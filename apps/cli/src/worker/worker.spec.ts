import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { JsonObject } from '#core';
import { run } from '../run-cli-spec.js';
import { StubGateway } from './stub-gateway-spec.js';

let gateway: StubGateway;
let folder: string;

beforeEach(async () => {
  gateway = await StubGateway.start();
  folder = await mkdtemp(path.join(tmpdir(), 'worker-'));
});
afterEach(async () => {
  await gateway.close();
  await rm(folder, { recursive: true });
});

/** Keeps this process from all else. */
const sleepSync = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** The outcome of an action that is carried out by a line of a shell. */
const shell = (line: string, item: JsonObject = {}) =>
  gateway.told(['--command', 'charge', '--dir', folder, '--', 'sh', '-c', line], item);

describe('the exit code of a program', () => {
  it('0 is a success, whose output is the last line that is a JSON object', async () => {
    const line = `echo '{"a": 1}'; echo '{"b": 2}'; echo '{no json}'; echo done`;
    expect(await shell(line)).toMatchObject({ kind: 'complete', body: { output: { b: 2 } } });
    expect(gateway.lines).toEqual(['{"a": 1}', '{no json}', 'done']);
  });

  it('0 is a success also where the folder of the attempt cannot be removed', async () => {
    // A file in the place of what holds the folder; nothing else keeps it from the superuser.
    const replaced = 'around=$(dirname "$BACKSTEP_DIR"); cd /; rm -r "$around"; : > "$around"';
    expect(await shell(`${replaced}; echo '{"a": 1}'`)).toMatchObject({
      kind: 'complete',
      body: { output: { a: 1 } },
    });
  });

  it('0 without such a line is a success without an output', async () => {
    const { body, kind } = await shell('true');
    expect([kind, body]).toEqual(['complete', {}]);
  });

  it('75 is a failure that may be tried again; the last line of standard error says why', async () => {
    expect(await shell('echo first >&2; echo "no room" >&2; exit 75')).toMatchObject({
      kind: 'fail',
      body: { retryable: true, code: 'EXIT_75', message: expect.stringContaining('75: no room') },
    });
  });

  it('comes after a last line that is cut between two characters', async () => {
    const { body } = await shell(`echo 'x${'\u{1f600}'.repeat(600)}' >&2; exit 75`);
    expect(body['message']).toMatch(/: x\u{1f600}+\.\.\.$/u);
  });

  it('any other is a failure for good', async () => {
    expect(await shell('echo "{}"; exit 3')).toMatchObject({
      kind: 'fail',
      body: { retryable: false, code: 'EXIT_3' },
    });
    expect(gateway.lines).toEqual(['{}']);
  });

  it('is none where a signal ended it, which may be tried again', async () => {
    expect(await shell('kill -9 $$')).toMatchObject({
      kind: 'fail',
      body: { retryable: true, code: 'KILLED' },
    });
  });

  it('is none where a signal ended it, and the flow forbids a second start', async () => {
    gateway.beat = { state: 'held', leaseMs: 30_000 };
    expect(await shell('kill -9 $$', { confirm: true })).toMatchObject({
      kind: 'fail',
      body: { retryable: false },
    });
  });
});

describe('the output of a program', () => {
  it('is taken from $BACKSTEP_OUTPUT where something was written there', async () => {
    const line = `echo '{"a": 1}'; echo '{"file": true}' > "$BACKSTEP_OUTPUT"`;
    expect(await shell(line)).toMatchObject({ body: { output: { file: true } } });
    expect(gateway.lines).toEqual(['{"a": 1}']);
  });

  it.each(['[1]', '{"a":1,"a":2}', '{'])('fails for good where that is %s', async (text) => {
    expect(await shell(`printf '%s' '${text}' > "$BACKSTEP_OUTPUT"`)).toMatchObject({
      kind: 'fail',
      body: { retryable: false, code: 'INVALID_OUTPUT' },
    });
  });

  it.each(['', ' > "$BACKSTEP_OUTPUT"'])(
    'fails for good where it is not UTF-8, as its texts would be lost: echo%s',
    async (place) => {
      const line = `printf '%b' '{"name":\n"M\\0374ller"}\n'${place}`;
      expect(await shell(`printf 'M\\374ller\\n'; ${line}`)).toMatchObject({
        kind: 'fail',
        body: { retryable: false, code: 'INVALID_OUTPUT' },
      });
      expect(gateway.lines[0]).toBe('M\ufffdller');
    },
  );

  it('is not read where that is larger than an output may be', async () => {
    expect(await shell('truncate -s 3G "$BACKSTEP_OUTPUT"')).toMatchObject({
      kind: 'fail',
      body: { retryable: false, code: 'OUTPUT_TOO_LARGE' },
    });
  });

  it('is read to its end, although the worker stood still as the program ended', async () => {
    const kill = process.kill.bind(process);
    const spy = jest.spyOn(process, 'kill').mockImplementation((id, signal) => {
      if (signal === 'SIGKILL') setImmediate(() => sleepSync(1_500));
      return kill(id, signal);
    });
    const output = { a: 'x'.repeat(200_000) };
    await writeFile(path.join(folder, 'large'), JSON.stringify(output));
    const { body } = await shell(`exec cat ${folder}/large`);
    spy.mockRestore();
    expect(body).toMatchObject({ output });
  });

  it('is that of its lines where a pipe is in the place of the file', async () => {
    const line = `mkfifo "$BACKSTEP_OUTPUT"; echo '{"a": 1}'`;
    expect(await shell(line)).toMatchObject({ body: { output: { a: 1 } } });
  });

  it.each([
    ['{\n  "a": [\n    {}\n  ],\n\n  "b": "{"\n}', []],
    ['{"a": [{}], "b":\n"{"} \nlast\n', ['last']],
    ['{"x": [\n{"a": [{}], "b": "{"}\n{"x": "', ['{"x": [', '{"x": "']],
    ['{"a": [{}],\n"b": "{"}\n[\n{\n"c": 1\n}\n]\n[ok]', ['[', '{', '"c": 1', '}', ']', '[ok]']],
  ])('may have several lines: %j', async (text, lines) => {
    expect(await shell(`echo '{"z":1}'; printf '%s' '${text}'`)).toMatchObject({
      body: { output: { a: [{}], b: '{' } },
    });
    expect(gateway.lines).toEqual(['{"z":1}', ...lines]);
  });

  it.each([
    ['{"user": "a", "password": "hidden"}', ['{"user":"a","password":"***"}']],
    ['{\n"user": "a",\n"password": "hidden"\n}', ['{"user":"a","password":"***"}']],
    ['{\n"user": "a",\n"password":\n"hidden"\n', ['{', '"user": "a",', '***']],
  ])('has no secret in the log where the program fails: %j', async (text, lines) => {
    const line = `echo '${text}'; exit 1`;
    const words = ['--command', 'charge', '--secret', 'password', '--', 'sh', '-c', line];
    await gateway.told(words);
    expect(gateway.lines).toEqual(lines);
    expect(gateway.seen[0]?.body).toMatchObject({
      modules: { shop: { charge: { secrets: ['password'] } } },
    });
  });
});

describe('what a program gets', () => {
  it('is the parameters on standard input, and plain ones as variables', async () => {
    const line =
      'cat; echo "$BACKSTEP_PARAM_CPU $BACKSTEP_PARAM_DISK_SIZE ${BACKSTEP_PARAM_TAGS-}"';
    const parameters = { cpu: 4, 'disk-size': 'ten', tags: ['a'], ok: true };
    const { body } = await shell(line, { parameters });
    expect(body).toMatchObject({ output: parameters });
    expect(gateway.lines).toEqual(['4 ten ']);
  });

  it('has no variable of two names that would share it', async () => {
    await shell('echo "${BACKSTEP_PARAM_A_B-none}"', { parameters: { 'a-b': 1, a_b: 2 } });
    expect(gateway.lines).toEqual(['none']);
  });

  it('has no more variables than a program can be started with, however long their names', async () => {
    const short = Array.from({ length: 70_000 }, (_, n) => [`n${n}`, n]);
    const long = [254, 200_000].map((length) => ['x'.repeat(length), 1]);
    const parameters = Object.fromEntries([...long, ...short]) as JsonObject;
    const line = 'env | grep -c PARAM_XXX; echo "$BACKSTEP_PARAM_N7"';
    expect(await shell(line, { parameters })).toMatchObject({ kind: 'complete' });
    expect(gateway.lines).toEqual(['0', '7']);
  });

  it('tells the action, and nothing of the keys of the worker', async () => {
    await shell('env | grep ^BACKSTEP_ | grep -v -e DIR= -e OUTPUT= | sort', {
      direction: 'rollback',
      forwardKey: 'key-0',
      forward: { state: 'unknown', output: null },
    });
    expect(gateway.lines).toEqual([
      'BACKSTEP_ATTEMPT=2',
      'BACKSTEP_COMMAND=charge',
      'BACKSTEP_DIRECTION=rollback',
      'BACKSTEP_FENCING_TOKEN=7',
      'BACKSTEP_FLOW=order',
      'BACKSTEP_FORWARD_KEY=key-0',
      'BACKSTEP_FORWARD_STATE=unknown',
      'BACKSTEP_IDEMPOTENCY_KEY=key-1',
      'BACKSTEP_MODULE=shop',
      'BACKSTEP_RUN=charge',
      'BACKSTEP_STEP=charge',
      'BACKSTEP_TASK_ID=task-1',
      'BACKSTEP_TIME_LEFT_MS=60000',
    ]);
  });

  it('has a folder of its own, which is removed after it', async () => {
    await shell('touch "$BACKSTEP_DIR/x"; ls "$BACKSTEP_DIR"');
    expect(gateway.lines).toEqual(['x']);
    expect(await readdir(folder)).toEqual([]);
  });

  it('is logged with time and host', async () => {
    const { body } = await shell('echo hello >&2');
    const [line] = body['log'] as { readonly message: string }[];
    expect(line?.message).toMatch(/^\[\d{4}-\d\d-\d\dT[\d:.]+Z\]\[.+\] hello$/);
  });
});

describe('the limits of a program', () => {
  const limited = (option: readonly string[], line: string, item: JsonObject = {}) => {
    return gateway.told(['--command', 'charge', ...option, '--', 'sh', '-c', line], item);
  };

  it('are its turn and its memory, also as parameters say', async () => {
    const { kind } = await limited(['--nice', '{% turn %}'], 'nice', { parameters: { turn: 7 } });
    // It adds to the turn of this process.
    const turn = Math.min(19, getPriority() + 7);
    expect([kind, gateway.lines]).toEqual(['complete', [String(turn)]]);
  });

  it('bound its address space', async () => {
    await limited(['--memory', '64Mi'], 'ulimit -v');
    expect(gateway.lines).toEqual(['65536']);
  });

  it.each([
    ['its own', ['--time-limit', '200ms'], {}],
    ["that of its step's attempt", [], { attemptTimeLeftMs: 200 }],
  ])('end it when its time is over, %s, whatever its exit code', async (_, option, item) => {
    const outcome = await limited(option, 'trap "exit 0" TERM; sleep 60 & wait', item);
    expect(outcome).toMatchObject({ kind: 'fail', body: { code: 'TIMED_OUT', retryable: true } });
  });

  it('fail it for good where parameters say none', async () => {
    const item = { parameters: { turn: 'last' } };
    expect(await limited(['--nice', '{% turn %}'], 'true', item)).toMatchObject({
      kind: 'fail',
      body: {
        code: 'INVALID_LIMIT',
        retryable: false,
        message: expect.stringContaining('0 to 19'),
      },
    });
  });
});

describe('a program that is called off', () => {
  it('gets SIGTERM, and SIGKILL with all its processes when its time is over', async () => {
    gateway.beat = { state: 'cancelled', reason: 'rolled_back', stopWithinMs: 300 };
    const pids = path.join(folder, 'pids');
    const line = `trap 'echo asked >&2' TERM; sleep 600 & echo "$! $$" > ${pids}; while :; do wait; done`;
    const { body, kind } = await shell(line, { leaseMs: 3_000 });
    expect([kind, body]).toMatchObject(['fail', { code: 'CANCELLED' }]);
    expect(gateway.lines).toEqual(['asked']);
    for (const pid of (await readFile(pids, 'utf8')).trim().split(' ')) {
      expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
    }
  });

  it('leaves that time to all its processes, also when the first of them has ended', async () => {
    gateway.beat = { state: 'cancelled', reason: 'rolled_back', stopWithinMs: 60_000 };
    const tidy = `trap 'sleep 0.5; echo tidied >&2; exit' TERM; while :; do sleep 0.05; done`;
    const { body, kind } = await shell(`(${tidy}) & sleep 600`, { leaseMs: 3_000 });
    expect([kind, body]).toMatchObject(['fail', { code: 'CANCELLED' }]);
    expect(gateway.lines).toContain('tidied');
  });
});

describe('a worker that is told to stop', () => {
  it('lets the program end, renews its lease meanwhile, and leaves with 0', async () => {
    const gate = path.join(folder, 'gate');
    const line = `until [ -e ${gate} ]; do sleep 0.05; done; echo '{"a": 1}'`;
    const told = gateway.told(['--command', `charge=${line}`], { leaseMs: 600 });
    await gateway.heard('heartbeat');
    gateway.stop();
    await gateway.heard('heartbeat');
    await writeFile(gate, '');
    expect(await told).toMatchObject({ kind: 'complete', body: { output: { a: 1 } } });
    expect((await gateway.ended).code).toBe(0);
    expect(gateway.seen.at(-1)?.kind).not.toBe('poll');
  });
});

describe('a wrong command line', () => {
  it('that only the gateway can know of is refused like others', async () => {
    gateway.refusal = { status: 400, code: 'INVALID_REQUEST' };
    gateway.start(['--command', 'a b=true'], null);
    expect((await gateway.ended).code).toBe(2);
  });

  it.each([
    [['--command', 'charge'], 'no program carries out charge'],
    [['--command', 'charge', '--', './not-there'], './not-there is no program that can be run'],
    [['--', 'true'], 'say with --command'],
    [['--command', 'a', '--command', 'a=true', '--', 'true'], '--command a is given twice'],
    [['--command', 'a', '--slots', '0', '--', 'true'], '--slots "0"'],
    [['--command', 'a', '--lease', 'x', '--', 'true'], '--lease "x"'],
    [['--command', 'a', '--lease', '9s', '--', 'true'], '--lease "9s" is not from 10s to 10m'],
    [['--command', 'a', '--lease', '11m', '--', 'true'], '--lease "11m" is not from'],
    [['--command', 'a=true', '--', 'true'], 'each --command has a line'],
    [['--command', 'a', '--nice', '20', '--', 'true'], '--nice "20": it is no whole number'],
    [['--command', 'a', '--memory', '2 GB', '--', 'true'], '--memory "2 GB": it is no size'],
    [['--command', 'a', '--memory', '{% 1 + %}', '--', 'true'], '--memory "{% 1 + %}": '],
    [['--command', 'a', '--time-limit', '0', '--', 'true'], '--time-limit "0"'],
    [['--command', 'a', '--dir', '/not/there', '--', 'true'], '/not/there cannot hold the folders'],
    [['--command', 'a', '--namespace', 'x', '--', 'true'], '--namespace is for --job-template'],
  ])('%j is refused', async (words, sentence) => {
    const env = { PATH: process.env['PATH'] };
    const { code, stderr } = await run(['worker', '--module', 'shop', ...words], { env });
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
  });
});
