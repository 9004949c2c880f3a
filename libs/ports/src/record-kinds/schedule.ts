import type { JsonObject } from '#core';
import type { StartLimits } from '#core/flow';
import {
  COUNT,
  DATE,
  FINITE,
  FLAG,
  listOf,
  MOMENT,
  NUMBERED,
  OBJECT,
  oneOf,
  orAbsent,
  orNull,
  type Rule,
  TEXT,
  TEXTS,
  withMembers,
} from '#core/json';
import { limitsFault } from '#core/stored';
import { recordKind, TEXT_OR_NUMBER } from '../record-kind.js';

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
interface ScheduledRun {
  /** The moment it is for; null: a person started it by hand. */
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
interface SkippedMoment {
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
interface ScheduleError {
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
interface SchedulePause {
  readonly by: string;
  /** Null: none was given. */
  readonly reason: string | null;
  /** Milliseconds since 1970. */
  readonly since: number;
}

/** The work that the secrets of a schedule were given to. */
interface ScheduleSecrets {
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
  /** When the engine must look at it again; null: nothing will happen by itself. */
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

const TIMINGS: Readonly<Record<string, Rule>> = {
  cron: TEXT,
  every: TEXT_OR_NUMBER,
  at: TEXT_OR_NUMBER,
};

const TIMING: Rule = {
  means: 'one of `cron`, `every` and `at`',
  holds: (value) => {
    if (!OBJECT.holds(value)) return false;
    const [entry, ...more] = Object.entries(value as object);
    return entry !== undefined && more.length === 0 && TIMINGS[entry[0]]?.holds(entry[1]) === true;
  },
};

const ORDER = withMembers<ScheduleOrder>(
  {
    flow: TEXT,
    parameters: OBJECT,
    labels: TEXTS,
    priority: FINITE,
    timing: TIMING,
    timezone: TEXT,
    overlap: oneOf(OVERLAPS, 'a treatment of overlaps'),
    catchUp: oneOf(CATCH_UPS, 'a treatment of missed moments'),
  },
  'the order of a schedule',
);

const PAUSE = withMembers<SchedulePause>(
  { by: TEXT, reason: orNull(TEXT), since: MOMENT },
  'a pause',
);

const START = withMembers<ScheduledStart>({ moment: DATE, taskId: TEXT }, 'a start');

const RUN = withMembers<ScheduledRun>(
  { moment: orNull(MOMENT), taskId: TEXT, at: MOMENT },
  'a task that was started',
);

const SKIPPED = withMembers<SkippedMoment>(
  { moment: MOMENT, at: MOMENT, reason: TEXT },
  'a skipped moment',
);

const ERROR = withMembers<ScheduleError>(
  { moment: MOMENT, at: MOMENT, code: TEXT, message: TEXT, isRetried: FLAG },
  'an error',
);

const COUNTS = withMembers<MomentCounts>(
  { started: COUNT, skipped: COUNT, failed: COUNT },
  'the counts of moments',
);

const SPELL = withMembers<MomentSpell>(
  { result: TEXT, from: MOMENT, to: MOMENT, count: COUNT, at: MOMENT, detail: orNull(TEXT) },
  'a spell',
);

const LIMITS: Rule = {
  means: 'limits',
  holds: (value) => OBJECT.holds(value) && limitsFault(value as StartLimits) === null,
};

const SECRETS = withMembers<ScheduleSecrets>(
  { at: DATE, work: TEXT },
  'what the secrets of a schedule are for',
);

/** Schedules: each is due when the engine must look at it. */
export const SCHEDULE = recordKind<ScheduleRecord, 'due'>({
  name: 'schedule',
  plural: 'schedules',
  shape: {
    name: TEXT,
    id: TEXT,
    revision: NUMBERED,
    generation: COUNT,
    order: ORDER,
    anchor: DATE,
    pause: orNull(PAUSE),
    createdAt: DATE,
    updatedAt: DATE,
    updatedBy: TEXT,
    keyId: orAbsent(TEXT),
    limits: orAbsent(LIMITS),
    secretsFor: orAbsent(SECRETS),
    nextAt: orNull(MOMENT),
    waiting: listOf(MOMENT, 'a list of moments'),
    starting: orNull(START),
    dueAt: orNull(MOMENT),
    lastRun: orNull(RUN),
    running: listOf(TEXT, 'a list of ids'),
    lastSkipped: orNull(SKIPPED),
    lastError: orNull(ERROR),
    counts: COUNTS,
    past: orAbsent(listOf(SPELL, 'a list of spells')),
  },
  idOf: ({ name }) => name,
  version: ['id', 'revision'],
  moments: ['anchor', 'createdAt', 'updatedAt', 'nextAt', 'dueAt'],
  indexes: { due: { of: [], by: 'dueAt' } },
});
