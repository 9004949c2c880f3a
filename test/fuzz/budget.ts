import { playsAll } from '../trial/plays-all.js';

/** How often a property is tried, and from which seed: what fast-check is given. */
export interface FuzzBudget {
  readonly numRuns: number;
  readonly seed: number;
}

/** The seed of the gate: the same cases every time, so that a failure there is never chance. */
const GATE_SEED = 20_231_101;
/** The gate plays one run in this number. */
const GATE_SHARE = 4;

/**
 * The budget of one property: `runs` from a fixed seed, a quarter of them in the gate, or what
 * `FUZZ_RUNS` and `FUZZ_SEED` say. A property that fails prints its seed and its smallest
 * counter-example by itself.
 */
export function fuzzBudget(runs: number): FuzzBudget {
  return {
    numRuns: wholeNumber('FUZZ_RUNS') ?? (playsAll() ? runs : Math.ceil(runs / GATE_SHARE)),
    seed: wholeNumber('FUZZ_SEED') ?? GATE_SEED,
  };
}

const isGate = wholeNumber('FUZZ_RUNS') === undefined;

/** How long the test of a property may take: far more than the gate's runs need anywhere. */
export const FUZZ_TIMEOUT_MS = isGate ? 600_000 : 24 * 3_600_000;

function wholeNumber(name: 'FUZZ_RUNS' | 'FUZZ_SEED'): number | undefined {
  const text = process.env[name];
  if (text === undefined || text === '') return undefined;
  if (!/^-?\d{1,15}$/.test(text)) throw new TypeError(`${name} must be a whole number: ${text}`);
  return Number(text);
}
