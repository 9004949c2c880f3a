import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { Outcome } from '#core';
import { failureOutcome } from './failure-outcome.js';
import { LookAgain } from './complete-later.js';
import { outputOutcome } from './output-outcome.js';

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
    expect(outcome).toMatchObject({ kind: 'failed', terminal: true, failure: 'FAILED' });
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
