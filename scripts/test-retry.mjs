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
 * @param {readonly Spec[]} specs Of the first try.
 * @returns {readonly string[]} Paths of the specs to run once more, or none.
 */
export function specsToRetry(project, specs) {
  if (process.env.CI !== 'true' || !RETRIED.includes(project)) return [];
  const broken = specs.filter(({ failed }) => failed.length > 0).map(({ path }) => path);
  return broken.length > MOST_SPECS ? [] : broken;
}

/**
 * The specs of a part after the second try, which counts for what it ran.
 *
 * @param {readonly Spec[]} first
 * @param {readonly Spec[]} second May be about specs of others, too.
 * @returns {readonly Spec[]}
 */
export function withRetried(first, second) {
  return first.map((spec) => {
    const again = second.find(({ path }) => path === spec.path);
    if (again === undefined) return spec;
    const both = { ...again, seconds: spec.seconds + again.seconds };
    return again.failed.length > 0 ? both : { ...both, flaky: spec.failed };
  });
}
