import { IsBoolean, IsIn } from 'class-validator';
import type { JsonObject } from '#core';
import { type InputFault, Problem } from '#http-server';
import { DURATION_PATTERN } from '#wording';
import {
  CATCH_UPS,
  type CatchUp,
  type Overlap,
  OVERLAPS,
  type ScheduleOrder,
  type ScheduleTiming,
} from '#ports';
import {
  Described,
  IsJsonObject,
  IsLabels,
  IsPriority,
  IsText,
  IsTextOrNumber,
  MayBeAbsent,
} from '../requests/decorators.js';
import { FLOW_NAME, KEY, REASON } from '../requests/limits.js';
import { RequestReader } from '../requests/request-reader.js';

/** Defaults of members that a request leaves out. */
const SCHEDULE_DEFAULTS = { timezone: 'UTC', overlap: 'skip', catchUp: 'last' } as const;

/** Every task of a schedule has its name as this label. */
export const SCHEDULE_LABEL = 'schedule';

/** The moment that a task is for stands in this label, in ISO 8601; by hand there is none. */
export const MOMENT_LABEL = 'moment';

const TIME_PATTERN = '^[0-9]{4}-[0-9]{2}-[0-9]{2}(T.*)?$';
const OVERLAP = `\`overlap\` is one of ${OVERLAPS.join(', ')}.`;
const CATCH_UP = `\`catchUp\` is one of ${CATCH_UPS.join(', ')}.`;

/** Body of `PUT /v1/schedules/{name}`; that exactly one of the times is there is checked later. */
class ScheduleRequest {
  @Described('As for a task.')
  @IsText(FLOW_NAME, '`flow` is the name of a flow: text of 1 to 200 characters.')
  flow!: string;

  @Described('As for a task. Default: {}.')
  @MayBeAbsent()
  @IsJsonObject('`parameters` must be an object.')
  parameters?: JsonObject;

  @Described('As for a task; `schedule` and `moment` are added. Default: {}.')
  @MayBeAbsent()
  @IsLabels()
  labels?: Readonly<Record<string, string>>;

  @Described('As for a task. Default: 0.')
  @MayBeAbsent()
  @IsPriority()
  priority?: number;

  @Described('Cron expression of five or six fields.')
  @MayBeAbsent()
  @IsText(KEY, '`cron` is a cron expression: text of 1 to 255 characters.')
  cron?: string;

  @Described('Interval: 15m, or seconds; at least one second.', { pattern: DURATION_PATTERN })
  @MayBeAbsent()
  @IsTextOrNumber('`every` is a duration such as 15m, or a number of seconds.')
  every?: string | number;

  @Described('One moment: ISO 8601, or seconds since 1970.', { pattern: TIME_PATTERN })
  @MayBeAbsent()
  @IsTextOrNumber('`at` is a time in ISO 8601, or a number of seconds since 1970.')
  at?: string | number;

  @Described('IANA time zone of `cron`, and of `at` without an offset. Default: UTC.')
  @MayBeAbsent()
  @IsText(KEY, '`timezone` is the name of a time zone, such as Europe/Berlin.')
  timezone?: string;

  @Described('What to do at a moment while the previous run has not ended. Default: skip.')
  @MayBeAbsent()
  @IsIn(OVERLAPS, { message: OVERLAP })
  overlap?: Overlap;

  @Described('Which moments to run later that passed while no gateway ran. Default: last.')
  @MayBeAbsent()
  @IsIn(CATCH_UPS, { message: CATCH_UP })
  catchUp?: CatchUp;

  @Described('Default: unchanged; false for a new schedule.')
  @MayBeAbsent()
  @IsBoolean({ message: '`paused` is true or false.' })
  paused?: boolean;
}

const WHY = '`reason` says why, in 1 to 1000 characters; it is kept in the audit log.';

/** Body of `:trigger`, which may be left out. */
class TriggerRequest {
  @Described(WHY)
  @MayBeAbsent()
  @IsText(REASON, WHY)
  reason?: string;
}

/** Reads the body of `:trigger`. */
export const triggerReader = new RequestReader(TriggerRequest);

/** Reads the body of `PUT /v1/schedules/{name}` by itself; `readScheduleRequest` does all of it. */
export const scheduleReader = new RequestReader(ScheduleRequest);

/** Reads the body of `PUT /v1/schedules/{name}`. Throws a `Problem`. */
export function readScheduleRequest(body: unknown): ScheduleRequest {
  const request = scheduleReader.read(body);
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

/** The problem with what a request says of a schedule. */
export function wrongSchedule(fault: InputFault): Problem {
  return new Problem('INVALID_SCHEDULE', fault.message, { errors: [fault] });
}
