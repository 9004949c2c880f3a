import { IsBoolean, IsIn, IsInt, Max, Min, ValidateBy } from 'class-validator';
import type { JsonObject } from '#core';
import { DURATION_PATTERN } from '#wording';
import { CATCH_UPS, OVERLAPS } from '#ports';
import type { CatchUp, Overlap, ScheduleOrder, ScheduleTiming } from '#ports';
import { IsJsonObject, IsLabels, IsText, MayBeAbsent } from '../requests/decorators.js';
import {
  FLOW_NAME,
  KEY,
  LABEL_NAME,
  LABEL_VALUE,
  LABELS_MAX,
  PRIORITY_MAX,
  REASON,
} from '../requests/limits.js';
import { wrongSchedule } from './schedule-problem.js';
import { RequestReader } from '../requests/request-reader.js';

/** Defaults of members that a request leaves out. */
const SCHEDULE_DEFAULTS = { timezone: 'UTC', overlap: 'skip', catchUp: 'last' } as const;

/** Every task of a schedule has its name as this label. */
export const SCHEDULE_LABEL = 'schedule';

/** The moment that a task is for stands in this label, in ISO 8601; by hand there is none. */
export const MOMENT_LABEL = 'moment';

const PRIORITY = `\`priority\` is a whole number from ${-PRIORITY_MAX} to ${PRIORITY_MAX}.`;
const OVERLAP = `\`overlap\` is one of ${OVERLAPS.join(', ')}.`;
const CATCH_UP = `\`catchUp\` is one of ${CATCH_UPS.join(', ')}.`;

/** Text or a number, as times are written. Its value is read later. */
function IsTime(message: string): PropertyDecorator {
  const validate = (value: unknown): boolean => typeof value === 'string' || isNumber(value);
  return ValidateBy({ name: 'isTime', validator: { validate } }, { message });
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value);
}

/** Body of `PUT /v1/schedules/{name}`. */
class ScheduleRequest {
  @IsText(FLOW_NAME, '`flow` is the name of a flow: text of 1 to 200 characters.')
  flow!: string;

  @MayBeAbsent()
  @IsJsonObject('`parameters` must be an object.')
  parameters?: JsonObject;

  @MayBeAbsent()
  @IsLabels()
  labels?: Readonly<Record<string, string>>;

  @MayBeAbsent()
  @Max(PRIORITY_MAX, { message: PRIORITY })
  @Min(-PRIORITY_MAX, { message: PRIORITY })
  @IsInt({ message: PRIORITY })
  priority?: number;

  @MayBeAbsent()
  @IsText(KEY, '`cron` is a cron expression: text of 1 to 255 characters.')
  cron?: string;

  @MayBeAbsent()
  @IsTime('`every` is a duration such as 15m, or a number of seconds.')
  every?: string | number;

  @MayBeAbsent()
  @IsTime('`at` is a time in ISO 8601, or a number of seconds since 1970.')
  at?: string | number;

  @MayBeAbsent()
  @IsText(KEY, '`timezone` is the name of a time zone, such as Europe/Berlin.')
  timezone?: string;

  @MayBeAbsent()
  @IsIn(OVERLAPS, { message: OVERLAP })
  overlap?: Overlap;

  @MayBeAbsent()
  @IsIn(CATCH_UPS, { message: CATCH_UP })
  catchUp?: CatchUp;

  @MayBeAbsent()
  @IsBoolean({ message: '`paused` is true or false.' })
  paused?: boolean;
}

