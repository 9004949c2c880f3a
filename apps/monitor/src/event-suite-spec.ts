import { describe, expect, it } from '@jest/globals';
import type { EventLog, ReportedEvent } from './event-log.js';

/** Where events under test are kept. */
interface EventPlace {
  /** Opens the log, as another process would. */
  open(): Promise<EventLog>;
  /** Closes everything that was opened, and removes what is left. */
  remove(): Promise<void>;
}

type Body = (log: EventLog, place: EventPlace) => Promise<void>;

const TOLD = { hasReceiver: true };

function event(id: string, taskId = 't'): ReportedEvent {
  const about = { taskId, flow: 'f', step: 's', direction: 'normal' };
  return { ...about, id, kind: 'event', severity: 'info', message: `event ${id}` };
}

/** The contract of every event log. */
export function eventContract(name: string, newPlace: () => Promise<EventPlace>): void {
  const rule = (ruleName: string, body: Body) => {
    it(ruleName, async () => {
      const place = await newPlace();
      try {
        await body(await place.open(), place);
      } finally {
        await place.remove();
      }
    });
  };
  describe(`events contract: ${name}`, () => {
    rule('an event is kept as it was reported first', async (log) => {
      const first = await log.add(event('a'), { ...TOLD, now: 1_000 });
      const kept = { ...event('a'), at: '1970-01-01T00:00:01.000Z', delivered: false };
      expect(first).toEqual({ event: kept, isNew: true });
      const changed = { ...event('a'), message: 'another' };
      const again = await log.add(changed, { hasReceiver: false, now: 2_000 });
      expect(again).toEqual({ event: kept, isNew: false });
      expect(await log.list(10)).toEqual([kept]);
    });

    rule('of attempts at one moment one is the first', async (log, place) => {
      const other = await place.open();
      const logs = Array.from({ length: 10 }, (_, n) => (n % 2 ? log : other));
      const adds = logs.map((each, now) => each.add(event('a'), { ...TOLD, now }));
      const added = await Promise.all(adds);
      expect(added.filter(({ isNew }) => isNew)).toHaveLength(1);
      expect(new Set(added.map((one) => one.event.at)).size).toBe(1);
    });

    rule('the newest are listed first, of one task or of all', async (log, place) => {
      await log.add(event('a'), { ...TOLD, now: 3 });
      await log.add(event('b', 'u'), { ...TOLD, now: 4 });
      await log.add(event('c'), { ...TOLD, now: 4 });
      const ids = async (...asked: Parameters<EventLog['list']>) =>
        (await (await place.open()).list(...asked)).map(({ id }) => id);
      expect(await ids(10)).toEqual(['c', 'b', 'a']);
      expect(await ids(2)).toEqual(['c', 'b']);
      expect(await ids(10, 't')).toEqual(['c', 'a']);
      expect(await ids(10, 'nobody')).toEqual([]);
    });

    rule(
      'the oldest are removed first, so many at a time, and none that is younger',
      async (log) => {
        for (const [now, id] of ['a', 'b', 'c', 'd'].entries()) {
          await log.add(event(id), { ...TOLD, now });
        }
        const ids = async () => (await log.list(10)).map(({ id }) => id);
        expect(await log.removeOld(3, 2)).toBe(2);
        expect(await ids()).toEqual(['d', 'c']);
        expect(await log.removeOld(3, 2)).toBe(1);
        expect(await log.removeOld(3, 2)).toBe(0);
        expect(await ids()).toEqual(['d']);
      },
    );

    rule('a delivery is marked, and said of nobody where there is no receiver', async (log) => {
      await log.add(event('a'), { ...TOLD, now: 1 });
      await log.add(event('b'), { hasReceiver: false, now: 2 });
      await log.markDelivered('a');
      await log.markDelivered('nobody');
      const delivered = (await log.list(10)).map((each) => [each.id, each.delivered]);
      expect(delivered).toEqual([
        ['b', null],
        ['a', true],
      ]);
    });
  });
}
