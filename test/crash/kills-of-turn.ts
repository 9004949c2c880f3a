import { playsAll } from '../trial/plays-all.js';
import { turnOfCode } from '../trial/turn.js';
import type { CrashPoint } from './points.js';

/**
 * The points whose turn it is in a deployment, with one of their kills each: two deployments take
 * all points between them. Which takes which, and which kill, changes with the code.
 * `BACKSTEP_TEST_ALL=1` takes all kills everywhere.
 *
 * @param deployment Its number, 0 or 1.
 */
export function killsOfTurn(
  points: readonly CrashPoint[],
  deployment: number,
): readonly CrashPoint[] {
  if (playsAll()) return points;
  const turn = turnOfCode();
  const mine = points.filter((_, number) => (turn + number) % 2 === deployment);
  return mine.map((point, nth) => {
    const { kills } = point;
    return { ...point, kills: [kills[(Math.floor(turn / 2) + nth) % kills.length]!] };
  });
}
