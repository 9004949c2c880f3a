import { describe, expect, it } from '@jest/globals';
import type { WaitingLine } from '#ports';
import { ManualClock, settle } from '#testing';
import { Slots } from './slots.js';

/** A line of messages in which one with this order time comes next. */
class Line implements WaitingLine {
  served = 0;

  constructor(public nextAt: number) {}

  serve(): void {
    this.served += 1;
  }
}

function open(limit: number, line?: Line) {
  const clock = new ManualClock();
  const slots = new Slots(limit, clock);
  if (line !== undefined) slots.places('m').join(line);
  return { clock, slots };
}

describe('the slots of a module', () => {
  it('are as many as the limit says, for each module', () => {
    const { slots } = open(2);
    expect([1, 2, 3].map((at) => slots.tryTake('m', at))).toEqual([true, true, false]);
    expect(slots.tryTake('n', 9)).toBe(true);
    expect([slots.inUse('m'), slots.inUse('n'), slots.inUse('x')]).toEqual([2, 1, 0]);
  });

  it('are not for what goes after something that waits', () => {
    const line = new Line(50);
    const { slots } = open(2, line);
    expect(slots.tryTake('m', 51)).toBe(false);
    expect(slots.tryTake('m', 50)).toBe(true);
    line.nextAt = Infinity;
    expect(slots.tryTake('m', 51)).toBe(true);
  });

  it('pass to a follow-up, but not past something that goes before it', () => {
    const line = new Line(50);
    const { slots } = open(1, line);
    slots.takeAnyway('m');
    expect(slots.mayPass('m', 51)).toBe(false);
    expect(slots.mayPass('m', 50)).toBe(true);
    expect(slots.inUse('m')).toBe(1);
  });

  it('over the limit are not given to a line', () => {
    const line = new Line(50);
    const { slots } = open(1, line);
    slots.takeAnyway('m');
    slots.takeAnyway('m');
    slots.release('m');
    expect(line.served).toBe(0);
    slots.release('m');
    expect(line.served).toBe(1);
  });

  it('go to those that wait by their order times', async () => {
    const { slots } = open(1);
    slots.takeAnyway('m');
    const got: number[] = [];
    for (const at of [30, 10, 20, 10.5]) {
      void slots.take('m', at, 1_000).then((isTaken) => isTaken && got.push(at));
    }
    expect(slots.mayPass('m', 10.2)).toBe(false);
    for (let n = 0; n < 4; n += 1) {
      slots.release('m');
      await settle();
    }
    expect(got).toEqual([10, 10.5, 20, 30]);
    expect(slots.inUse('m')).toBe(1);
  });

  it('are waited for no longer than told', async () => {
    const { clock, slots } = open(1);
    slots.takeAnyway('m');
    const waited = slots.take('m', 1, 200);
    await clock.advance(200);
    expect(await waited).toBe(false);
    slots.release('m');
    expect([slots.inUse('m'), clock.timers]).toEqual([0, 0]);
  });

  it('tell a line of each that becomes free, until it leaves', () => {
    const line = new Line(1);
    const { slots } = open(2, line);
    slots.takeAnyway('m');
    slots.takeAnyway('m');
    slots.release('m');
    expect(line.served).toBe(1);
    expect(slots.places('m').free).toBe(1);
    slots.places('m').leave(line);
    slots.release('m');
    expect(line.served).toBe(1);
    expect(slots.tryTake('m', 2)).toBe(true);
  });
});

describe('a process that may take fewer slots', () => {
  it('gives what waits a slot as soon as more may be taken, in its order', async () => {
    const clock = new ManualClock();
    let share = 0;
    const slots = new Slots(2, clock, () => share);
    const given: number[] = [];
    const waits = [3, 1, 2].map(async (at) => {
      if (await slots.take('m', at, 1_000)) given.push(at);
    });
    await clock.advance(500);
    expect(given).toEqual([]);
    share = 2;
    slots.fill();
    await clock.advance(500);
    await Promise.all(waits);
    expect(given).toEqual([1, 2]);
    expect(slots.inUse('m')).toBe(2);
  });

  it('gives no slot on that comes free meanwhile', async () => {
    const clock = new ManualClock();
    let share = 2;
    const slots = new Slots(2, clock, () => share);
    expect([slots.tryTake('m', 1), slots.tryTake('m', 1)]).toEqual([true, true]);
    const waits = slots.take('m', 1, 1_000);
    share = 1;
    slots.release('m');
    await clock.advance(1_000);
    expect(await waits).toBe(false);
    expect(slots.inUse('m')).toBe(1);
  });

  it('serves its line again when it may take more', () => {
    let share = 0;
    const slots = new Slots(2, new ManualClock(), () => share);
    const line = new Line(50);
    slots.places('m').join(line);
    slots.fill();
    expect(line.served).toBe(0);
    share = 1;
    slots.fill();
    expect(line.served).toBe(1);
  });
});
