import type { Spec } from './summary.js';

/**
 * The second try of specs, many of which use real servers and processes. A machine that stalls for
 * a minute must not stop a change; a spec that needed its second try is listed as flaky, with what
 * failed.
 */

/** Projects with a second try. Those of `architecture` have nothing that chance may touch. */
export const RETRIED: readonly string[] = ['contract', 'e2e', 'unit'];
/** A fault of the product breaks more specs than these. */
const MOST_SPECS = 4;

/** Paths of the specs of a project to run once more after its first try, or none. */
export function specsToRetry(project: string, specs: readonly Spec[]): readonly string[] {
  if (process.env['CI'] !== 'true' || !RETRIED.includes(project)) return [];
  const broken = specs.filter(({ failed }) => failed.length > 0).map(({ path }) => path);
  return broken.length > MOST_SPECS ? [] : broken;
}

/** The specs of a part after a second try, of these and of others, which counts for what it ran. */
export function withRetried(first: readonly Spec[], second: readonly Spec[]): readonly Spec[] {
  return first.map((spec) => {
    const again = second.find(({ path }) => path === spec.path);
    if (again === undefined) return spec;
    const both = { ...again, seconds: spec.seconds + again.seconds };
    return again.failed.length > 0 ? both : { ...both, flaky: spec.failed };
  });
}
