/**
 * The second try of specs that use real servers and processes. A machine that stalls for a minute
 * must not stop a change; a spec that needed its second try is listed as flaky, with what failed.
 */

/** Projects with a second try. A spec of any other project has nothing that chance may touch. */
export const RETRIED = ['contract', 'e2e'];
/** A fault of the product breaks more specs than these. */
const MOST_SPECS = 4;

/** @typedef {import('./test-summary.mjs').Spec} Spec */

/**
 * @param {string} project
 * @param {{specs: readonly Spec[]}} report Of the first try.
 * @returns {readonly string[]} Paths of the specs to run once more, or none.
 */
export function specsToRetry(project, { specs }) {
  if (process.env.CI !== 'true' || !RETRIED.includes(project)) return [];
  const broken = specs.filter(({ failed }) => failed.length > 0).map(({ path }) => path);
  return broken.length > MOST_SPECS ? [] : broken;
}

/**
 * Both tries as one report: what ran twice counts as the second try says.
 *
 * @param {{failed: number, specs: readonly Spec[]}} first
 * @param {{specs: readonly Spec[]}} second May be about specs of others, too.
 * @returns {{passed: number, failed: number, skipped: number, specs: readonly Spec[]}}
 */
export function withRetried(first, second) {
  const again = new Map(second.specs.map((spec) => [spec.path, spec]));
  const report = reportOf(first.specs.map((spec) => retried(spec, again.get(spec.path))));
  // Failures outside specs had no second try.
  const beside = first.failed - reportOf(first.specs).failed;
  return { ...report, failed: report.failed + beside };
}

/** @param {readonly Spec[]} specs */
export function reportOf(specs) {
  const total = (of) => specs.reduce((sum, spec) => sum + of(spec), 0);
  return {
    passed: total(({ passed }) => passed),
    failed: total(({ failed }) => failed.length),
    skipped: total(({ skipped }) => skipped),
    specs,
  };
}

function retried(first, second) {
  if (second === undefined) return first;
  const both = { ...second, seconds: first.seconds + second.seconds };
  return second.failed.length > 0 ? both : { ...both, flaky: first.failed };
}
