import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { ManualClock } from '#testing';
import { fuzzBudget } from '../../../../test/fuzz/budget.js';
import { HARMLESS_MS, ServerClock } from './server-clock.js';

const HOUR_MS = 3_600_000;

/** A machine on which it is `now`, and a clock that was right when it was made. */
function world(offset = HOUR_MS) {
  const machine = new ManualClock();
  const start = machine.monotonic();
  const clock = new ServerClock(machine, { offset, error: 1 });
  const since = (): number => clock.now() - start - HOUR_MS;
  return { clock, machine, since };
}

describe('the server’s clock', () => {
  it('does not see what is done to the machine’s time of day', async () => {
    const { machine, since } = world();
    machine.misset(-24 * HOUR_MS);
    expect(since()).toBe(0);
    await machine.advance(500);
    expect(since()).toBe(500);
  });

  it('stays as it is where the measurement allows it', () => {
    const { clock, since } = world();
    expect(clock.correct({ offset: HOUR_MS + 30, error: 30 })).toBe(0);
    expect(clock.correct({ offset: HOUR_MS - 30, error: 30 })).toBe(0);
    expect(since()).toBe(0);
  });

  it('goes forward by what is proven', () => {
    const { clock, since } = world();
    expect(clock.correct({ offset: HOUR_MS + 30, error: 10 })).toBe(0);
    expect(since()).toBe(20);
  });

  it('stands still where it is a little ahead, until it is right', async () => {
    const { clock, machine, since } = world();
    expect(clock.correct({ offset: HOUR_MS - 30, error: 10 })).toBe(0);
    expect(since()).toBe(0);
    await machine.advance(19);
    expect(since()).toBe(0);
    await machine.advance(2);
    expect(since()).toBe(1);
  });

  it.each([1, -1])('jumps at once by more than is harmless: %d', async (sign) => {
    const { clock, machine, since } = world();
    const jump = sign * 2 * HOUR_MS;
    expect(clock.correct({ offset: HOUR_MS + jump, error: 10 })).toBe(jump);
    expect(since()).toBe(jump);
    await machine.advance(7);
    expect(since()).toBe(jump + 7);
  });

  it('does not jump for a difference that a slow line may have made', () => {
    const { clock, since } = world();
    const error = 2_000;
    expect(clock.correct({ offset: HOUR_MS + error + HARMLESS_MS - 1, error })).toBe(0);
    expect(since()).toBe(HARMLESS_MS - 1);
  });

  it('does not go back for harmless corrections, and ends within the error of the last', async () => {
    const correction = fc.record({
      difference: fc.double({ min: -900, max: 900, noNaN: true }),
      error: fc.double({ min: 0, max: 500, noNaN: true }),
      afterMs: fc.integer({ min: 0, max: 300 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(correction, { maxLength: 20 }), async (corrections) => {
        const { clock, machine } = world(0);
        let [told, truth] = [clock.now(), 0];
        for (const { afterMs, difference, error } of corrections) {
          truth = Math.max(-400, Math.min(400, difference));
          clock.correct({ offset: truth, error });
          expect(clock.now()).toBeGreaterThanOrEqual(told);
          await machine.advance(afterMs);
          expect(clock.now()).toBeGreaterThanOrEqual(told);
          told = clock.now();
        }
        const { error = 1 } = corrections.at(-1) ?? {};
        await machine.advance(2 * HARMLESS_MS);
        expect(Math.abs(clock.now() - machine.monotonic() - truth)).toBeLessThanOrEqual(error + 1);
      }),
      fuzzBudget(200),
    );
  });
});
