import type { Hunted } from './campaign.js';
import type { HistoryResult } from './history.js';
import type { Mutant } from './mutant.js';
import type { Summary } from './summary.js';

/** How many of a failed history's last lines are shown. */
const LINES_SHOWN = 40;
/** How many failed histories are shown. */
const FAILED_SHOWN = 10;

/** The summary of many histories, for people. */
export function summaryText(summary: Summary): string {
  const { sightings } = summary;
  const names = [...sightings.keys()].sort();
  const counts = names.map((name) => `${String(sightings.get(name)).padStart(9)} ${name}`);
  return [...counts, lineOf(summary)].join('\n');
}

/** The same in one line. */
export function lineOf({ events, failures, played, seconds }: Summary): string {
  const rate = Math.round(played / seconds);
  return (
    `${played} histories, ${events} events, ${seconds.toFixed(1)} s, ` +
    `${rate} histories/s, ${failures} with violations`
  );
}

/** The first histories that broke a promise, each with the command that repeats it. */
export function failuresText({ failed }: Summary): string {
  return failed
    .slice(0, FAILED_SHOWN)
    .map((result) => historyText(result, null))
    .join('\n');
}

/** The result of the hunt for a mutant, in one line. */
export function huntedText({ found, mutant, played }: Hunted): string {
  if (found === null) return `${mutant.name}: not found in ${played} histories`;
  const [what] = found.message.split('\n');
  return `${mutant.name}: found after ${played} histories, by ${found.invariant}: ${what}`;
}

/** One history: what happened last, and what was wrong with it. */
export function historyText(result: HistoryResult, mutant: Mutant | null): string {
  const { hasWorkers, kinds, lines, seed, traceHash, violations } = result;
  const programs = kinds === null ? '' : ` --programs ${kinds.join()}`;
  const workers = hasWorkers ? ' --workers' : '';
  const option = mutant === null ? '' : ` --mutant ${mutant.name}`;
  return [
    ...lines,
    `seed ${seed}, trace ${traceHash}, ${violations.length} violations`,
    ...violations.map(({ invariant, message }) => `  ${invariant} ${message}`),
    `  repeat: npm run simulate -- --seeds 1 --from ${seed} --trace${programs}${workers}${option}`,
  ].join('\n');
}

/** The end of a history, which mostly tells what went wrong. */
export function endOf(result: HistoryResult): HistoryResult {
  return { ...result, lines: result.lines.slice(-LINES_SHOWN) };
}
