import type { JsonObject, StartLimits } from '#core';
import type { RecordUnreadable } from './errors.js';

/** The treatments of a moment at which the run before has not ended. */
export const OVERLAPS = ['skip', 'queue', 'allow'] as const;

/** The treatment of a moment at which the run before has not ended. */
export type Overlap = (typeof OVERLAPS)[number];

/** The choices of moments that are made up for, of those that passed while no gateway lived. */
export const CATCH_UPS = ['none', 'last', 'all'] as const;

/** Which of the moments are made up for that passed while no gateway lived. */
export type CatchUp = (typeof CATCH_UPS)[number];

/** When a schedule starts tasks, as it was written: exactly one of the three. */
export type ScheduleTiming =
  /** Five or six fields, in the time zone of the schedule. */
  | { readonly cron: string }
  /** A duration, or a number of seconds: from the moment on at which it was stored. */
  | { readonly every: string | number }
  /** ISO 8601, or seconds since 1970: once. */
  | { readonly at: string | number };

/** The definition of a schedule: the task that it starts, and when. Defaults are filled in. */
export interface ScheduleOrder {
  /** `name`, or `name@3` for a version of the flow. */
  readonly flow: string;
  readonly parameters: JsonObject;
  readonly labels: Readonly<Record<string, string>>;
  readonly priority: number;
  readonly timing: ScheduleTiming;
  /** Name of an IANA time zone. */
  readonly timezone: string;
  readonly overlap: Overlap;
  readonly catchUp: CatchUp;
}

/** A start that was decided on and is to be carried out, whoever dies meanwhile. */
export interface ScheduledStart {
  /** Milliseconds since 1970. */
  readonly moment: number;
  /** It follows from the schedule and the moment, so that a second start finds the first. */
  readonly taskId: string;
}

/** The last task that a schedule started. Times are milliseconds since 1970. */
export interface ScheduledRun {
  /** The moment it is for; null: somebody started it by hand. */
  readonly moment: number | null;
  readonly taskId: string;
  readonly at: number;
}

/**
 * Why a moment has no task: the run before had not ended, as many moments were waiting for it as
 * may, no gateway lived, the schedule was paused while the moment waited, or the flow had as many
 * live tasks as it may have.
 */
export type SkipReason = 'overlap' | 'queue_full' | 'missed' | 'paused' | 'too_many_live';

/** The last moment that was skipped. Times are milliseconds since 1970. */
export interface SkippedMoment {
  readonly moment: number;
  readonly at: number;
  readonly reason: SkipReason;
}

/**
 * The result of a moment: it has a task, or can have none (`failed`), or was skipped. `made_up`: it
 * passed while no gateway lived, and waits to be started late.
 */
type MomentResult = 'started' | 'failed' | 'made_up' | SkipReason;

/** Moments in a row with the same result. Times are milliseconds since 1970. */
export interface MomentSpell {
  readonly result: MomentResult;
  /** The first moment and the last. */
  readonly from: number;
  readonly to: number;
  /** How many they are, at most 1,000 of those that were found at once. */
  readonly count: number;
  /** When the last of them was seen to. */
  readonly at: number;
  /** `started`: id of the last task. `failed`: why, with its code. Else null. */
  readonly detail: string | null;
}

/** Spells of one schedule that are kept. */
export const SPELLS_MAX = 50;

/** Why the task of a moment could not be made. Times are milliseconds since 1970. */
export interface ScheduleError {
  readonly moment: number;
  readonly at: number;
  readonly code: string;
  readonly message: string;
  /** Whether it is tried again; else the moment is given up. */
  readonly isRetried: boolean;
}

/** The counts of a schedule's moments so far, by their result. */
export interface MomentCounts {
  readonly started: number;
  readonly skipped: number;
  /** Of which no task could be made. */
  readonly failed: number;
}

/** A person has stopped a schedule for now. */
export interface SchedulePause {
  readonly by: string;
  /** Null: none was given. */
  readonly reason: string | null;
  /** Milliseconds since 1970. */
  readonly since: number;
}

/** The work that the secrets of a schedule were given to. */
export interface ScheduleSecrets {
  /** When they were sent last, in milliseconds since 1970. */
  readonly at: number;
  /** A digest of what the flow did with its parameters then. */
  readonly work: string;
}

/**
 * A schedule as stored: what was written, and where it stands. Times are milliseconds since 1970.
 */
export interface ScheduleRecord {
  readonly name: string;
  /** New with every schedule that is stored under a name that was free. */
  readonly id: string;
  /** 1 and one more with every write: every write is conditional on it. */
  readonly revision: number;
  /** 1 and one more with every change by a person. */
  readonly generation: number;
  readonly order: ScheduleOrder;
  /** From when on its moments count: when its timing was stored. */
  readonly anchor: number;
  readonly pause: SchedulePause | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly updatedBy: string;
  /** Of the key or the token that its order was stored with; absent: nobody was asked for one. */
  readonly keyId?: string;
  /** The limits of its author, which bind the tasks that it starts; absent: there were none. */
  readonly limits?: StartLimits;
  /** The work that secrets among its parameters are for; absent: there are none. */
  readonly secretsFor?: ScheduleSecrets;
  /** The next moment that has not come or was not decided on; null: paused, or there is none. */
  readonly nextAt: number | null;
  /** Moments that came and wait for their turn, the earliest first. */
  readonly waiting: readonly number[];
  readonly starting: ScheduledStart | null;
  /** When somebody must look at it again; null: nothing will happen by itself. */
  readonly dueAt: number | null;
  readonly lastRun: ScheduledRun | null;
  /** Ids of tasks that it started and that may not have ended, the newest last. */
  readonly running: readonly string[];
  readonly lastSkipped: SkippedMoment | null;
  readonly lastError: ScheduleError | null;
  readonly counts: MomentCounts;
  /** The results of the latest moments, the newest last; absent: nothing yet. */
  readonly past?: readonly MomentSpell[];
}

/** Moments that wait at most; further ones are skipped. */
export const WAITING_MAX = 100;

/** Tasks of one schedule that are kept in mind at most until they have ended. */
export const RUNNING_MAX = 20;

/** Which schedules to list. */
export interface ScheduleQuery {
  /** Only names behind this one. */
  readonly after?: string | undefined;
  /** At least 1. */
  readonly limit: number;
}

/**
 * The stored schedule that a write takes the place of: the one that was read, or the very one that
 * could not be.
 */
export type ScheduleVersion = Pick<ScheduleRecord, 'id' | 'revision'> | RecordUnreadable;

/**
 * Where schedules are kept. Every method may throw `StoreUnavailable`, which says nothing about
 * whether a write took effect.
 */
export interface ScheduleStore {
  /** The schedule as it is stored now, or null. Throws `RecordUnreadable`. */
  find(name: string): Promise<ScheduleRecord | null>;
  /**
   * Stores a schedule durably in the place of the one that was read; `previous` null: only if the
   * name is free. False: somebody else was first, and nothing was stored.
   */
  save(next: ScheduleRecord, previous: ScheduleVersion | null): Promise<boolean>;
  /** Removes the schedule that was read. False: it is another one by now, or gone. */
  remove(name: string, previous: ScheduleVersion): Promise<boolean>;
  /** Those whose `dueAt` has come, the earliest first. */
  findDue(now: number, limit: number): Promise<readonly ScheduleRecord[]>;
  /** By the code units of their names. */
  list(query: ScheduleQuery): Promise<readonly ScheduleRecord[]>;
}
