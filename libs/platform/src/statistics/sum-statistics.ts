import type { StatisticsRow, StepStatistics } from '#ports';
import { sumDurations } from './durations.js';

/** The counts of several rows together. */
export type StatisticsSum = Pick<
  StatisticsRow,
  'duration' | 'ended' | 'rollbackFailed' | 'started' | 'steps'
>;

/** Adds up rows of one flow: of several processes, or of several hours or days. */
export function sumStatistics(rows: readonly StatisticsRow[]): StatisticsSum {
  return {
    started: sumOf(rows.map(({ started }) => started)),
    ended: sumCounts(rows.map(({ ended }) => ended)),
    rollbackFailed: sumOf(rows.map(({ rollbackFailed }) => rollbackFailed)),
    duration: sumDurations(rows.map(({ duration }) => duration)),
    steps: sumSteps(rows.flatMap(({ steps }) => steps)),
  };
}

function sumSteps(all: readonly StepStatistics[]): readonly StepStatistics[] {
  const byAction = new Map<string, StepStatistics[]>();
  for (const one of all) {
    const action = `${one.direction} ${one.step}`;
    const same = byAction.get(action);
    if (same === undefined) byAction.set(action, [one]);
    else same.push(one);
  }
  return Array.from(byAction.values(), (same): StepStatistics => {
    const { direction, step } = same[0] as StepStatistics;
    return {
      step,
      direction,
      succeeded: sumOf(same.map(({ succeeded }) => succeeded)),
      failed: sumOf(same.map(({ failed }) => failed)),
      cancelled: sumOf(same.map(({ cancelled }) => cancelled)),
      retries: sumOf(same.map(({ retries }) => retries)),
      duration: sumDurations(same.map(({ duration }) => duration)),
      errors: sumCounts(same.map(({ errors }) => errors)),
    };
  });
}

function sumCounts(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const counts of all) {
    for (const [name, count] of Object.entries(counts)) {
      sums.set(name, (sums.get(name) ?? 0) + count);
    }
  }
  return Object.fromEntries(sums);
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
