import { isDeepStrictEqual } from 'node:util';
import type { ScheduleOrder, ScheduleRecord } from '#ports';
import { momentsOf, WrongSchedule } from './moments.js';
import { dueOf, skip } from './plan-moments.js';

/** The author and the time of a change to a schedule. */
interface Change {
  readonly by: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A change that creates a schedule or replaces its order. */
export interface PutChange extends Change {
  readonly order: ScheduleOrder;
  /** Undefined: as it is; of a new one: not paused. */
  readonly isPaused: boolean | undefined;
  /** Of the author's key or token; absent: nobody was asked for one. */
  readonly keyId?: string | undefined;
  /** The limits of the author; absent: there are none. */
  readonly limits?: ScheduleRecord['limits'] | undefined;
  /** The work that secrets among the parameters are for; absent: there are none. */
  readonly secretsFor?: ScheduleRecord['secretsFor'] | undefined;
}

/** Moments that are counted at most that passed while a schedule was paused. */
const COUNT_MAX = 1_000;

/** A schedule of a name that was free. Throws `WrongSchedule`. */
export function makeSchedule(
  { id, name }: Pick<ScheduleRecord, 'id' | 'name'>,
  change: PutChange,
): ScheduleRecord {
  const { by, isPaused = false, now, order } = change;
  const nextAt = firstMoment(order, now);
  const record: ScheduleRecord = {
    name,
    id,
    revision: 1,
    generation: 1,
    order,
    anchor: now,
    pause: isPaused ? { by, reason: null, since: now } : null,
    createdAt: now,
    updatedAt: now,
    updatedBy: by,
    ...ownOf(change),
    nextAt: isPaused ? null : nextAt,
    waiting: [],
    starting: null,
    dueAt: null,
    lastRun: null,
    running: [],
    lastSkipped: null,
    lastError: null,
    counts: { started: 0, skipped: 0, failed: 0 },
  };
  return { ...record, dueAt: dueOf(record, now) };
}

/**
 * A schedule with what was written now; the same object where that changes nothing. Its moments
 * begin again only where they are others: storing the same again disturbs nothing. Moments that
 * have come already wait on. Storing the same with another key or other limits makes it the
 * author's, and is no new generation; neither is sending its secrets again. Throws `WrongSchedule`.
 */
export function changeSchedule(record: ScheduleRecord, change: PutChange): ScheduleRecord {
  const { by: updatedBy, isPaused = record.pause !== null, now, order } = change;
  const { keyId, limits, secretsFor } = change;
  const isSame = isDeepStrictEqual(order, record.order);
  if (isSame && isPaused === (record.pause !== null)) {
    const revision = record.revision + 1;
    const isAuthors = keyId === undefined || keyId === record.keyId;
    if (!isAuthors || !isDeepStrictEqual(limits, record.limits)) {
      return { ...withOwn(record, change), updatedBy, updatedAt: now, revision };
    }
    if (isDeepStrictEqual(secretsFor, record.secretsFor)) return record;
    return { ...withOwn(record, change), revision };
  }
  const { timezone, timing } = record.order;
  const isTimed = isDeepStrictEqual([order.timing, order.timezone], [timing, timezone]);
  const anchored = isTimed
    ? { ...record, order }
    : { ...record, order, anchor: now, nextAt: firstMoment(order, now) };
  const own = withOwn(anchored, change);
  const rest = own.pause === null ? own : { ...own, nextAt: null };
  return changed(withPause(rest, isPaused, { ...change, reason: null }), record, change);
}

/** The members of a record that are its author's, and those of its secrets. */
function ownOf({ keyId, limits, secretsFor }: PutChange): Partial<ScheduleRecord> {
  return {
    ...(keyId !== undefined && { keyId }),
    ...(limits !== undefined && { limits }),
    ...(secretsFor !== undefined && { secretsFor }),
  };
}

function withOwn(record: ScheduleRecord, change: PutChange): ScheduleRecord {
  const { limits: _limits, secretsFor: _secrets, ...rest } = record;
  return { ...rest, ...ownOf(change) };
}

/** A schedule that starts nothing until a person resumes it. The same object: it is paused. */
export function pauseSchedule(
  record: ScheduleRecord,
  change: Change & { readonly reason: string },
): ScheduleRecord {
  if (record.pause !== null) return record;
  return changed(withPause(record, true, change), record, change);
}

/** A schedule that goes on with the next moment. The same object: it is not paused. */
export function resumeSchedule(record: ScheduleRecord, change: Change): ScheduleRecord {
  if (record.pause === null) return record;
  return changed(withPause(record, false, { ...change, reason: null }), record, change);
}

function changed(
  next: ScheduleRecord,
  { generation, revision }: ScheduleRecord,
  { by, now }: Change,
): ScheduleRecord {
  const numbers = { revision: revision + 1, generation: generation + 1 };
  return { ...next, ...numbers, updatedAt: now, updatedBy: by, dueAt: dueOf(next, now) };
}

function withPause(
  record: ScheduleRecord,
  isPaused: boolean,
  { by, now, reason }: Change & { readonly reason: string | null },
): ScheduleRecord {
  const { pause, waiting } = record;
  if (isPaused === (pause !== null)) return record;
  if (pause !== null) return goOn({ ...record, pause: null }, pause.since, now);
  const stopped = { ...record, pause: { by, reason, since: now }, nextAt: null, waiting: [] };
  const [first] = waiting;
  if (first === undefined) return stopped;
  const moment = waiting.at(-1) ?? first;
  return skip(stopped, { first, moment, reason: 'paused', count: waiting.length, now });
}

/** Ends a pause. Moments that passed meanwhile are not made up for. */
function goOn(record: ScheduleRecord, since: number, now: number): ScheduleRecord {
  const moments = momentsOf(record.order, record.anchor);
  const next = { ...record, nextAt: moments.next(now) };
  const span = { from: Math.max(since, record.anchor), before: now + 1 };
  const [last] = moments.last(span, 1);
  if (last === undefined) return next;
  const count = moments.count(span, COUNT_MAX);
  const first = moments.next(span.from - 1) ?? last;
  return skip(next, { first, moment: last, reason: 'paused', count, now });
}

/** The next moments of a schedule; of a paused one those that it would have. */
export function upcoming(record: ScheduleRecord, count: number, now: number): readonly number[] {
  const moments = momentsOf(record.order, record.anchor);
  const found: number[] = [];
  let at = record.nextAt ?? moments.next(now);
  while (at !== null && found.length < count) {
    found.push(at);
    at = moments.next(at);
  }
  return found;
}

/** Times that never come are most likely a slip of the pen. */
function firstMoment(order: ScheduleOrder, now: number): number {
  const first = momentsOf(order, now).next(now);
  if (first !== null) return first;
  const isOnce = 'at' in order.timing;
  const message = isOnce ? '`at` is over.' : '`cron` names no time that ever comes.';
  const hint = isOnce ? 'Write a time in the future.' : 'Compare the day with the month.';
  throw new WrongSchedule('NO_MOMENT', isOnce ? 'at' : 'cron', { message, hint });
}
