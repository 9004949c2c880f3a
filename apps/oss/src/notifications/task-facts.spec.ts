import { beforeEach, expect, it } from '@jest/globals';
import { MemoryStore } from '#testing';
import { moveTo, positionIn } from './task-facts.js';

let store: MemoryStore;
beforeEach(() => {
  store = new MemoryStore();
});

it('the position of rules moves on and never back, whoever moves it', async () => {
  const { positions } = store;
  expect(await positionIn(positions)).toBe(0);
  await Promise.all([5, 9, 7].map((position) => moveTo(positions, position)));
  await moveTo(positions, 8);
  expect(await positionIn(positions)).toBe(9);
});

it('a position that cannot be read is written again', async () => {
  const { positions } = store;
  await moveTo(positions, 5);
  store.records.unreadable.add('notification_position tasks');
  expect(await positionIn(positions)).toBe(0);
  await moveTo(positions, 3);
  expect(await positionIn(positions)).toBe(3);
});
