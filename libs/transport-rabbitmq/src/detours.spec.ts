import { expect, it } from '@jest/globals';
import { ManualClock, stepDispatch } from '#testing';
import { EnvelopeWriter } from './envelope.js';
import { Detours } from './detours.js';

const writer = new EnvelopeWriter('origin');
const written = (priority: number, mayBeLost: boolean) =>
  writer.write(stepDispatch('m', 'a', { priority }), 0, mayBeLost);

it('a message of class normal that may be lost goes to the queue that keeps nothing', () => {
  expect(written(0, true)).toMatchObject({
    queue: 'backstep.m.immediate',
    otherwise: 'backstep.m',
    properties: { persistent: false },
  });
  for (const [priority, queue] of [
    [5, 'backstep.m.high'],
    [-5, 'backstep.m.low'],
  ] as const) {
    const outgoing = written(priority, true);
    expect(outgoing).toMatchObject({ queue, properties: { persistent: true } });
    expect(outgoing.otherwise).toBeUndefined();
  }
});

it('a queue that has not taken a message is left alone for a while', async () => {
  const clock = new ManualClock();
  const queues = new Detours(clock);
  const outgoing = written(0, true);
  expect(queues.route(outgoing)).toBe(outgoing);
  const other = queues.refused(outgoing);
  expect(other).toMatchObject({ id: outgoing.id, queue: 'backstep.m' });
  expect(other).toMatchObject({ content: outgoing.content, properties: { persistent: true } });
  expect(queues.route(outgoing)).toEqual(other);
  await clock.advance(9_999);
  expect(queues.route(outgoing)).toEqual(other);
  await clock.advance(1);
  expect(queues.route(outgoing)).toBe(outgoing);
});

it('there is no other queue for a message that must be kept', () => {
  const outgoing = written(0, false);
  const queues = new Detours(new ManualClock());
  expect(queues.refused(outgoing)).toBeNull();
  expect(queues.route(outgoing)).toBe(outgoing);
});
