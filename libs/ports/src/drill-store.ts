import { COUNT, DATE, NUMBERED, TEXT } from '#core';
import { recordCheck } from './record-form.js';

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
 * versions. May throw `StoreUnavailable`.
 */
export interface DrillStore {
  /** Takes the place of what was stored of the same version. */
  putDrill(record: DrillRecord): Promise<void>;
  /** Of the newest version up to this one that was drilled; null: none was. */
  findDrill(flow: string, version: number): Promise<DrillRecord | null>;
  /** Of each flow the result of the newest version that was drilled, by the names of flows. */
  listDrills(): Promise<readonly DrillRecord[]>;
}

/** The result of a drill, if it can be one. Throws `DocumentFault`. */
export const checkDrill = recordCheck<DrillRecord>({
  flow: TEXT,
  version: NUMBERED,
  at: DATE,
  failures: COUNT,
  total: COUNT,
});
