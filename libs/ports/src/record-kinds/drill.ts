import { COUNT, DATE, NUMBERED, TEXT } from '#core/json';
import { recordKind } from '../record-kind.js';

/** The result of the last drill of one version of a flow. */
export interface DrillRecord {
  readonly flow: string;
  readonly version: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Plays that did not come out as expected. */
  readonly failures: number;
  /** Plays in all. */
  readonly total: number;
}

/**
 * Results of drills: of each version the last one alone, so that there are never more of them than
 * versions. `version`: those of a flow, by their versions.
 */
export const DRILL = recordKind<DrillRecord, 'version'>({
  name: 'drill',
  plural: 'flow_drills',
  shape: { flow: TEXT, version: NUMBERED, at: DATE, failures: COUNT, total: COUNT },
  idOf: ({ flow, version }) => `${flow}@${version}`,
  moments: ['at'],
  indexes: { version: { of: ['flow'], by: 'version' } },
});
