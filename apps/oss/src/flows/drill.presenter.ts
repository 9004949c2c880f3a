import type { DrillRecord } from '#ports';
import type { Shown } from '../requests/shown.js';

/** The result of a drill of a flow, as HTTP shows it. */
export type PublicDrill = Shown<'Drill'>;

/** The result of a drill, for those who ask for the flow. */
export function presentDrill({ at, failures, total, version }: DrillRecord): PublicDrill {
  return { version, at: Math.floor(at / 1_000), passed: failures === 0, failures, total };
}
