import { timesOf } from '../results.js';
import type { Measured } from '../run-benchmark.js';

/** Where the processor time of a task goes, by rival and part; empty where none is known. */
export function timesText({ rounds }: Measured): string {
  const lines = Object.entries(rounds).flatMap(([rival, readings]) => {
    const times = timesOf(readings);
    if (times.length === 0) return [];
    const parts = times.map(([part, us]) => `${part.trim()} ${Math.round(us)}`);
    return [`    ${rival.padEnd(16)} ${parts.join(', ')}`];
  });
  if (lines.length === 0) return '';
  return ['  where the time goes, in microseconds of processor time per task:', ...lines].join(
    '\n',
  );
}
