import type { Mutant } from '../simulation/mutant.js';
import { findCase } from './cases.js';
import { DENSE } from './gate.js';
import { type Failure, sweepCase } from './sweep.js';
import { failureText } from './sweep-text.js';

/** All of the work, and no more of it than shows one failure. */
const UNTIL_FOUND = { share: { index: 0, of: 1 }, turn: 0, failuresMax: 1 };

/**
 * Looks for a bug with no fault, then with one, then with two; null: not found.
 *
 * @param faults Most faults in a run.
 */
export async function judgeMutant(mutant: Mutant, faults: number): Promise<Failure | null> {
  for (let count = 0; count <= faults; count++) {
    for (const { every, name } of DENSE) {
      const options = { ...UNTIL_FOUND, mutant, faults: count, every };
      const [found] = (await sweepCase(findCase(name), options)).failures;
      if (found !== undefined) return found;
    }
  }
  return null;
}

/** The verdict on a mutant, for people. */
export function verdictText(mutant: string, failure: Failure | null): string {
  if (failure === null) return `${mutant}: not found`;
  const faults = failure.placements === '' ? 0 : failure.placements.split(',').length;
  return `${mutant}: found with ${faults} faults\n${failureText(failure, mutant)}`;
}
