import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { FlowVersion, JsonObject } from '#core';
import { ProcessUnavailable } from '#ports';
import { flow, ManualClock } from '#testing';
import { CheckerBusy, CheckTooCostly } from './protocol.js';
import { FlowChecker } from './flow-checker.js';

const OWN_TIME = new URL(
  '../../../../dist/libs/expressions/src/bounded/own-time.js',
  import.meta.url,
);

/** A process that answers with the text of the question, or does what that says. */
const OBEDIENT = `
  import { watchOwnTime } from '${OWN_TIME.href}';
  const say = (kind, rest) => process.send({ kind, ...rest });
  const ownTime = watchOwnTime(1_000, () => say('ready'));
  process.on('message', ({ text }) => {
    ownTime.begin();
    if (text === 'spin') for (;;);
    if (text === 'sleep') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
    if (text === 'grow') for (const all = []; ; ) all.push(Array(1e6).fill(0.5));
    if (text === 'fail') process.exit(9);
    if (text?.startsWith('process')) say('answer', { value: process.pid });
    else if (text === 'refuse') say('failed', { message: 'no' });
    else say('answer', { value: text });
    ownTime.end();
  });
`;

const STEPS = '[{"normal":{"module":"m","command":"c"}}]';

let clock: ManualClock;
let checker: FlowChecker;

beforeEach(() => {
  clock = new ManualClock();
  checker = new FlowChecker({ clock });
});

afterEach(() => checker.stop());

function version(input: JsonObject | null): FlowVersion {
  return { definition: flow([], { input }), version: 1, hash: 'h', createdAt: 0 };
}

describe('an output', () => {
  const schema = { properties: { list: { items: { type: 'integer' } } }, required: ['list'] };

  it('has the same problems whether it is small or large', async () => {
    expect(checker.checkOutput(schema, { list: [1], more: true })).toEqual([]);
    const closed = { ...schema, additionalProperties: false };
    const message = expect.stringContaining('The output cannot have a member');
    for (const size of [1, 20_000]) {
      const list = Array.from({ length: size }, () => 1);
      expect(await checker.checkOutput(schema, { more: list })).toMatchObject([
        { pointer: '/list', message: '`list` is missing.' },
      ]);
      const found = await checker.checkOutput(closed, { list, more: true });
      expect(found).toMatchObject([{ pointer: '/more', message }]);
    }
  });
});

describe('parameters', () => {
  const list = version({ properties: { list: { items: { type: 'integer' } } } });

  it('that are small are checked at once', () => {
    expect(checker.checkInput(list, { list: [1, 2] })).toEqual([]);
    expect(checker.checkInput(list, { list: ['x'] })).toMatchObject([{ pointer: '/list/0' }]);
    expect(checker.checkInput(version(null), { anything: 'goes' })).toEqual([]);
  });

  it('that are large are checked by a process, with the same result', async () => {
    const good = checker.checkInput(list, { list: Array(20_000).fill(1) });
    const bad = checker.checkInput(list, { list: [...Array(20_000).keys(), 'x'] });
    expect(good).toBeInstanceOf(Promise);
    expect(await good).toEqual([]);
    expect(await bad).toMatchObject([{ pointer: '/list/20000' }]);
  });

  it('that are costly are checked by a process however small they are', async () => {
    const pattern = '^[a-z]{1,900}$';
    const costly = version({ patternProperties: { [pattern]: { pattern } } });
    const checking = checker.checkInput(costly, { a: 'a'.repeat(500) });
    expect(checking).toBeInstanceOf(Promise);
    expect(await checking).toEqual([]);
  });

  it('of many requests at once are spread over turns of the event loop', async () => {
    const enumeration = Array.from({ length: 1_000 }, (_, i) => i);
    const some = version({ properties: { list: { items: { enum: enumeration } } } });
    const all = Array.from({ length: 20 }, () =>
      checker.checkInput(some, { list: Array(500).fill(1) }),
    );
    expect(all.filter((each) => each instanceof Promise).length).toBeGreaterThan(0);
    for (const each of all) expect(await each).toEqual([]);
  });
});

describe('a flow file', () => {
  it('is checked by a process, with the commands that are known', async () => {
    const known = { modules: () => ['m'], commands: () => ['d'] };
    expect(await checker.checkFile(`{"f":${STEPS}}`)).toMatchObject({ valid: true });
    expect(await checker.checkFile(`{"f":${STEPS}}`, { commands: known })).toMatchObject({
      problems: [{ code: 'UNKNOWN_COMMAND' }],
    });
  });

  it('is checked with what the commands take', async () => {
    const schema = { properties: { cpu: { type: 'integer' } } };
    const commands = { modules: () => ['m'], commands: () => ['c'], schemas: () => [schema] };
    const step = { normal: { module: 'm', command: 'c', parameters: { cpu: 'two' } } };
    expect(await checker.checkFile(JSON.stringify({ f: [step] }), { commands })).toMatchObject({
      problems: [{ code: 'WRONG_CONSTANT', pointer: '/f/0/normal/parameters/cpu' }],
    });
  });
});

