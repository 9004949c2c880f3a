import { afterEach, expect, it } from '@jest/globals';
import { killsOfTurn } from './kills-of-turn.js';
import { CRASH_POINTS } from './points.js';

const ALL = 'BACKSTEP_TEST_ALL';
const before = process.env[ALL];

afterEach(() => {
  if (before === undefined) delete process.env[ALL];
  else process.env[ALL] = before;
});

it('every point has its turn in one of two deployments, with one kill', () => {
  delete process.env[ALL];
  const taken = [0, 1].flatMap((deployment) => killsOfTurn(CRASH_POINTS, deployment));
  const ids = CRASH_POINTS.map(({ id }) => id);
  expect(taken.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  for (const { id, kills } of taken) {
    const own = CRASH_POINTS.find((point) => point.id === id)!.kills;
    expect(kills).toHaveLength(1);
    expect(own).toContain(kills[0]);
  }
});

it('all have their turn where all are asked for', () => {
  process.env[ALL] = '1';
  expect(killsOfTurn(CRASH_POINTS, 0)).toEqual(CRASH_POINTS);
});
