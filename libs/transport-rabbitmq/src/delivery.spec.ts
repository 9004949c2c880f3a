import { describe, expect, it } from '@jest/globals';
import type { Channel } from 'amqplib';
import { ManualClock, settle } from '#testing';
import { AckLedger, type Delivery, WaitingDeliveries } from './delivery.js';
import type { PriorityClass } from './topology.js';

function open() {
  const clock = new ManualClock();
  const givenUp: Delivery[] = [];
  const line = new WaitingDeliveries(
    (_delivery, giveUp) => clock.after(1_000, giveUp),
    (delivery) => givenUp.push(delivery),
  );
  const add = (urgency: PriorityClass, orderAt = 0, ended = false) => {
    const message = { properties: { headers: { 'x-backstep-order-time': orderAt } } };
    const delivery = { urgency, message, ledger: { ended } } as unknown as Delivery;
    line.add(delivery);
    return delivery;
  };
  return { add, clock, givenUp, line };
}

describe('deliveries that wait for a slot', () => {
  it('go by order time whatever their class, and of the same as they came', () => {
    const { add, line } = open();
    const all = [add('high', 7), add('normal', 5), add('low', 9), add('normal', 7), add('high', 1)];
    expect([line.hasBeside('high'), line.hasBeside('normal')]).toEqual([true, true]);
    const taken = all.map(() => line.take());
    expect(taken).toEqual([all[4], all[1], all[0], all[3], all[2]]);
    expect(line.take()).toBeUndefined();
  });

  it('are given up after their wait, and not once they are taken', async () => {
    const { add, clock, givenUp, line } = open();
    const [taken, late] = [add('high'), add('high')];
    expect(line.take()).toBe(taken);
    await clock.advance(1_000);
    expect(givenUp).toEqual([late]);
    expect(line.hasBeside('low')).toBe(false);
    expect(line.take()).toBeUndefined();
  });

  it('are forgotten with their channel', async () => {
    const { add, clock, givenUp, line } = open();
    add('normal', 0, true);
    const stays = add('normal');
    add('high', 0, true);
    line.dropEnded();
    expect([line.has('high'), line.hasBeside('normal')]).toEqual([false, false]);
    expect(line.takeAll()).toEqual([stays]);
    await clock.advance(1_000);
    expect(givenUp).toEqual([]);
    expect(clock.timers).toBe(0);
  });
});

describe('ack ledger', () => {
  type Frame = [kind: 'ack' | 'nack', tag: number, allUpTo: boolean];

  /** A ledger with this many deliveries on a channel that only notes its frames. */
  function open(deliveries: number) {
    const frames: Frame[] = [];
    const note = (kind: Frame[0]) => (message: { fields: { deliveryTag: number } }, all: boolean) =>
      frames.push([kind, message.fields.deliveryTag, all]);
    const channel = { ack: note('ack'), nack: note('nack') } as unknown as Channel;
    const ledger = new AckLedger(channel);
    for (let tag = 1; tag <= deliveries; tag += 1) ledger.delivered(tag);
    return { frames, ledger };
  }

  describe('acknowledgements of one turn', () => {
    it('become one frame where nothing below is open', async () => {
      const { frames, ledger } = open(3);
      for (const tag of [2, 1, 3]) ledger.ack(tag);
      expect(frames).toEqual([]);
      await settle();
      expect(frames).toEqual([['ack', 3, true]]);
    });

    it('never reach over a delivery that is still open', async () => {
      const { frames, ledger } = open(5);
      for (const tag of [5, 1, 2, 4]) ledger.ack(tag);
      await settle();
      expect(frames).toEqual([
        ['ack', 5, false],
        ['ack', 4, false],
        ['ack', 2, true],
      ]);
      ledger.ack(3);
      await settle();
      expect(frames.at(-1)).toEqual(['ack', 3, true]);
    });

    it('are not undone by a message that was given back among them', async () => {
      const { frames, ledger } = open(3);
      ledger.ack(1);
      ledger.requeue(2);
      ledger.ack(3);
      await settle();
      expect(frames).toEqual([
        ['nack', 2, false],
        ['ack', 3, true],
      ]);
    });

    it('count once, whatever is answered afterwards', async () => {
      const { frames, ledger } = open(1);
      ledger.ack(1);
      ledger.ack(1);
      ledger.requeue(1);
      await settle();
      ledger.ack(1);
      await settle();
      expect(frames).toEqual([['ack', 1, true]]);
    });
  });

  describe('a ledger whose channel is gone', () => {
    it('sends nothing', async () => {
      const { frames, ledger } = open(2);
      ledger.ack(1);
      ledger.end();
      ledger.requeue(2);
      await settle();
      expect(frames).toEqual([]);
    });

    it('bears a channel that throws', async () => {
      const fail = () => {
        throw new Error('Channel closed');
      };
      const ledger = new AckLedger({ ack: fail, nack: fail } as unknown as Channel);
      ledger.delivered(1);
      ledger.delivered(2);
      ledger.ack(1);
      ledger.requeue(2);
      await settle();
      expect(ledger.ended).toBe(true);
    });
  });
});
