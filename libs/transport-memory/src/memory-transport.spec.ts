import { describe, expect, it } from '@jest/globals';
import {
  Gate,
  Inbox,
  ManualClock,
  RecordingObserver,
  settle,
  stepDispatch,
  stepTransportContract,
  SystemClock,
} from '#testing';
import { openMemoryTransport } from './memory-transport.js';

stepTransportContract('memory', () => {
  const observer = new RecordingObserver();
  const transport = openMemoryTransport({ clock: new SystemClock(), observer });
  return Promise.resolve({ transport, dispose: () => transport.close() });
});

function open() {
  const clock = new ManualClock();
  const observer = new RecordingObserver();
  return { clock, observer, transport: openMemoryTransport({ clock, observer }) };
}

describe('the in-process transport', () => {
  it('delivers in the order of publishing', async () => {
    const { transport } = open();
    const inbox = new Inbox();
    const steps = Array.from({ length: 1_000 }, (_, n) => `s${n}`);
    for (const step of steps) await transport.publish([stepDispatch('m', step)]);
    await transport.consume('m', 1, inbox.handler);
    await inbox.counts(1_000);
    expect(inbox.steps).toEqual(steps);
  });

  it('counts priority as seconds of head start', async () => {
    const { clock, transport } = open();
    const inbox = new Inbox();
    const publish = (step: string, priority: number) =>
      transport.publish([stepDispatch('m', step, { priority })]);
    await publish('plain', 0);
    await publish('three seconds', 3);
    await clock.advance(2_000);
    await publish('late with one second', 1);
    await publish('late with three seconds', 3);
    await publish('late with two seconds', 2);
    await transport.consume('m', 1, inbox.handler);
    await inbox.counts(5);
    expect(inbox.steps).toEqual([
      'three seconds',
      'late with three seconds',
      'plain',
      'late with two seconds',
      'late with one second',
    ]);
  });

  it('runs no handler on the stack of publish', async () => {
    const { transport } = open();
    const inbox = new Inbox();
    await transport.consume('m', 1, inbox.handler);
    const published = transport.publish([stepDispatch('m', 'a')]);
    expect(inbox.received).toHaveLength(0);
    await published;
    await inbox.gets('a');
  });

  it('lets the event loop turn while a long queue is worked off', async () => {
    const { transport } = open();
    const inbox = new Inbox();
    await transport.publish(Array.from({ length: 2_000 }, () => stepDispatch('m', 'a')));
    await transport.consume('m', 8, inbox.handler);
    await settle();
    expect(inbox.received.length).toBeLessThan(2_000);
    await inbox.counts(2_000);
  });

  it('doubles the wait of a message for later, up to five seconds', async () => {
    const { clock, transport } = open();
    const start = clock.now();
    const times: number[] = [];
    const inbox = new Inbox(() => {
      times.push(clock.now() - start);
      return 'later';
    });
    await transport.consume('m', 1, inbox.handler);
    await transport.publish([stepDispatch('m', 'a')]);
    await clock.advance(20_000);
    expect(times).toEqual([0, 100, 300, 700, 1_500, 3_100, 6_300, 11_300, 16_300]);
  });

  it('does not go through the whole queue while everything is for later', async () => {
    const { clock, transport } = open();
    const inbox = new Inbox(() => 'later');
    await transport.consume('m', 2, inbox.handler);
    await transport.publish(Array.from({ length: 50 }, () => stepDispatch('m', 'a')));
    await clock.advance(99);
    expect(inbox.received).toHaveLength(2);
    expect(await transport.depth('m')).toBe(50);
  });

  it('offers a message for later to other consumers first', async () => {
    const { clock, transport } = open();
    const [full, free] = [new Inbox(() => 'later'), new Inbox()];
    await transport.consume('m', 1, full.handler);
    await transport.publish([stepDispatch('m', 'a')]);
    await settle();
    await transport.consume('m', 1, free.handler);
    await clock.advance(100);
    expect([full.received.length, free.received.length]).toEqual([1, 1]);
  });

  it('counts exactly what waits, not what is in hand', async () => {
    const { transport } = open();
    const gate = new Gate();
    const inbox = new Inbox(() => gate.passed.then(() => 'ack'));
    await transport.publish(['a', 'b', 'c'].map((step) => stepDispatch('m', step)));
    expect(await transport.depth('m')).toBe(3);
    await transport.consume('m', 2, inbox.handler);
    await inbox.counts(2);
    expect(await transport.depth('m')).toBe(1);
    gate.open();
    await inbox.counts(3);
    expect(await transport.depth('m')).toBe(0);
    expect(await transport.depth('other')).toBe(0);
  });

  it('leaves no timer behind when it closes', async () => {
    const { clock, transport } = open();
    const inbox = new Inbox(() => 'later');
    await transport.consume('m', 4, inbox.handler);
    await transport.publish(['a', 'b'].map((step) => stepDispatch('m', step)));
    await inbox.counts(2);
    await settle();
    expect(clock.timers).toBe(2);
    await transport.close();
    expect(clock.timers).toBe(0);
  });

  it('tells the observer of a handler that fails', async () => {
    const { observer, transport } = open();
    await transport.consume('m', 1, () => Promise.reject(new Error('broken')));
    await transport.publish([stepDispatch('m', 'a')]);
    await observer.tells('delivery_handler_failed');
  });
});
