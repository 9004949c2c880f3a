import type { BlowReport } from './storm.js';

/** How long recoveries took, in milliseconds. */
export interface Recovery {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** The figures over all of them; each is a recovery that really was (nearest rank). */
export function recoveryOf(reports: readonly Pick<BlowReport, 'recoveredMs'>[]): Recovery {
  const sorted = reports.map(({ recoveredMs }) => recoveredMs).sort((a, b) => a - b);
  const rank = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return { p50: rank(0.5), p99: rank(0.99), max: rank(1) };
}

/** One blow in a line, for people. */
export function formatReport({ backMs, name, recoveredMs }: BlowReport): string {
  return `  ${name}: back ${backMs} ms, recovered ${recoveredMs} ms later`;
}

/** A line for each blow and one for all of them, for people who read the output of a test. */
export function formatReports(reports: readonly BlowReport[]): string {
  return [...reports.map(formatReport), `  ${formatRecovery(reports)}`].join('\n');
}

/** The figures in a line. */
export function formatRecovery(reports: readonly BlowReport[]): string {
  const { max, p50, p99 } = recoveryOf(reports);
  return `recovery over ${reports.length} blows: p50 ${p50} ms, p99 ${p99} ms, max ${max} ms`;
}
