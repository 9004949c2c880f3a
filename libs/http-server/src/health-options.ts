import type { Clock } from '#ports';
import type { ReadinessCheck } from './health.js';

/** Under this name Nest finds what the health module was made with. */
export const HEALTH_OPTIONS = Symbol('health options');

/** Gives the metrics of this process as text. */
interface MetricsText {
  readonly contentType: string;
  text(this: void): Promise<string> | string;
}

/** Options of the health module. */
export interface HealthOptions {
  readonly checks: readonly ReadinessCheck[];
  readonly clock: Clock;
  readonly metrics: MetricsText;
  /** How requests say whose they are. Default: `off`. */
  readonly auth?: string;
  /** Where a browser signs in at an identity provider; null: nowhere. Default: null. */
  readonly signIn?: string | null;
  /** Notes for callers who ask for readiness; they do not change it. Default: none. */
  readonly notes?: () => readonly string[];
}
