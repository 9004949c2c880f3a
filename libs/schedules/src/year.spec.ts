import { describe, expect, it } from '@jest/globals';
import { MOMENT_MUTANTS } from '../../../test/simulation/schedules/moment-mutants.js';
import { playYear } from '../../../test/simulation/schedules/schedule-year.js';
import { playsAll } from '../../../test/trial/plays-all.js';

const SCHEDULES = playsAll() ? 1_000 : 250;

/** Events that a year must contain, or it proves little. */
const MUST_HAPPEN = ['made up for', 'missed', 'queued', 'skipped for the task before'];

/** Years in which a bug must be found, of few schedules each. */
const YEARS_FOR_MUTANTS = 20;
const FEW_SCHEDULES = 60;

const seeds = process.env['BACKSTEP_SEED']?.split(',').map(Number) ?? [20_270_101];

describe('a year of many schedules, with gateways that die', () => {
  it.each(seeds)('has one task for every moment, or a rule why not, seed %d', async (seed) => {
    const year = await playYear(seed, { schedules: SCHEDULES });
    expect(year.violations).toEqual([]);
    expect(MUST_HAPPEN.filter((what) => (year.seen.get(what) ?? 0) < SCHEDULES / 100)).toEqual([]);
    // Otherwise the gateways died nowhere where it matters.
    expect(year.deaths).toBeGreaterThan(SCHEDULES / 10);
    expect(year.found).toBeGreaterThan(SCHEDULES / 100);
    expect(year.moments).toBeGreaterThan(8 * SCHEDULES);
    for (const { moments, order } of year.plans) {
      const isDaily = 'cron' in order.timing && /^\d+ \d \* \* \*$/.test(order.timing.cron);
      if (!isDaily) continue;
      const format = new Intl.DateTimeFormat('en-CA', { timeZone: order.timezone });
      const days = new Set(moments.map((moment) => format.format(new Date(moment))));
      expect([order.timezone, days.size, days.size >= 364]).toEqual([
        order.timezone,
        moments.length,
        true,
      ]);
    }
  });
});

describe('a bug of schedules that is put in', () => {
  it.each(MOMENT_MUTANTS)('is found: $bug', async (mutant) => {
    const found: string[] = [];
    for (let seed = 1; seed <= YEARS_FOR_MUTANTS && found.length === 0; seed += 1) {
      const options = { schedules: FEW_SCHEDULES, mutant };
      found.push(...(await playYear(seed, options)).violations);
    }
    expect(found.length).toBeGreaterThan(0);
  });
});
