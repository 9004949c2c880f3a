import type { WrittenSettings } from '../stack/index.js';
import { WAITS } from '../trial/waits.js';

/** With which settings processes run, and for how many seconds things are kept broken. */
export interface Profile {
  readonly settings: WrittenSettings;
  readonly holdSeconds: readonly [number, number];
  /**
   * Where it is set, nothing but the store of the distributed set is harmed, and this often, from
   * the beginning of one outage to that of the next. No process is harmed, and no lease may end.
   */
  readonly outageEveryMs?: number;
  /**
   * Where it is set, nothing is harmed: tasks of a number of steps side by side run while other
   * programs want the processors, and no living process may lose a lease.
   */
  readonly wide?: { readonly steps: number; readonly busyPrograms: number };
}

/**
 * `default`: what production gets. `quick`: every wait is short, so that more fits in a minute.
 * `store-outages`: production's waits, and a store that is away for a while every ten seconds.
 * `wide`: the largest tasks there can be, short leases, and a machine with other work to do.
 */
export const PROFILES = {
  default: { settings: {}, holdSeconds: [1, 15] },
  quick: { settings: WAITS.followSoon, holdSeconds: [0.5, 3] },
  'store-outages': { settings: { lease: '10s' }, holdSeconds: [2, 9], outageEveryMs: 10_000 },
  wide: { settings: { lease: '2s' }, holdSeconds: [0, 0], wide: { steps: 1_000, busyPrograms: 4 } },
} as const satisfies Readonly<Record<string, Profile>>;

/** The name of a profile. */
export type ProfileName = keyof typeof PROFILES;
