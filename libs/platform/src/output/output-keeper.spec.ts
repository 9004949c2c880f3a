import { describe, expect, it } from '@jest/globals';
import { type AttemptPlace, OUTPUT, outputId, type OutputPart, PROGRESS, recordsOf } from '#ports';
import { allOf, type RecordStore, StoreUnavailable } from '#ports';
import { ManualClock, MemoryStore, RecordingObserver, settle } from '#testing';
import { OutputKeeper } from './output-keeper.js';
import { ATTEMPTS_KEPT } from './stored-output.js';

const ATTEMPT: AttemptPlace = {
  taskId: 'task-1',
  step: 'build',
  run: 'build',
  direction: 'normal',
  attempt: 1,
};

/** A keeper over a store whose writes are counted. */
function opened(store = new MemoryStore()) {
  const clock = new ManualClock();
  const observer = new RecordingObserver();
  const parts = recordsOf(store.records, OUTPUT);
  const progresses = recordsOf(store.records, PROGRESS);
  let writes = 0;
  const { records: real } = store;
  const records: RecordStore = {
    get: (kind, id) => real.get(kind, id),
    list: (kind, query) => real.list(kind, query),
    remove: (kind, id, previous) => real.remove(kind, id, previous),
    removeAll: (kind, query) => real.removeAll(kind, query),
    put: (kind, next, previous) => {
      writes += 1;
      return real.put(kind, next, previous);
    },
  };
  const keeper = new OutputKeeper({ records, clock, observer });
  const say = (...messages: string[]): boolean =>
    keeper.append(
      ATTEMPT,
      messages.map((message) => ({ at: clock.now(), message })),
    );
  const lines = async () => (await allOf(parts)).flatMap((part) => part.lines);
  const said = async () => (await lines()).map(({ message }) => message);
  const numbers = async () => (await lines()).map(({ number }) => number);
  return {
    ...{ clock, keeper, lines, numbers, observer, parts, progresses, records, said, say, store },
    writesOf: () => writes,
  };
}

function bytesOf(parts: readonly OutputPart[]): number {
  return parts.reduce((sum, { size }) => sum + size, 0);
}

