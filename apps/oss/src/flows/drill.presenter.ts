import type { DrillRecord } from '#ports';

/** The result of a drill of a flow, as HTTP shows it. */
export interface PublicDrill {
  /** The version that was drilled. */
  readonly version: number;
  /** Seconds since 1970. */
  readonly at: number;
  readonly passed: boolean;
  readonly failures: number;
  readonly total: number;
}

/** The result of a drill, for those who ask for the flow. */
export function presentDrill({ at, failures, total, version }: DrillRecord): PublicDrill {
  return { version, at: Math.floor(at / 1_000), passed: failures === 0, failures, total };
}
