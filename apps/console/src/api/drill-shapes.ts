/** How a version of a flow fared in its last drill. */
export interface Drill {
  readonly version: number;
  /** Seconds since 1970. */
  readonly at: number;
  readonly passed: boolean;
  /** Plays that did not come out as expected, of all. */
  readonly failures: number;
  readonly total: number;
}