describe('the output of an attempt', () => {
  it('is written once a second at most, and the rest at the end of the attempt', async () => {
    const { clock, keeper, said, say, writesOf } = opened();
    say('one');
    say('two', 'three');
    expect(writesOf()).toBe(0);
    await clock.advance(1_000);
    expect(await said()).toEqual(['one', 'two', 'three']);
    expect(writesOf()).toBe(1);
    say('four');
    keeper.end(ATTEMPT);
    await settle();
    expect(await said()).toEqual(['one', 'two', 'three', 'four']);
    expect(writesOf()).toBe(2);
  });

  it('keeps time, level and order', async () => {
    const { clock, keeper, lines } = opened();
    const at = clock.now() - 5_000;
    keeper.append(ATTEMPT, [{ at, level: 'warn', message: 'low\non space' }]);
    await keeper.stop();
    expect(await lines()).toEqual([
      { number: 1, at, level: 'warn', message: 'low' },
      { number: 2, at, level: 'warn', message: 'on space' },
    ]);
  });

  it('has sixty-four kilobytes: the oldest lines go, and their numbers tell how many', async () => {
    const { clock, numbers, parts, said, say } = opened();
    const line = (n: number): string => `${n} `.padEnd(999, 'x');
    let isCut = false;
    for (let n = 1; n <= 200; n += 1) {
      isCut = say(line(n));
      if (n % 10 === 0) await clock.advance(1_000);
      if (n === 60) expect(await numbers()).toHaveLength(60);
    }
    expect(isCut).toBe(true);
    const kept = await numbers();
    expect(kept).toEqual(Array.from(kept, (_, n) => 201 - kept.length + n));
    expect((await said()).at(-1)).toBe(line(200));
    const bytes = bytesOf(await allOf(parts));
    expect(bytes).toBeLessThanOrEqual(65_536);
    expect(bytes).toBeGreaterThan(65_536 - 8_192);
  });

  it('of an action is kept of its newest attempts alone, and of other actions', async () => {
    const { clock, keeper, parts } = opened();
    const other = { ...ATTEMPT, direction: 'rollback' } as const;
    const said = [{ at: clock.now(), message: 'a' }];
    keeper.append(other, said);
    for (let attempt = 1; attempt <= ATTEMPTS_KEPT + 3; attempt += 1) {
      keeper.append({ ...ATTEMPT, attempt }, said);
      await clock.advance(1_000);
    }
    await keeper.stop();
    const kept = await allOf(parts);
    const own = kept.filter(({ direction }) => direction === 'normal');
    expect([own.length, kept.length]).toEqual([ATTEMPTS_KEPT, ATTEMPTS_KEPT + 1]);
    expect(own.map(({ attempt }) => attempt)).not.toContain(3);
  });

  it('of one moment takes no more memory than is kept', async () => {
    const { keeper, numbers, say } = opened();
    expect(say(...Array.from({ length: 1_000 }, (_, n) => `${n}`.padEnd(999)))).toBe(true);
    await keeper.stop();
    expect((await numbers()).at(-1)).toBe(1_000);
    expect((await numbers()).length).toBeLessThanOrEqual(65);
  });

  it('is cut where one line is longer than all that is kept', () => {
    expect(opened().say('x'.repeat(65_536))).toBe(true);
  });

  it('counts lines that its author left out', async () => {
    const { keeper, numbers } = opened();
    const line = { at: 1, message: 'a' };
    expect(keeper.append(ATTEMPT, [line])).toBe(false);
    expect(keeper.append(ATTEMPT, [line, line], 7)).toBe(true);
    await keeper.stop();
    expect(await numbers()).toEqual([1, 9, 10]);
  });

  it('goes on where another process had it before, also once its beginning was cut', async () => {
    const store = new MemoryStore();
    const before = opened(store);
    for (let n = 0; n < 20; n += 1) {
      before.say(...Array.from({ length: 5 }, () => 'x'.repeat(999)));
      await before.clock.advance(1_000);
    }
    const { keeper, numbers, say } = opened(store);
    say('after');
    await keeper.stop();
    expect((await numbers()).at(-1)).toBe(101);
    expect(say('more')).toBe(true);
  });

  it('of two processes at once has all lines of both', async () => {
    const store = new MemoryStore();
    const [one, other] = [opened(store), opened(store)];
    for (let n = 0; n < 30; n += 1) {
      one.say(`one ${n}`);
      other.say(`other ${n}`);
      await Promise.all([one.keeper.tick(), other.keeper.tick()]);
    }
    const said = await one.said();
    expect(said.filter((text) => text.startsWith('one'))).toHaveLength(30);
    expect(said.filter((text) => text.startsWith('other'))).toHaveLength(30);
    expect(await one.numbers()).toEqual(Array.from({ length: 60 }, (_, n) => n + 1));
  });

  it('waits for a store that is away, and tells that once', async () => {
    const { clock, keeper, observer, said, say, store } = opened();
    store.down = true;
    say('kept');
    await clock.advance(1_000);
    say('kept too');
    keeper.end(ATTEMPT);
    await clock.advance(3_000);
    expect(observer.notices.map(({ name }) => name)).toEqual(['output_failed']);
    store.down = false;
    await clock.advance(1_000);
    expect(await said()).toEqual(['kept', 'kept too']);
  });

  it('is there once where a write took effect and nobody heard of it', async () => {
    const { clock, records, said, say, store } = opened();
    const { put } = records;
    records.put = async (kind, next, previous) => {
      await store.records.put(kind, next, previous);
      throw new StoreUnavailable('lost');
    };
    say('once');
    await clock.advance(1_000);
    records.put = put;
    say('and more');
    await clock.advance(2_000);
    expect(await said()).toEqual(['once', 'and more']);
  });

  it('passes over a part that cannot be read', async () => {
    const { keeper, parts, records, said, say, store } = opened();
    // Something stands in its place, and no list shows it.
    const unread = new Set([outputId(ATTEMPT, 0)]);
    records.put = async (kind, next, previous) =>
      !unread.has(kind.idOf(next)) && store.records.put(kind, next, previous);
    say('after it');
    await keeper.stop();
    expect(await said()).toEqual(['after it']);
    expect((await allOf(parts)).map(({ part }) => part)).toEqual([1]);
  });

  it('costs nothing where nothing is said', async () => {
    const { clock, keeper, writesOf } = opened();
    keeper.end(ATTEMPT);
    await keeper.stop();
    expect([clock.timers, writesOf()]).toEqual([0, 0]);
  });

  it('is forgotten here when the attempt has been silent for long', async () => {
    const { clock, say } = opened();
    say('a');
    await clock.advance(40_000);
    expect(clock.timers).toBe(0);
  });
});

describe('the progress of an attempt', () => {
  it('is what was said last, stored once a second, and goes with its end', async () => {
    const { clock, keeper, progresses, writesOf } = opened();
    for (let n = 0; n <= 50; n += 1)
      keeper.progress(ATTEMPT, { percent: n, message: `part\n${n}`, state: 'copying' });
    const at = clock.now() + 1_000;
    await clock.advance(1_000);
    const told = { state: 'copying', percent: 50, message: 'part 50' };
    expect(await allOf(progresses)).toEqual([{ ...ATTEMPT, at, ...told }]);
    expect(writesOf()).toBe(1);
    keeper.end(ATTEMPT);
    await settle();
    expect(await allOf(progresses)).toEqual([]);
  });

  it('that was never stored is not stored after the end', async () => {
    const { clock, keeper, writesOf } = opened();
    keeper.progress(ATTEMPT, { percent: 1 });
    keeper.end(ATTEMPT);
    await clock.advance(5_000);
    expect([clock.timers, writesOf()]).toEqual([0, 0]);
  });
});
