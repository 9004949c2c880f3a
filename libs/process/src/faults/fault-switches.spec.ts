import { beforeEach, expect, it } from '@jest/globals';
import { FAULT, recordsOf, StoreUnavailable } from '#ports';
import { ManualClock, MemoryStore } from '#testing';
import { KnownFaults } from './fault-switches.js';

const place = { flow: 'f', step: 's' };
const one = { ...place, kind: 'fail_always', delayMs: 0 } as const;

let clock: ManualClock;
let isAway: boolean;
let reads: number;
let known: KnownFaults;

beforeEach(() => {
  clock = new ManualClock();
  isAway = false;
  reads = 0;
  const faults = recordsOf(new MemoryStore().records, FAULT);
  const list: typeof faults.list = (query) => {
    reads += 1;
    return isAway ? Promise.reject(new StoreUnavailable('away')) : faults.list(query);
  };
  known = new KnownFaults({ ...faults, list }, clock);
});

it('reads once in a second, and knows then that nothing is on', async () => {
  expect(known.isEmpty).toBe(false);
  const found = await Promise.all([known.find(place), known.find(place)]);
  expect([found, reads, known.isEmpty]).toEqual([[null, null], 1, true]);
});

it('knows a switch at the latest when its setting is settled', async () => {
  await known.find(place);
  await known.put(one);
  let isSettled = false;
  const settled = known.settled().then(() => (isSettled = true));
  expect([await known.find(place), isSettled]).toEqual([null, false]);
  await clock.advance(1_000);
  await settled;
  expect(known.isEmpty).toBe(false);
  expect(await known.find(place)).toEqual(one);
});

it('asks a store again that was away', async () => {
  isAway = true;
  await expect(known.find(place)).rejects.toThrow('away');
  isAway = false;
  await clock.advance(1_000);
  expect(await known.find(place)).toBeNull();
});
