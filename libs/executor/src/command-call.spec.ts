import { Readable } from 'node:stream';
import { describe, expect, it, jest } from '@jest/globals';
import { Logger, Module, type NestInterceptor, UseInterceptors } from '@nestjs/common';
import * as fc from 'fast-check';
import { NEVER, Observable } from 'rxjs';
import type { Outcome } from '#core';
import type { CommandContext as PortContext } from '#ports';
import { commandContext, Gate, ManualClock, settle } from '#testing';
import { LookAgain } from './complete-later.js';
import { failureOutcome } from './failure-outcome.js';
import {
  Command,
  type CommandContext,
  createExecutorApp,
  Executor,
  ExecutorServer,
} from './index.js';
import { ABORT_GRACE_MS, outputOutcome } from './command-call.js';

Logger.overrideLogger(false);

class PassOn implements NestInterceptor {
  intercept: NestInterceptor['intercept'] = (_context, next) => next.handle();
}

let gate = new Gate<object>();
const torn = jest.fn();

@Executor('slow')
class SlowExecutor {
  @Command('wait')
  wait(): Promise<object> {
    return gate.passed;
  }

  @Command('wait_behind')
  @UseInterceptors(PassOn)
  waitBehind(): Promise<object> {
    return gate.passed;
  }

  @Command('obey')
  obey(_parameters: object, { signal }: CommandContext): Promise<object> {
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve({ cleaned: String(signal.reason) }));
    });
  }

  @Command('stream')
  stream() {
    return new Observable<object>(() => torn);
  }

  @Command('bad_end')
  badEnd() {
    return new Observable<object>(() => () => {
      throw new Error('cannot be closed');
    });
  }

  @Command('hostile_behind')
  @UseInterceptors(PassOn)
  hostileBehind(): object {
    return Object.defineProperty({}, 'a', {
      enumerable: true,
      get: () => {
        throw new Error('not loaded');
      },
    });
  }

  @Command('throws_hostile')
  throwsHostile(): never {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    throw proxy;
  }

  @Command('revoked')
  revoked(): object {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  }

  @Command('never')
  never() {
    return NEVER;
  }
}

interface Trial {
  readonly clock: ManualClock;
  readonly outcome: Promise<Outcome>;
  readonly left: Promise<void>[];
  abort(reason: Error): void;
}

async function start(command: string, times: Partial<PortContext> = {}): Promise<Trial> {
  @Module({ controllers: [SlowExecutor] })
  class App {}
  gate = new Gate();
  torn.mockClear();
  const clock = new ManualClock();
  const server = new ExecutorServer({ clock });
  const app = await createExecutorApp(App, server);
  await app.init();
  const controller = new AbortController();
  const context = commandContext({ ...within60s(clock), ...times, signal: controller.signal });
  const left: Promise<void>[] = [];
  const handler = server.find('slow', command) as {
    run(context: PortContext, onLeft: (ended: Promise<void>) => void): Promise<Outcome>;
  };
  const outcome = handler.run(context, (ended) => left.push(ended));
  await settle();
  return { clock, outcome, left, abort: (reason) => controller.abort(reason) };
}

function within60s(clock: ManualClock): Partial<PortContext> {
  const attemptDeadline = clock.now() + 10_000;
  const timeLeft = () => attemptDeadline - clock.monotonic();
  return { attemptDeadline, deadline: clock.now() + 60_000, timeLeft };
}

