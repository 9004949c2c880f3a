import type { CaseSummary, Failure } from './sweep.js';

/** The result of a case, for people. */
export function caseText({ name, operations, pairs, played, failures }: CaseSummary): string {
  const [, single, double] = played;
  const found = failures.length === 0 ? '' : `, ${failures.length} WITH VIOLATIONS`;
  return (
    `${name.padEnd(26)} ${String(operations).padStart(4)} operations, ` +
    `${String(single).padStart(5)} single faults, ${double} of ${pairs} pairs${found}`
  );
}

/** A run that broke a promise, with the command that repeats it. */
export function failureText(failure: Failure, mutant: string | null): string {
  const { invariant, message, placements } = failure;
  const option = mutant === null ? '' : ` --mutant ${mutant}`;
  return [
    `${failure.case} ${placements}: ${invariant} ${message}`,
    `  repeat: npm run exhaustive -- --case ${failure.case} --play '${placements}'${option}`,
  ].join('\n');
}

/** Which of the pairs were played, with the command that plays them again. */
export function turnText(turn: number): string {
  return `turn ${turn} of the pairs; again: npm run exhaustive -- --gate --turn ${turn}`;
}

/** The results of all cases, for people. */
export function totalText(summaries: readonly CaseSummary[], seconds: number): string {
  const sum = (count: (summary: CaseSummary) => number): number =>
    summaries.reduce((total, summary) => total + count(summary), 0);
  const runs = sum(({ played }) => played[0] + played[1] + played[2]);
  const rate = Math.round(runs / seconds);
  return (
    `${runs} runs: ${sum(({ played }) => played[0])} without faults, ` +
    `${sum(({ played }) => played[1])} with one, ${sum(({ played }) => played[2])} with two ` +
    `of ${sum(({ pairs }) => pairs)}; ${seconds.toFixed(1)} s, ${rate} runs/s, ` +
    `${sum(({ failures }) => failures.length)} with violations`
  );
}
