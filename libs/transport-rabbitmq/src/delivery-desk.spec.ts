import { describe, expect, it } from '@jest/globals';
import type { Dispatch } from '#core';
import type { Crowd, DeliveryHandler } from '#ports';
import { FakeEntropy, ManualClock, settle } from '#testing';
import { DeliveryDesk } from './delivery-desk.js';
import { EnvelopeWriter } from './envelope.js';
import { classOf } from './topology.js';

/** A desk with one slot, and its messages in the order of their start. */
function open() {
  const clock = new ManualClock();
  const started: string[] = [];
  const crowds: (Crowd | undefined)[] = [];
  const ends: (() => void)[] = [];
  const handler: DeliveryHandler = async ({ message }, crowd) => {
    crowds.push(crowd);
    if (crowd === 'no_place') return 'later';
    started.push(message.step);
    await new Promise<void>((resolve) => ends.push(resolve));
    return 'ack';
  };
  const settings = { clock, entropy: new FakeEntropy(), observer: { noticed: () => {} } };
  const writer = new EnvelopeWriter('here');
  const parts = { concurrency: 1, handler, module: 'm', settings, writer };
  const desk = new DeliveryDesk(parts as unknown as ConstructorParameters<typeof DeliveryDesk>[0]);
  const givenBack: number[] = [];
  const requeue = (tag: number): unknown => givenBack.push(tag);
  const answers = { ack() {}, delivered() {}, requeue };
  const ledger = { isKept: true, ended: false, size: 1, ...answers };
  const come = (step: string, priority: number, orderAt: number): void => {
    const half = { command: 'c', timeout: 1, retry: 0, step, run: step, attempt: 1 };
    const message = { v: 1, taskId: 't', cursor: 0, type: 0, parameters: {}, module: 'm', ...half };
    const dispatch = { message, priority, orderAt, traceparent: null } as Dispatch;
    const { content, properties } = writer.write(dispatch, 0);
    const got = { content, properties, fields: { deliveryTag: orderAt } };
    const delivery = { urgency: classOf(priority), ledger, message: got };
    desk.take(delivery as unknown as Parameters<DeliveryDesk['take']>[0]);
  };
  const end = async (): Promise<void> => {
    ends.shift()?.();
    await settle();
  };
  return { clock, come, crowds, end, givenBack, started };
}

describe('the desk of a module', () => {
  it('waits for the next message of the queue whose message has ended', async () => {
    const { clock, come, crowds, end, started } = open();
    come('normal-1', 0, 1);
    come('high', 5, 9);
    await end();
    expect(started).toEqual(['normal-1']);
    come('normal-2', 0, 2);
    await end();
    await clock.advance(50);
    await end();
    expect(started).toEqual(['normal-1', 'normal-2', 'high']);
    expect(crowds).toEqual([undefined, 'mixed', undefined]);
  });

  it('goes on at once where no message of another queue waits', async () => {
    const { clock, come, end, started } = open();
    come('high-1', 5, 1);
    come('high-2', 5, 2);
    await end();
    expect(clock.timers).toBe(0);
    expect(started).toEqual(['high-1', 'high-2']);
  });

  it('tells of a message without a priority that it gives back', async () => {
    const { clock, come, crowds, givenBack } = open();
    come('normal-1', 0, 1);
    come('normal-2', 0, 2);
    come('high', 5, 3);
    await clock.advance(5_000);
    expect(new Set(givenBack)).toEqual(new Set([2, 3]));
    expect(crowds).toEqual([undefined, 'no_place']);
  });
});