describe('the time of a command', () => {
  it('is over at the end of the attempt: another one may do better', async () => {
    const { clock, outcome } = await start('wait');
    await clock.advance(10_000);
    const message = 'no result within 10 s';
    const failure = 'TIMED_OUT';
    expect(await outcome).toEqual({ kind: 'failed', terminal: false, failure, message });
  });

  it('is over for good at the end of all attempts', async () => {
    const deadline = new ManualClock().now() + 10_000;
    const whole = { deadline, attemptDeadline: deadline };
    const first = await start('wait', { ...whole, attempt: 1 });
    await first.clock.advance(10_000);
    expect(await first.outcome).toEqual({
      kind: 'timed_out',
      message: 'no result: its 10 s are over',
    });
    const second = await start('wait', { ...whole, attempt: 2 });
    await second.clock.advance(10_000);
    expect(await second.outcome).toEqual({
      kind: 'timed_out',
      message: 'no result: the time for all attempts is over, 10 s into this one',
    });
  });

  it('does not matter to a result that is in before', async () => {
    const { clock, outcome, left } = await start('wait');
    await clock.advance(9_999);
    gate.open({ done: true });
    expect(await outcome).toEqual({ kind: 'succeeded', output: { done: true } });
    expect(clock.timers).toBe(0);
    await clock.advance(60_000);
    expect(left).toEqual([]);
  });

  it.each(['wait', 'wait_behind'])('being over, tells when the command ends: %s', async (name) => {
    const { clock, outcome, left } = await start(name);
    await clock.advance(10_000);
    expect(await outcome).toMatchObject({ failure: 'TIMED_OUT' });
    expect(left).toHaveLength(1);
    const ended = jest.fn();
    void left[0]?.then(ended);
    await settle();
    expect(ended).not.toHaveBeenCalled();
    gate.open({});
    await settle();
    expect(ended).toHaveBeenCalled();
  });

  it('being over, ends a stream and leaves nothing behind', async () => {
    const { clock, outcome, left } = await start('stream');
    await clock.advance(10_000);
    expect(await outcome).toMatchObject({ failure: 'TIMED_OUT' });
    expect(torn).toHaveBeenCalled();
    expect(left).toEqual([]);
  });
});

describe('an aborted command', () => {
  it('answers by itself if it obeys', async () => {
    const { abort, outcome } = await start('obey');
    abort(new Error('called off'));
    expect(await outcome).toEqual({ kind: 'succeeded', output: { cleaned: 'Error: called off' } });
  });

  it.each(['wait', 'wait_behind'])('is not waited for if it does not: %s', async (command) => {
    const { abort, clock, left, outcome } = await start(command);
    abort(new Error('called off'));
    await clock.advance(ABORT_GRACE_MS);
    expect(await outcome).toEqual({ kind: 'handed_back', message: 'called off' });
    expect(left).toHaveLength(1);
  });

  it('that is a stream is ended at once', async () => {
    const { abort, outcome } = await start('stream');
    abort(new Error('called off'));
    expect(await outcome).toEqual({ kind: 'handed_back', message: 'called off' });
    expect(torn).toHaveBeenCalled();
  });

  it('is seen although the abort came in the turn it began in', async () => {
    const { abort, clock, outcome } = await start('never');
    abort(new Error('called off'));
    await settle();
    expect(await outcome).toMatchObject({ kind: 'handed_back' });
    expect(clock.timers).toBe(0);
  });
});

describe('what an author’s code throws where nobody waits', () => {
  it.each([
    ['hostile_behind', 'the output cannot be read: not loaded'],
    ['revoked', 'the output cannot be read: '],
    ['throws_hostile', 'the error cannot be read: '],
  ])('is the outcome of the attempt: %s', async (command, message) => {
    const { outcome } = await start(command);
    expect(await outcome).toMatchObject({
      kind: 'failed',
      terminal: true,
      failure: 'FAILED',
      message: expect.stringContaining(message) as unknown,
    });
  });

  it('is passed over at the end of a stream that nobody follows any more', async () => {
    const { clock, left, outcome } = await start('bad_end');
    await clock.advance(10_000);
    expect(await outcome).toMatchObject({ failure: 'TIMED_OUT' });
    expect(left).toEqual([]);
  });
});

const MAX = 1_000;

/** Longer than memory, and empty. */
const LONG: unknown[] = [];

LONG.length = 4_000_000_000;

function fail(): never {
  throw new Error('not loaded');
}

