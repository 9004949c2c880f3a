import {
  COUNT,
  DATE,
  FINITE,
  FLAG,
  limitsFault,
  listOf,
  MOMENT,
  NUMBERED,
  OBJECT,
  oneOf,
  orAbsent,
  orNull,
  type Rule,
  type StartLimits,
  TEXT,
  TEXTS,
  withMembers,
} from '#core';
import { textCheck, TEXT_OR_NUMBER } from './record-form.js';
import { CATCH_UPS, OVERLAPS } from './schedule-store.js';
import type {
  MomentCounts,
  MomentSpell,
  ScheduledRun,
  ScheduledStart,
  ScheduleError,
  ScheduleOrder,
  SchedulePause,
  ScheduleRecord,
  ScheduleSecrets,
  SkippedMoment,
} from './schedule-store.js';

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

/** The schedule of a stored text, under its name. Throws `DocumentFault`. */
export const readSchedule = textCheck<ScheduleRecord>(
  {
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
  'name',
);
