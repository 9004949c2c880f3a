import type { MomentMutant } from './moment-mutants.js';
import { playYear } from './schedule-year.js';

/** Schedules of a year that is played by hand. */
const SCHEDULES = 100;

/** Which years to play. */
interface Years {
  readonly from: number;
  readonly seeds: number;
  readonly mutant: MomentMutant | null;
}

/** Plays years and tells of them; whether no promise was broken, or the mutant was found. */
export async function playYears({ from, mutant, seeds }: Years): Promise<boolean> {
  for (let seed = from; seed < from + seeds; seed += 1) {
    const year = await playYear(seed, { schedules: SCHEDULES, mutant });
    const { deaths, found, moments, violations } = year;
    console.log(`year ${seed}: ${moments} moments, ${deaths} deaths, ${found} starts found made`);
    for (const violation of violations) console.log(`  ${violation}`);
    if (violations.length > 0) return mutant !== null;
  }
  return mutant === null;
}
