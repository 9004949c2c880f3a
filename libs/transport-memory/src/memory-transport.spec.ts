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
import type { DeliveryVerdict, Places, WaitingLine } from '#ports';
import { openMemoryTransport } from './memory-transport.js';

stepTransportContract('memory', () => {
  const observer = new RecordingObserver();
  const transport = openMemoryTransport({ clock: new SystemClock(), observer });
  return Promise.resolve({ transport, dispose: () => transport.close() });
});

/** Places that a test uses and frees by hand. */
class SharedPlaces implements Places {
  line: WaitingLine | null = null;
  free: number;

  constructor(readonly count: number) {
    this.free = count;
  }

  use(count: number): void {
    this.free -= count;
  }

  join(line: WaitingLine): void {
    this.line = line;
  }

  leave(): void {
    this.line = null;
  }
}

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

  it('delivers by order time, whatever the order of publishing', async () => {
    const { transport } = open();
    const inbox = new Inbox();
    const times = [3_000, -1, 2_000.5, 0, 2_000];
    const waiting = times.map((orderAt) => stepDispatch('m', `${orderAt}`, { orderAt }));
    for (const dispatch of waiting) await transport.publish([dispatch]);
    await transport.consume('m', 1, inbox.handler);
    await inbox.counts(times.length);
    expect(inbox.steps).toEqual(['-1', '0', '2000', '2000.5', '3000']);
  });

  it('delivers 100,000 messages exactly by order time', async () => {
    const { transport } = open();
    const count = 100_000;
    // A step that has no factor in common with the count: every place in the order, once.
    const waiting = Array.from({ length: count }, (_, n) => {
      return stepDispatch('m', 's', { orderAt: (n * 70_001) % count });
    });
    await transport.publish(waiting);
    const got: number[] = [];
    const all = new Gate();
    await transport.consume('m', 1, async ({ orderAt }) => {
      if (got.push(orderAt) === count) all.open();
      return 'ack';
    });
    await all.passed;
    expect(got.every((orderAt, n) => orderAt === n)).toBe(true);
  });

  describe('with places that are shared', () => {
    it('takes no message out of its line before there is a place for it', async () => {
      const { transport } = open();
      const places = new SharedPlaces(1);
      const gates = [new Gate(), new Gate()];
      const inbox = new Inbox(async (_dispatch, nth): Promise<DeliveryVerdict> => {
        places.use(1);
        await gates[nth - 1]?.passed;
        places.use(-1);
        return 'ack';
      });
      await transport.consume('m', places, inbox.handler);
      await transport.publish([stepDispatch('m', 'first', { orderAt: 5 })]);
      await inbox.gets('first');
      await transport.publish([stepDispatch('m', 'later', { orderAt: 7 })]);
      await transport.publish([stepDispatch('m', 'urgent', { orderAt: 6 })]);
      expect(places.line?.nextAt).toBe(6);
      gates[0]?.open();
      await inbox.gets('urgent');
      expect(inbox.steps).toEqual(['first', 'urgent']);
      expect([places.line?.nextAt, await transport.depth('m')]).toEqual([7, 1]);
      gates[1]?.open();
      await inbox.gets('later');
      expect(places.line?.nextAt).toBe(Infinity);
    });

    it('uses a place that something else gives up', async () => {
      const { transport } = open();
      const places = new SharedPlaces(2);
      const inbox = new Inbox();
      places.use(2);
      await transport.consume('m', places, inbox.handler);
      await transport.publish([stepDispatch('m', 'a')]);
      await settle();
      expect(inbox.received).toEqual([]);
      places.use(-1);
      places.line?.serve();
      await inbox.gets('a');
    });

    it('leaves them when it stops', async () => {
      const { transport } = open();
      const places = new SharedPlaces(1);
      const consumer = await transport.consume('m', places, new Inbox().handler);
      expect(places.line).not.toBeNull();
      await consumer.stop();
      expect(places.line).toBeNull();
    });
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
