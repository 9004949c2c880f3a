import type { Outlived } from './outlive.js';

const LINES_MAX = 40;

/** Everything that must be empty for the outages to have harmed nothing. */
export function harmsOf(outlived: Outlived): readonly string[] {
  const { calls, ends, leases, lost, stuck, timeouts, wrong } = outlived;
  return [...lost, ...stuck, ...wrong, ...calls, ...ends, ...timeouts, ...leases];
}

/** The figures in lines, for people; what is not as it should be comes first. */
export function outageText(outlived: Outlived): string {
  const { calls, counts, endedMs, ends, leases, lost, outages, stuck, tasks } = outlived;
  const { timeouts, wrong } = outlived;
  const harms = harmsOf(outlived);
  const tooLong = 'not within 60 s after the last outage';
  return [
    ...harms.slice(0, LINES_MAX),
    ...(harms.length > LINES_MAX ? [`and ${harms.length - LINES_MAX} more`] : []),
    `tasks ${tasks} ${JSON.stringify(counts)}`,
    `outages ${outages.length}, lost ${lost.length}, stuck ${stuck.length}, wrong ${wrong.length}`,
    `leases lost ${leases.length}, wrong ends ${ends.length}, timed out ${timeouts.length}`,
    `calls of a person ${calls.length}`,
    `all ended ${endedMs === null ? tooLong : `${endedMs} ms after the last outage`}`,
  ].join('\n');
}
