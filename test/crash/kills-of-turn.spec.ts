import { afterEach, expect, it } from '@jest/globals';
import { killsOfTurn } from './kills-of-turn.js';
import { CRASH_POINTS, type CrashPoint } from './points.js';

const ALL = 'BACKSTEP_TEST_ALL';
const before = process.env[ALL];

afterEach(() => {
  if (before === undefined) delete process.env[ALL];
  else process.env[ALL] = before;
});

function textsOf(points: readonly CrashPoint[]): readonly string[] {
  return points.flatMap(({ id, kills }) => kills.map((kill) => `${id} ${JSON.stringify(kill)}`));
}

it('every kill has its turn in one of two deployments, and every point in both', () => {
  delete process.env[ALL];
  const taken = [0, 1].map((deployment) => killsOfTurn(CRASH_POINTS, deployment));
  for (const points of taken) {
    expect(points.map(({ id }) => id)).toEqual(CRASH_POINTS.map(({ id }) => id));
  }
  expect(taken.flatMap(textsOf).toSorted()).toEqual([...textsOf(CRASH_POINTS)].toSorted());
});

it('all have their turn where all are asked for', () => {
  process.env[ALL] = '1';
  expect(killsOfTurn(CRASH_POINTS, 0)).toEqual(CRASH_POINTS);
});