/** The same as a JSON Schema; that exactly one of the times is there, it does not say. */
export const SCHEDULE_SCHEMA = {
  type: 'object',
  required: ['flow'],
  additionalProperties: false,
  properties: {
    flow: { type: 'string', pattern: FLOW_NAME, description: 'As for a task.' },
    parameters: { type: 'object', description: 'As for a task. Default: {}.' },
    labels: {
      type: 'object',
      maxProperties: LABELS_MAX,
      propertyNames: { pattern: LABEL_NAME },
      additionalProperties: { type: 'string', pattern: LABEL_VALUE },
      description: 'As for a task; `schedule` and `moment` are added. Default: {}.',
    },
    priority: {
      type: 'integer',
      minimum: -PRIORITY_MAX,
      maximum: PRIORITY_MAX,
      description: 'As for a task. Default: 0.',
    },
    cron: { type: 'string', pattern: KEY, description: 'Five or six fields.' },
    every: {
      type: ['string', 'number'],
      pattern: DURATION_PATTERN,
      description: '15m, or seconds; at least one.',
    },
    at: {
      type: ['string', 'number'],
      pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}(T.*)?$',
      description: 'Once: ISO 8601, or seconds since 1970.',
    },
    timezone: {
      type: 'string',
      pattern: KEY,
      description: 'IANA name, for `cron` and for `at` without an offset. Default: UTC.',
    },
    overlap: {
      enum: [...OVERLAPS],
      description: 'While the run before has not ended. Default: skip.',
    },
    catchUp: {
      enum: [...CATCH_UPS],
      description: 'What is made up for that passed while no gateway lived. Default: last.',
    },
    paused: { type: 'boolean', description: 'Default: as it is; of a new schedule false.' },
  },
} as const;

const WHY = '`reason` says why, in 1 to 1000 characters; it is kept in the audit log.';

/** Body of `:trigger`, which may be left out. */
class TriggerRequest {
  @MayBeAbsent()
  @IsText(REASON, WHY)
  reason?: string;
}

/** The same as a JSON Schema. */
export const TRIGGER_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: { reason: { ...REASON, description: WHY } },
} as const;

/** Reads the body of `:trigger`. */
export const triggerReader = new RequestReader(TriggerRequest, TRIGGER_SCHEMA);

const reader = new RequestReader(ScheduleRequest, SCHEDULE_SCHEMA);

/** Reads the body of `PUT /v1/schedules/{name}`. Throws a `Problem`. */
export function readScheduleRequest(body: unknown): ScheduleRequest {
  const request = reader.read(body);
  for (const label of [SCHEDULE_LABEL, MOMENT_LABEL]) {
    if (!Object.hasOwn(request.labels ?? {}, label)) continue;
    const message = `Every task of a schedule has a label \`${label}\` already: leave it out.`;
    const code = 'RESERVED_LABEL';
    throw wrongSchedule({ pointer: `/labels/${label}`, code, message });
  }
  return request;
}

/** The order that a request writes, with defaults. Throws a `Problem` unless it has one time. */
export function orderOf(request: ScheduleRequest): ScheduleOrder {
  const { catchUp, flow, labels, overlap, parameters, priority, timezone } = request;
  return {
    flow,
    parameters: parameters ?? {},
    labels: labels ?? {},
    priority: priority ?? 0,
    timing: timingOf(request),
    timezone: timezone ?? SCHEDULE_DEFAULTS.timezone,
    overlap: overlap ?? SCHEDULE_DEFAULTS.overlap,
    catchUp: catchUp ?? SCHEDULE_DEFAULTS.catchUp,
  };
}

function timingOf({ at, cron, every }: ScheduleRequest): ScheduleTiming {
  const timings: ScheduleTiming[] = [];
  if (cron !== undefined) timings.push({ cron });
  if (every !== undefined) timings.push({ every });
  if (at !== undefined) timings.push({ at });
  const [first, second] = timings;
  if (first !== undefined && second === undefined) return first;
  const message = 'A schedule has exactly one of `cron`, `every` and `at`.';
  const pointer = second === undefined ? '' : `/${Object.keys(second)[0]}`;
  const code = second === undefined ? 'NO_TIME' : 'TOO_MANY_TIMES';
  throw wrongSchedule({ pointer, code, message });
}
