import type { Mutant } from '../simulation/mutant.js';
import { CASES } from './cases.js';
import { GATE } from './gate.js';
import { type Failure, sweepCase } from './sweep.js';
import { failureText } from './sweep-text.js';
import { playShares } from './workers.js';

/** How far to look for a bug. */
export interface JudgeOptions {
  /** Most faults in a run. */
  readonly faults: number;
  readonly threads: number;
}

/** Looks for a bug with no fault, then with one, then with the gate's pairs; null: not found. */
export async function judgeMutant(
  mutant: Mutant,
  { faults, threads }: JudgeOptions,
): Promise<Failure | null> {
  for (let count = 0; count <= Math.min(faults, 1); count++) {
    const found = await firstFailure(mutant, count);
    if (found !== null) return found;
  }
  if (faults < 2) return null;
  const job = { cases: GATE, mutant: mutant.name, faults, failuresMax: 1 };
  const summaries = await playShares(job, threads, () => {});
  return summaries.flatMap(({ failures }) => failures)[0] ?? null;
}

async function firstFailure(mutant: Mutant, faults: number): Promise<Failure | null> {
  const share = { index: 0, of: 1 };
  for (const task of CASES) {
    const options = { mutant, faults, every: 1, share, failuresMax: 1 };
    const [failure] = (await sweepCase(task, options)).failures;
    if (failure !== undefined) return failure;
  }
  return null;
}

/** What came of a mutant, for people. */
export function verdictText({ name }: Mutant, failure: Failure | null): string {
  if (failure === null) return `${name}: not found`;
  const faults = failure.placements === '' ? 0 : failure.placements.split(',').length;
  return `${name}: found with ${faults} faults\n${failureText(failure, name)}`;
}
