import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createAbort } from './within-limit.js';
import { SystemClock } from './system-clock.js';
import { SystemEntropy } from './system-entropy.js';

const DAY_MS = 24 * 3_600_000;

describe('the system clock', () => {
  const clock = new SystemClock();

  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  it('fires once, after more days than a timer can hold', () => {
    const fire = jest.fn();
    clock.after(100 * DAY_MS, fire);
    jest.advanceTimersByTime(100 * DAY_MS - 1);
    expect(fire).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(fire).toHaveBeenCalledTimes(1);
    expect(jest.getTimerCount()).toBe(0);
  });

  it.each([10, 100 * DAY_MS])('does not fire when called off: %d ms', (ms) => {
    const fire = jest.fn();
    const timer = clock.after(ms, fire);
    jest.advanceTimersByTime(ms - 1);
    timer.cancel();
    timer.cancel();
    jest.advanceTimersByTime(ms);
    expect(fire).not.toHaveBeenCalled();
  });

  it('sleeps, and wakes up at once when the signal aborts', async () => {
    const abort = createAbort();
    const slept = clock.sleep(1_000, abort.signal);
    abort.abort(new Error('enough'));
    await slept;
    await clock.sleep(1_000, abort.signal);
    const whole = clock.sleep(1_000);
    jest.advanceTimersByTime(1_000);
    await whole;
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('an abort', () => {
  it('keeps its first reason, whenever the signal is asked for', () => {
    const early = createAbort();
    const { signal } = early;
    early.abort(new Error('first'));
    early.abort(new Error('second'));
    expect(signal).toMatchObject({ aborted: true, reason: new Error('first') });
    const late = createAbort();
    late.abort(new Error('first'));
    late.abort(new Error('second'));
    expect(late.signal).toMatchObject({ aborted: true, reason: new Error('first') });
    expect(createAbort().signal).toBeInstanceOf(AbortSignal);
  });
});

describe('the system entropy', () => {
  it('gives ids that grow with time, also within a millisecond', () => {
    const entropy = new SystemEntropy();
    const ids = Array.from({ length: 1_000 }, () => entropy.newId());
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(1_000);
  });

  it('gives ids that grow while the clock goes back', () => {
    jest.useFakeTimers({ now: 1_000_000 });
    const entropy = new SystemEntropy();
    const before = entropy.newId();
    jest.setSystemTime(999_000);
    const after = entropy.newId();
    jest.useRealTimers();
    expect(after > before).toBe(true);
    expect(after.slice(-8)).not.toBe(before.slice(-8));
  });

  it('gives the id of a text, which is the same every time and in every process', () => {
    const ids = ['a', 'b'].map((text) => new SystemEntropy().idOf(text));
    expect(ids).toEqual([
      'ca978112-ca1b-8dca-bac2-31b39a23dc4d',
      '3e23e816-0039-894a-b389-4f6564e1b134',
    ]);
    const place = { at: 1_795_254_391_000, number: 7 };
    const placed = new SystemEntropy().idOf('a', place);
    expect(placed).toBe(new SystemEntropy().idOf('a', place));
    expect(placed).not.toBe(new SystemEntropy().idOf('b', place));
  });

  it('puts ids of one time side by side, in the order of their numbers', () => {
    const entropy = new SystemEntropy();
    const at = Date.now();
    const numbers = [0, 1, 63, 64, 4_095, 4_096, 99_999, 262_143];
    const idAt = (time: number, number: number): string =>
      entropy.idOf(`text ${number}`, { at: time, number });
    const ids = [at - 1, at, at + 1].flatMap((time) => numbers.map((n) => idAt(time, n)));
    expect([...ids].sort()).toEqual(ids);
    expect(ids.every((id) => /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-/.test(id))).toBe(
      true,
    );
    expect(entropy.idOf('text', { at: at + 0.7 })).toBe(entropy.idOf('text', { at, number: 0 }));
  });
});