/** Values that throw when they are read. */
const HOSTILE: Readonly<Record<string, () => unknown>> = {
  getter: () => Object.defineProperty({}, 'a', { enumerable: true, get: fail }),
  message: () => Object.defineProperty({}, 'message', { enumerable: true, get: fail }),
  'getter far inside': () => ({
    a: [{ b: Object.defineProperty({}, 'a', { enumerable: true, get: fail }) }],
  }),
  'to JSON': () => ({ toJSON: fail }),
  'hidden to JSON': () => Object.defineProperty({}, 'toJSON', { get: fail }),
  proxy: () => new Proxy({}, { get: fail, getPrototypeOf: fail, ownKeys: fail }),
  revoked: () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
  'big integer': () => ({ a: 1n }),
  cycle: () => {
    const value: Record<string, unknown> = {};
    value['self'] = value;
    return value;
  },
  'without end': () => {
    const grow = (): object => new Proxy({ a: 1 }, { get: (_, key) => (key === 'a' ? grow() : 0) });
    return grow();
  },
};

function namedNothing(_: unknown, index: number): [string, undefined] {
  return [`m${index}`, undefined];
}

describe('an output', () => {
  it('is a copy, which the command cannot change any more', () => {
    const value = { a: 1, b: ['x', null, { c: true }] };
    const outcome = outputOutcome(value, MAX);
    value.b.push('later');
    expect(outcome).toEqual({ kind: 'succeeded', output: { a: 1, b: ['x', null, { c: true }] } });
  });

  it('becomes what JSON makes of it otherwise', () => {
    class Point {
      constructor(readonly x = 1) {}
    }
    const value = { at: new Date(0), point: new Point(), no: undefined, list: [undefined] };
    expect(outputOutcome(value, MAX)).toEqual({
      kind: 'succeeded',
      output: { at: '1970-01-01T00:00:00.000Z', point: { x: 1 }, list: [null] },
    });
  });

  it.each([
    ['a list', [1]],
    ['text', 'x'],
    ['a number', 1],
    ['a function', () => 1],
    ['a date', new Date(0)],
    ['a big integer', { a: 1n }],
  ])('that is %s is refused for good', (_name, value) => {
    expect(outputOutcome(value, MAX)).toMatchObject({ kind: 'failed', terminal: true });
  });

  it.each<[string, unknown]>([
    ['NaN', Number.NaN],
    ['Infinity', Infinity],
    ['a BigInt', 1n],
    ['a function', () => 1],
    ['a symbol', Symbol('x')],
    ['a promise: await it', Promise.resolve(1)],
    ['a Map', new Map([['a', 1]])],
    ['a Set', new Set([1])],
    ['an Error', new RangeError('x')],
    ['bytes', new Uint8Array(2)],
    ['an ArrayBuffer', new ArrayBuffer(2)],
    ['an object whose content', new WeakMap()],
    ['an object whose content', new Blob(['x'])],
    ['an object whose content', new Response('x')],
    ['an iterator', new Headers({ a: 'b' })],
    ['an iterator', new URLSearchParams('a=b')],
    ['an iterator', [1].values()],
    ['a stream', Readable.from(['x'])],
    ['a stream', (async function* () {})()],
    ['a regular expression', /x/],
  ])('that has %s anywhere is refused for good, by name', (what, value) => {
    const refused = { kind: 'failed', terminal: true, failure: 'FAILED' };
    const message = expect.stringContaining(`member \`price\` is ${what.split(' ')[0]}`);
    for (const output of [{ price: value }, { a: [{ price: value }] }]) {
      expect(outputOutcome(output, MAX)).toMatchObject({ ...refused, message });
      expect(outputOutcome(output, MAX)).toMatchObject({ message: expect.stringContaining(what) });
    }
    expect(outputOutcome({ a: [value] }, MAX)).toMatchObject(refused);
    expect(outputOutcome(value, MAX)).toMatchObject(refused);
  });

  it('that holds itself is refused for good', () => {
    const value: Record<string, unknown> = {};
    value['self'] = value;
    expect(outputOutcome(value, MAX)).toMatchObject({ terminal: true, failure: 'FAILED' });
  });

  it('is measured in bytes, and only where it may be too large', () => {
    const fits = { text: 'ü'.repeat(494) };
    expect(Buffer.byteLength(JSON.stringify(fits))).toBe(999);
    expect(outputOutcome(fits, MAX)).toMatchObject({ kind: 'succeeded' });
    const large = { text: 'ü'.repeat(495) };
    expect(outputOutcome(large, MAX)).toMatchObject({ failure: 'OUTPUT_TOO_LARGE' });
  });

  it('is what JSON makes of it, whatever it is made of', () => {
    const odd = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(undefined, -0, new Date(0), Object(1), Object('x'), Buffer.from('x')),
    );
    const output = fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), odd);
    fc.assert(
      fc.property(output, (value) => {
        const text = JSON.stringify(value);
        const bytes = Buffer.byteLength(text);
        const written: unknown = JSON.parse(text);
        expect(outputOutcome(value, bytes)).toEqual({ kind: 'succeeded', output: written });
        expect(outputOutcome(value, bytes - 1)).toMatchObject({ failure: 'OUTPUT_TOO_LARGE' });
      }),
      { numRuns: 300 },
    );
  });

  it('has each member read once', () => {
    let reads = 0;
    const value = {
      get seat() {
        reads += 1;
        return reads;
      },
    };
    expect(outputOutcome(value, MAX)).toEqual({ kind: 'succeeded', output: { seat: 1 } });
    expect(reads).toBe(1);
  });

  it.each([
    ['a text', { a: 'x'.repeat(64 * 1_048_576) }],
    ['a name', { ['x'.repeat(1_048_576)]: 1 }],
    ['a buffer', { a: Buffer.alloc(512 * 1_048_576) }],
    ['a list', { a: { length: 0, toJSON: () => LONG } }],
    ['members that leave nothing', Object.fromEntries(Array.from({ length: 2_000 }, namedNothing))],
  ])('is left at the limit: %s', (_name, value) => {
    expect(outputOutcome(value, MAX)).toMatchObject({ failure: 'OUTPUT_TOO_LARGE' });
  });

  it.each([Number.NaN, -1, Infinity])('that asks to look again after %s is refused', (afterMs) => {
    expect(outputOutcome(new LookAgain(afterMs), MAX)).toMatchObject({ terminal: true });
  });
});

