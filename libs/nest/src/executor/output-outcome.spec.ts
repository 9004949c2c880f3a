import { describe, expect, it } from '@jest/globals';
import { jsonBound } from './json-bound.js';
import { outputOutcome } from './output-outcome.js';

const MAX = 1_000;

describe('an output', () => {
  it('is kept as it is where JSON would keep it', () => {
    const value = { a: 1, b: ['x', null, { c: true }], d: undefined };
    const outcome = outputOutcome(value, MAX);
    expect(outcome).toEqual({ kind: 'succeeded', output: value });
    expect((outcome as { output: unknown }).output).toBe(value);
  });

  it('becomes what JSON makes of it otherwise', () => {
    class Point {
      constructor(readonly x = 1) {}
    }
    const value = { at: new Date(0), point: new Point(), no: Number.NaN, list: [undefined] };
    expect(outputOutcome(value, MAX)).toEqual({
      kind: 'succeeded',
      output: { at: '1970-01-01T00:00:00.000Z', point: { x: 1 }, no: null, list: [null] },
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
});

describe('the bound of a JSON length', () => {
  it.each([
    [{}],
    [{ a: [], b: [[]], c: {} }],
    [{ a: '\u0000"\\\n', 'k\u0001': -1.7976931348623157e308 }],
    [{ a: [1, 'ü', '😀', true, false, null], b: { c: { d: 0.1 } } }],
  ])('is never too small: %j', (value) => {
    expect(jsonBound(value)).toBeGreaterThanOrEqual(Buffer.byteLength(JSON.stringify(value)));
  });
});
