import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '#testing';
import { type Delivery, WaitingDeliveries } from './delivery.js';
import type { PriorityClass } from './priority-class.js';

function open() {
  const clock = new ManualClock();
  const givenUp: Delivery[] = [];
  const line = new WaitingDeliveries(
    (_delivery, giveUp) => clock.after(1_000, giveUp),
    (delivery) => givenUp.push(delivery),
  );
  const add = (urgency: PriorityClass, more: object = {}) => {
    const delivery = { urgency, ledger: { ended: false }, ...more } as unknown as Delivery;
    line.add(delivery);
    return delivery;
  };
  return { add, clock, givenUp, line };
}

describe('deliveries that wait for a slot', () => {
  it('go class by class, the more urgent mostly first, and every class gets its part', () => {
    const { add, line } = open();
    for (let n = 0; n < 42; n += 1) for (const each of CLASSES) add(each);
    const taken = Array.from({ length: 42 }, () => line.take()?.urgency);
    const count = (urgency: PriorityClass) => taken.filter((each) => each === urgency).length;
    expect(taken[0]).toBe('high');
    expect(CLASSES.map(count)).toEqual([32, 8, 2]);
  });

  it('have all slots where no other class waits', () => {
    const { add, line } = open();
    const [first, second] = [add('low'), add('low')];
    expect([line.take(), line.take(), line.take()]).toEqual([first, second, undefined]);
  });

  it('are given up after their wait, and not once they are taken', async () => {
    const { add, clock, givenUp, line } = open();
    const [taken, late] = [add('high'), add('high')];
    expect(line.take()).toBe(taken);
    await clock.advance(1_000);
    expect(givenUp).toEqual([late]);
    expect(line.take()).toBeUndefined();
  });

  it('are forgotten with their channel', async () => {
    const { add, clock, givenUp, line } = open();
    add('normal', { ledger: { ended: true } });
    const stays = add('normal');
    line.dropEnded();
    expect(line.takeAll()).toEqual([stays]);
    await clock.advance(1_000);
    expect(givenUp).toEqual([]);
    expect(clock.timers).toBe(0);
  });
});

const CLASSES = ['high', 'normal', 'low'] as const;
