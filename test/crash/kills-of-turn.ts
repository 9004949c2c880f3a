import { turnOfCode } from '../trial/turn.js';
import type { CrashPoint } from './points.js';

/**
 * The points with those of their kills whose turn it is: one each, another one in every other
 * deployment, so that two deployments take all of them. Which takes which changes with the code.
 * `BACKSTEP_TEST_ALL=1` takes all kills everywhere.
 *
 * @param deployment Its number, from 0.
 */
export function killsOfTurn(
  points: readonly CrashPoint[],
  deployment: number,
): readonly CrashPoint[] {
  if (process.env['BACKSTEP_TEST_ALL'] === '1') return points;
  const turn = turnOfCode() + deployment;
  return points.map((point, number) => {
    const { kills } = point;
    return { ...point, kills: [kills[(turn + number) % kills.length]!] };
  });
}
