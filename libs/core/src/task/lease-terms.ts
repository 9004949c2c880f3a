/** The lease that a worker may ask for, in milliseconds. */
export const WORK_LEASE_MS = { min: 10_000, default: 30_000, max: 600_000 } as const;

/** The terms of a worker's lease. It ends at `dueAt` of its run, unless a heartbeat moves that. */
export interface LeaseTerms {
  /** How long it lasts from a heartbeat on, in milliseconds. */
  readonly lengthMs: number;
  /** End of the time for the attempt, milliseconds since 1970. */
  readonly reportBy: number;
  /**
   * A heartbeat has come, or its poll once more. Before, it is only known that the action was sent
   * to the worker.
   */
  readonly isHeld: boolean;
  /** The worker was told to stop, and nothing renews the lease. */
  readonly isCancelled: boolean;
  /** Claims in a row that ended before a heartbeat, up to this one. */
  readonly unheld: number;
  /** Id of the poll that fetched it; null: it has none. */
  readonly poll: string | null;
  /** When it was claimed, milliseconds since 1970. */
  readonly since: number;
}

/** A claim of a worker that ended without an outcome. */
export interface ExpiredClaim {
  readonly token: number;
  /** The worker gave it back; else its lease ended, and an outcome counts until another claim. */
  readonly isHandedBack: boolean;
  /** Claims in a row that ended before a heartbeat, with this one. */
  readonly unheld: number;
  /** The counts of its run while it lived. */
  readonly counted: RunCounts;
}

/** See the members of a run with these names. */
export interface RunCounts {
  readonly attempts: number;
  readonly spent: number;
  readonly crashes: number;
  readonly unheld: number;
}

/** The longest lease before the first heartbeat, in milliseconds. */
export const DELIVERED_MS = 15_000;

/** How long a worker has to stop once it was told to, in milliseconds. */
export const STOP_WITHIN_MS = 10_000;

/** Claims in a row that end before a heartbeat and cost nothing; each further one is a restart. */
export const UNHELD_MAX = 10;
