import { expect, it } from '@jest/globals';
import { NOTIFICATION_POSITION, recordsOf } from '#ports';
import { MemoryStore } from '#testing';
import { moveTo, positionIn } from './rule-position.js';

it('the position of rules moves on and never back, whoever moves it', async () => {
  const positions = recordsOf(new MemoryStore().records, NOTIFICATION_POSITION);
  expect(await positionIn(positions)).toBe(0);
  await Promise.all([5, 9, 7].map((position) => moveTo(positions, position)));
  await moveTo(positions, 8);
  expect(await positionIn(positions)).toBe(9);
});
