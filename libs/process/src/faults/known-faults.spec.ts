import { beforeEach, expect, it } from '@jest/globals';
import { StoreUnavailable } from '#ports';
import { ManualClock } from '#testing';
import { KnownFaults } from './known-faults.js';
import { MemoryFaults } from './memory-faults.js';

const place = { flow: 'f', step: 's' };
const one = { ...place, kind: 'fail_always', delayMs: 0 } as const;

let clock: ManualClock;
let store: MemoryFaults;
let reads: number;
let known: KnownFaults;

beforeEach(() => {
  clock = new ManualClock();
  store = new MemoryFaults();
  reads = 0;
  const list = store.listFaults.bind(store);
  store.listFaults = () => {
    reads += 1;
    return list();
  };
  known = new KnownFaults(store, clock);
});

it('reads once in a second, and knows then that nothing is on', async () => {
  expect(known.isEmpty).toBe(false);
  const found = await Promise.all([known.findFault(place), known.findFault(place)]);
  expect([found, reads, known.isEmpty]).toEqual([[null, null], 1, true]);
});

it('knows a switch at the latest when its setting is settled', async () => {
  await known.findFault(place);
  await known.putFault(one);
  let isSettled = false;
  const settled = known.settled().then(() => (isSettled = true));
  expect([await known.findFault(place), isSettled]).toEqual([null, false]);
  await clock.advance(1_000);
  await settled;
  expect(known.isEmpty).toBe(false);
  expect(await known.findFault(place)).toEqual(one);
});

it('asks a store again that was away', async () => {
  const list = store.listFaults;
  store.listFaults = () => Promise.reject(new StoreUnavailable('away'));
  await expect(known.findFault(place)).rejects.toThrow('away');
  store.listFaults = list;
  await clock.advance(1_000);
  expect(await known.findFault(place)).toBeNull();
});
