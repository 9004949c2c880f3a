import type { Mutant } from '../simulation/mutant.js';
import { ALL, GATE } from './gate.js';
import type { Failure } from './sweep.js';
import { failureText } from './sweep-text.js';
import { playShares } from './workers.js';

/** How far to look for a bug. */
export interface JudgeOptions {
  /** Most faults in a run. */
  readonly faults: number;
  readonly threads: number;
}

/**
 * Looks for a bug with no fault, then with one, then with the gate's pairs; null: not found. All of
 * it in threads of its own, which are told of errors that nobody caught before anybody else is.
 */
export async function judgeMutant(
  mutant: Mutant,
  { faults, threads }: JudgeOptions,
): Promise<Failure | null> {
  for (let count = 0; count <= faults; count++) {
    const cases = count < 2 ? ALL : GATE;
    const job = { cases, mutant: mutant.name, faults: count, failuresMax: 1 };
    const summaries = await playShares(job, threads, () => {});
    const [found] = summaries.flatMap(({ failures }) => failures);
    if (found !== undefined) return found;
  }
  return null;
}

/** What came of a mutant, for people. */
export function verdictText({ name }: Mutant, failure: Failure | null): string {
  if (failure === null) return `${name}: not found`;
  const faults = failure.placements === '' ? 0 : failure.placements.split(',').length;
  return `${name}: found with ${faults} faults\n${failureText(failure, name)}`;
}
