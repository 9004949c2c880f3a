import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '#testing';
import { Reservation } from './reservation.js';
import { Slots } from './slots.js';

/** One slot of `m` that a step has whose outcome is being stored. */
function open(limit: number) {
  const slots = new Slots(limit, new ManualClock());
  slots.takeAnyway('m');
  return { reservation: new Reservation(slots, 'm'), slots };
}

const work = (step: number, module = 'm') =>
  ({ ref: { direction: 'normal', step }, module, shift: 0 }) as const;

describe('the reservation of a step that ends', () => {
  it('lets one follow-up go on in its slot, and takes others for the rest', () => {
    const { reservation, slots } = open(2);
    expect([1, 2, 3].map((step) => reservation.reserve(work(step), 1))).toEqual([
      true,
      true,
      false,
    ]);
    expect([slots.inUse('m'), reservation.hasPassedOn]).toEqual([2, true]);
    expect(reservation.take()).toEqual([work(1), work(2)]);
  });

  it('keeps the slot where nothing was stored, and can pass it on at the next try', () => {
    const { reservation, slots } = open(2);
    reservation.reserve(work(1), 1);
    reservation.reserve(work(2), 1);
    reservation.release();
    expect([slots.inUse('m'), reservation.hasPassedOn]).toEqual([1, false]);
    expect(reservation.reserve(work(1), 1)).toBe(true);
    expect([slots.inUse('m'), reservation.hasPassedOn]).toEqual([1, true]);
  });

  it('takes a slot of another module, and keeps its own', () => {
    const { reservation, slots } = open(1);
    expect(reservation.reserve(work(1, 'n'), 1)).toBe(true);
    expect([slots.inUse('m'), slots.inUse('n'), reservation.hasPassedOn]).toEqual([1, 1, false]);
    reservation.release();
    expect([slots.inUse('m'), slots.inUse('n')]).toEqual([1, 0]);
  });

  it('passes nothing on once the step has freed its slot', () => {
    const { reservation, slots } = open(1);
    slots.release('m');
    reservation.disown();
    expect(reservation.reserve(work(1), 1)).toBe(true);
    expect([slots.inUse('m'), reservation.hasPassedOn]).toEqual([1, false]);
    reservation.release();
    expect(slots.inUse('m')).toBe(0);
  });
});