describe('what cannot be read', () => {
  it.each(Object.entries(HOSTILE))('is a failure for good as an output: %s', (_name, make) => {
    const outcome = outputOutcome(make(), MAX);
    expect(outcome).toMatchObject({ kind: 'failed', terminal: true, error: 'INVALID_OUTPUT' });
    expect((outcome as { message: string }).message).toMatch(/^the output cannot be read: /);
  });

  it.each(['message', 'proxy', 'revoked'])('is a failure for good as an error: %s', (name) => {
    const outcome = failureOutcome(HOSTILE[name]?.());
    expect(outcome).toMatchObject({ kind: 'failed', terminal: true, failure: 'FAILED' });
    expect((outcome as { message: string }).message).toMatch(/^the error cannot be read: /);
  });

  it('has an outcome wherever it lies, as an output and as an error', () => {
    const names = fc.constantFrom(...Object.keys(HOSTILE));
    const path = fc.array(fc.oneof(fc.constant(0), fc.string()), { maxLength: 6 });
    fc.assert(
      fc.property(names, path, fc.anything({ withBigInt: true }), (name, keys, beside) => {
        // Made here: the generator itself would look at it.
        let given: unknown = HOSTILE[name]?.();
        for (const key of keys) given = key === 0 ? [beside, given] : { beside, [key]: given };
        const outcomes: Outcome[] = [given, beside].flatMap((value) => [
          outputOutcome(value, MAX),
          failureOutcome(value),
        ]);
        for (const outcome of outcomes) {
          expect(JSON.parse(JSON.stringify(outcome))).toEqual(outcome);
        }
      }),
      { numRuns: 500 },
    );
  });
});
