import type { WrittenSettings } from '../stack/index.js';
import { WAITS } from '../trial/waits.js';

/** With which settings processes run, and for how many seconds things are kept broken. */
export interface Profile {
  readonly settings: WrittenSettings;
  readonly holdSeconds: readonly [number, number];
}

/** `default`: what production gets. `quick`: every wait is short, so that more fits in a minute. */
export const PROFILES = {
  default: { settings: {}, holdSeconds: [1, 15] },
  quick: {
    settings: WAITS.followSoon,
    holdSeconds: [0.5, 3],
  },
} as const satisfies Readonly<Record<string, Profile>>;

/** What a profile is called. */
export type ProfileName = keyof typeof PROFILES;
