/** Why an action's attempt did not succeed: number for documents, name for people and programs. */
export const FAILURE_CODES = {
  FAILED: 1,
  TIMED_OUT: 2,
  LEASE_LOST: 3,
  /** For what commands report themselves: one that no executor has is waited for. */
  UNKNOWN_COMMAND: 4,
  INVALID_PARAMETERS: 5,
  CALLED_OFF: 6,
  OUTPUT_TOO_LARGE: 7,
  TERMINATED: 8,
  EXPRESSION_FAILED: 9,
  LOOP_LIMIT: 10,
  SIGNAL_TIMEOUT: 11,
  REJECTED: 12,
  CHILDREN_FAILED: 13,
  CHILD_FAILED: 14,
  INVALID_STEPS: 15,
  TASK_TOO_LARGE: 16,
  SECRET_NOT_ALLOWED: 17,
  SECRET_NOT_FOUND: 18,
  SECRET_STORE_AWAY: 19,
  NOT_ALLOWED: 20,
  EXPIRED: 21,
} as const;

/** Name of a failure. */
export type FailureName = keyof typeof FAILURE_CODES;

const NAMES = new Map<number, FailureName>(
  Object.entries(FAILURE_CODES).map(([name, code]) => [code, name as FailureName]),
);

/** Name of a failure by its number. */
export function failureName(code: number): FailureName {
  return NAMES.get(code) ?? 'FAILED';
}

/**
 * A command could not be entered for now, because what it is to be given cannot be fetched. The
 * time that this takes counts for nothing.
 */
export interface EntryWait {
  /** When it is tried again. */
  readonly afterMs: number;
  /** How long the attempt was in hand. */
  readonly lostMs: number;
}

/** Why an attempt came to nothing. */
export interface AttemptFailure {
  /** Trying again is pointless. */
  readonly terminal: boolean;
  readonly failure: FailureName;
  /** The command's own code: at most 64 capitals, digits and underscores; absent: `failure`. */
  readonly error?: string;
  readonly message: string;
  /** Where the error was thrown, with its causes; absent: nothing of a command was thrown. */
  readonly stack?: string | undefined;
  /** Its command threw the error to say how it ended, and no other error caused it. */
  readonly intended?: true | undefined;
  /** Overrides the retry policy's delay. */
  readonly afterMs?: number;
  /**
   * The attempt was refused before its command was entered, or gave up before it did anything: it
   * had no effect and is not undone. Only what is known may be said; absent: it may have had one.
   */
  readonly refused?: boolean;
}
