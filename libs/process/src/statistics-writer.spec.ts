import { expect, it } from '@jest/globals';
import { StatisticsObserver } from '#platform';
import { ManualClock, MemoryStore, RecordingObserver, sampleTask } from '#testing';
import { StatisticsWriter } from './statistics-writer.js';

function opened() {
  const store = new MemoryStore();
  const counted = new StatisticsObserver('p');
  const observer = new RecordingObserver();
  const { records, statistics } = store;
  const writer = new StatisticsWriter({
    clock: new ManualClock(),
    ...{ counted, observer, records, store },
  });
  const task = sampleTask();
  const start = (hours: number): void =>
    counted.committed(task, [{ seq: 1, at: hours * 3_600_000, kind: 'created' }]);
  const found = async () => {
    const { flow } = task.plan;
    const query = { index: 'flow', of: ['hour', flow], isDescending: true, limit: 10 } as const;
    return (await statistics.list(query)).map(({ started }) => started);
  };
  return { counted, found, observer, start, store, writer };
}

it('stores what was counted, and what came since', async () => {
  const { counted, found, start, writer } = opened();
  start(1);
  await writer.tick();
  expect(await found()).toEqual([1]);
  expect(counted.changed()).toEqual([]);
  start(1);
  await writer.stop();
  expect(await found()).toEqual([2]);
});

it('tells once of a store that is away, loses nothing, and stores it all afterwards', async () => {
  const { found, observer, start, store, writer } = opened();
  store.down = true;
  for (const hour of [1, 2, 3]) {
    start(hour);
    await writer.tick();
  }
  expect(observer.notices.map(({ name }) => name)).toEqual(['statistics_failed']);
  store.down = false;
  await writer.tick();
  expect(await found()).toEqual([1, 1, 1]);
});