describe('the process', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'backstep-checks-'));
    writeFileSync(path.join(folder, 'obedient.mjs'), OBEDIENT);
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  beforeEach(() => {
    const workerUrl = pathToFileURL(path.join(folder, 'obedient.mjs'));
    checker = new FlowChecker({ clock, workerUrl });
  });

  it('is replaced when a check takes more than a second of the processor', async () => {
    const slow = checker.checkFile('spin');
    const next = checker.checkFile('next');
    await expect(slow).rejects.toThrow(CheckTooCostly);
    expect(await next).toBe('next');
  });

  it('has all the time that it needs where others have the processor', async () => {
    expect(await checker.checkFile('sleep')).toBe('sleep');
  });

  it('is replaced when a check takes too much memory', async () => {
    await expect(checker.checkFile('grow')).rejects.toThrow(CheckTooCostly);
    expect(await checker.checkFile('next')).toBe('next');
  });

  it('is replaced when it breaks, which is not the fault of what it checked', async () => {
    const broken = checker.checkFile('fail');
    await expect(broken).rejects.toThrow(ProcessUnavailable);
    await expect(broken).rejects.toThrow('it ended with 9');
    await expect(checker.checkFile('refuse')).rejects.toThrow('the check failed: no');
    expect(await checker.checkFile('next')).toBe('next');
  });

  it('that ends while it starts is started again for the next check', async () => {
    const code = path.join(folder, 'broken.mjs');
    writeFileSync(code, 'process.exit(3);');
    const broken = new FlowChecker({ clock, workerUrl: pathToFileURL(code) });
    for (let n = 0; n < 2; n += 1) {
      await expect(broken.checkFile('a')).rejects.toThrow(ProcessUnavailable);
    }
    await broken.stop();
  });

  it('that the machine has no room for leaves no check waiting', async () => {
    const { execPath } = process;
    process.execPath = 'bad\0path';
    const both = await Promise.allSettled([checker.checkFile('a'), checker.checkFile('b')]);
    process.execPath = execPath;
    expect(both.map((each) => each.status === 'rejected' && each.reason)).toEqual([
      expect.any(ProcessUnavailable),
      expect.any(ProcessUnavailable),
    ]);
    expect(await checker.checkFile('next')).toBe('next');
  });

  it('has only so many checks waiting, and none of them for long', async () => {
    const first = checker.checkFile('first');
    const waiting = Array.from({ length: 16 }, () => checker.checkFile('late'));
    await expect(checker.checkFile('too many')).rejects.toThrow(CheckerBusy);
    const [late, outcomes] = [clock.advance(10_001), Promise.allSettled(waiting)];
    await late;
    expect(await first.catch(() => 'ended')).toBeDefined();
    const refused = (await outcomes).filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(16);
  });

  it('of drafts is another one than that of tasks, and ends with the request', async () => {
    const input = version({ properties: { list: { items: { type: 'integer' } } } });
    const large = { list: Array(20_000).fill(1) };
    const request = new AbortController();
    const slow = checker.checkFile('spin', {}, request.signal);
    const queued = checker.checkFile('next', {}, request.signal);
    const patient = checker.checkFile('patient');
    // This process answers with the text of a question, which parameters have not.
    expect(await checker.checkInput(input, large)).toBeUndefined();
    request.abort();
    await expect(slow).rejects.toThrow(CheckerBusy);
    await expect(queued).rejects.toThrow(CheckerBusy);
    await expect(checker.checkFile('late', {}, request.signal)).rejects.toThrow(CheckerBusy);
    expect(await patient).toBe('patient');
  });

  it('checks parameters turn by turn over flows', async () => {
    const said: string[] = [];
    const check = async (name: string): Promise<void> => {
      const order = { ...version({ properties: {} }) };
      const named = { ...order, definition: { ...order.definition, name } };
      await checker.checkInput(named, { list: Array(20_000).fill(1) });
      said.push(name);
    };
    await Promise.all(['a', 'a', 'a', 'b'].map(check));
    expect(said.indexOf('b')).toBeLessThan(3);
  });

  it('ends when it had nothing to do for ten seconds', async () => {
    const first = await checker.checkFile('process');
    await clock.advance(9_000);
    expect(await checker.checkFile('process')).toBe(first);
    await clock.advance(10_001);
    expect(clock.timers).toBe(0);
    expect(await checker.checkFile('process')).not.toBe(first);
  });

  it('ends with a large text, whose memory it would keep', async () => {
    const first = await checker.checkFile(`process${' '.repeat(250_000)}`);
    expect(await checker.checkFile(`process${' '.repeat(270_000)}`)).toBe(first);
    expect(await checker.checkFile('process')).not.toBe(first);
  });

  it('refuses what waits when it is stopped', async () => {
    const both = [checker.checkFile('spin'), checker.checkFile('next')];
    const outcomes = Promise.allSettled(both);
    await Promise.all([checker.stop(), checker.stop()]);
    expect(await outcomes).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
  });
});
