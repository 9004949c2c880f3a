import type { HistoryResult } from './history.js';
import type { Mutant } from './mutant.js';
import type { Summary } from './simulate.js';

/** How many of a failed history's last lines are shown. */
const LINES_SHOWN = 40;
/** How many failed histories are shown. */
const FAILED_SHOWN = 10;

/** What came of many histories, for people. */
export function summaryText({ events, failed, played, seconds, sightings }: Summary): string {
  const names = [...sightings.keys()].sort();
  const counts = names.map((name) => `${String(sightings.get(name)).padStart(9)} ${name}`);
  const rate = Math.round(played / seconds);
  const line =
    `${played} histories, ${events} events, ${seconds.toFixed(1)} s, ` +
    `${rate} histories/s, ${failed.length} with violations`;
  return [...counts, line].join('\n');
}

/** The histories that broke a promise, each with the command that repeats it. */
export function failuresText({ failed }: Summary, mutant: Mutant | null): string {
  return failed
    .slice(0, FAILED_SHOWN)
    .map((result) => historyText(result, mutant))
    .join('\n');
}

/** One history: what happened last, and what was wrong with it. */
export function historyText(result: HistoryResult, mutant: Mutant | null): string {
  const { lines, seed, traceHash, violations } = result;
  const option = mutant === null ? '' : ` --mutant ${mutant.name}`;
  return [
    ...lines,
    `seed ${seed}, trace ${traceHash}, ${violations.length} violations`,
    ...violations.map(({ invariant, message }) => `  ${invariant} ${message}`),
    `  repeat: npm run simulate -- --seeds 1 --from ${seed} --trace${option}`,
  ].join('\n');
}

/** The end of a history, which mostly tells what went wrong. */
export function endOf(result: HistoryResult): HistoryResult {
  return { ...result, lines: result.lines.slice(-LINES_SHOWN) };
}
