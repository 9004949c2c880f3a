import type { LivezWaits } from './livez-watch.js';
import type { SalvoFigures } from './salvo.js';

const LIVEZ_P99_MS = 100;
const MEMORY_MIB = 512;

/** The bounds of a salvo; the defaults are the goals on a quiet machine. */
export interface SalvoBounds {
  /** How many times as long `/livez` may take. */
  readonly patience?: number;
  readonly memoryMib?: number;
}

/** The faults of a salvo, as sentences: bounds exceeded, requests failed, a process that ended. */
export function faultsOf(
  { beside, peakMib, stands, statuses }: SalvoFigures,
  { memoryMib = MEMORY_MIB, patience = 1 }: SalvoBounds = {},
): readonly string[] {
  const broken = [...statuses.keys()].filter((status) => status === 0 || status >= 500);
  return [
    ...(beside.p99 > LIVEZ_P99_MS * patience
      ? [`/livez waits ${Math.round(beside.p99)} ms at p99`]
      : []),
    ...(beside.failed > 0 ? [`/livez failed ${beside.failed} times`] : []),
    ...((peakMib ?? 0) > memoryMib ? [`the process took ${peakMib} MiB`] : []),
    ...broken.map((status) => (status === 0 ? 'a request was not answered' : `status ${status}`)),
    ...(stands ? [] : ['the process has ended']),
  ];
}

/** The figures for people. `faults`: what {@link faultsOf} finds in them; default: by the goals. */
export function salvoText(figures: SalvoFigures, faults = faultsOf(figures)): string {
  const { beside, calm, ms, peakMib, requests, slowest, statuses } = figures;
  const answers = [...statuses]
    .toSorted(([a], [b]) => a - b)
    .map(([status, count]) => `${count} x ${status}`);
  return [
    `\nsalvo: ${requests} of the largest requests, ten at a time, in ${ms} ms`,
    `  /livez calm:   ${waitsText(calm)}`,
    `  /livez beside: ${waitsText(beside)}`,
    `  memory at most ${peakMib ?? '?'} MiB; answers ${answers.join(', ')}`,
    `  slowest: ${slowest.ms} ms, ${slowest.what}`,
    faults.length === 0 ? '  all holds' : `  FAILS: ${faults.join('; ')}`,
  ].join('\n');
}

function waitsText({ count, failed, max, p50, p99 }: LivezWaits): string {
  const [a, b, c] = [p50, p99, max].map((ms) => ms.toFixed(1));
  return `p50 ${a} ms, p99 ${b} ms, max ${c} ms (${count} asked, ${failed} failed)`;
}
