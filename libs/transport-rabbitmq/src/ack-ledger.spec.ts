import { describe, expect, it } from '@jest/globals';
import type { Channel } from 'amqplib';
import { settle } from '#testing';
import { AckLedger } from './ack-ledger.js';

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
