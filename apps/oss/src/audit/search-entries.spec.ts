import { expect, it } from '@jest/globals';
import type { AuditEntry, AuditLog } from '#ports';
import { searchEntries } from './search-entries.js';

/** A log of so many entries, of which every thousandth is the needle's. */
function longLog(length: number): Pick<AuditLog, 'readEntries'> {
  const entryOf = (seq: number) => {
    const actor = seq % 1_000 === 0 ? 'Needle' : 'hay';
    return { seq, actor, operation: 'PUT /v1/x', target: '/v1/x' } as AuditEntry;
  };
  return {
    readEntries: ({ beyond = 0, limit }) => {
      const count = Math.max(0, Math.min(limit, length - beyond));
      return Promise.resolve(Array.from({ length: count }, (_, n) => entryOf(beyond + n + 1)));
    },
  };
}

const ORDER = { first: 'oldest', limit: 3 } as const;

it('finds texts in any case, and says where it goes on', async () => {
  const log = longLog(5_000);
  const first = await searchEntries(log, { actor: 'needle' }, ORDER);
  expect(first.entries.map(({ seq }) => seq)).toEqual([1_000, 2_000, 3_000]);
  const rest = await searchEntries(log, { actor: 'NEEDLE' }, { ...ORDER, beyond: first.beyond! });
  expect(rest).toMatchObject({ entries: [{ seq: 4_000 }, { seq: 5_000 }], beyond: null });
});

it('wants every text of the filter', async () => {
  const log = longLog(3_000);
  const filter = { actor: 'needle', target: '/v1/y' };
  expect(await searchEntries(log, filter, ORDER)).toEqual({ entries: [], beyond: null });
});

it('looks at so many entries and no more, and goes on from there', async () => {
  const log = longLog(50_000);
  const none = await searchEntries(log, { actor: 'nobody' }, ORDER);
  expect(none).toEqual({ entries: [], beyond: 20_000 });
});

it('reads a page as it is where nothing is searched', async () => {
  const page = await searchEntries(longLog(10), {}, ORDER);
  expect(page).toMatchObject({ entries: [{ seq: 1 }, { seq: 2 }, { seq: 3 }], beyond: 3 });
  const last = await searchEntries(longLog(10), {}, { ...ORDER, beyond: 8 });
  expect(last).toMatchObject({ entries: [{ seq: 9 }, { seq: 10 }], beyond: null });
});

it('gives an entry that cannot be read where no text is searched, and only there', async () => {
  const unreadable = { seq: 1, unreadable: 'actor is not a text' };
  const log: Pick<AuditLog, 'readEntries'> = { readEntries: async () => [unreadable] };
  expect(await searchEntries(log, {}, ORDER)).toEqual({ entries: [unreadable], beyond: null });
  expect(await searchEntries(log, { actor: 'a' }, ORDER)).toEqual({ entries: [], beyond: null });
});

/** A log with an entry each minute, the newest first. */
function timedLog(length: number): Pick<AuditLog, 'readEntries'> & { reads: number } {
  const entryOf = (seq: number) => ({ ...SAMPLE, seq, at: seq * 60_000 }) as AuditEntry;
  const log = {
    reads: 0,
    readEntries: ({ beyond = length + 1, limit }: { beyond?: number; limit: number }) => {
      log.reads += 1;
      const count = Math.max(0, Math.min(limit, beyond - 1));
      return Promise.resolve(Array.from({ length: count }, (_, n) => entryOf(beyond - 1 - n)));
    },
  };
  return log;
}

const SAMPLE = { actor: 'ann', operation: 'PUT /v1/x', target: '/v1/x' };

it('finds entries of a time, the first moment with it and the last one without', async () => {
  const time = { after: 60_000 * 100, before: 60_000 * 103 };
  const query = { first: 'newest', limit: 50 } as const;
  const { entries } = await searchEntries(timedLog(5_000), time, query);
  expect(entries.map(({ seq }) => seq)).toEqual([102, 101, 100]);
});

it('reads no further than the time that is wanted, but for what clocks may differ', async () => {
  const log = timedLog(20_000);
  const query = { first: 'newest', limit: 200 } as const;
  const found = await searchEntries(log, { after: 60_000 * 19_900 }, query);
  expect(found.entries).toHaveLength(101);
  expect(found.beyond).toBeNull();
  expect(log.reads).toBe(1);
});
