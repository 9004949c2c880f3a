import { maskValues } from '#core/secrets';
import type { ScheduleRecord } from '#ports';
import type { PublicAuthor } from '../access/authors.js';
import type { HiddenIds } from '../access/hidden-tasks.js';
import { type Shown, timeText } from '../requests/shown.js';

/** The task that a schedule started last. Times are ISO 8601. */
type PublicRun = NonNullable<PublicSchedule['lastRun']>;

/** Why there is no task of a moment. Times are ISO 8601. */
type PublicError = NonNullable<PublicSchedule['lastError']>;

/** A schedule as HTTP shows it. Times are ISO 8601. */
export type PublicSchedule = Shown<'Schedule'>;

/** A schedule as HTTP shows it, with these next moments. */
export function presentSchedule(
  record: ScheduleRecord,
  author: PublicAuthor | null,
  more: { readonly hidden: HiddenIds; readonly next?: readonly number[] | undefined },
): PublicSchedule {
  const { hidden, next } = more;
  const { counts, generation, lastError, lastRun, lastSkipped, name, order, pause } = record;
  const { timing, ...rest } = order;
  return {
    name,
    ...rest,
    parameters: maskValues(order.parameters),
    ...timing,
    paused: pause !== null,
    pause: pause && { ...pause, since: timeText(pause.since) },
    generation,
    createdAt: timeText(record.createdAt),
    updatedAt: timeText(record.updatedAt),
    updatedBy: record.updatedBy,
    author,
    nextAt: timeOrNull(record.nextAt),
    waiting: record.waiting.map(timeText),
    lastRun: lastRun && presentRun(lastRun, hidden),
    lastSkipped: lastSkipped && { ...lastSkipped, ...timesOf(lastSkipped) },
    lastError: lastError && presentError(lastError),
    counts,
    ...(next !== undefined && { next: next.map(timeText) }),
  };
}

/** The tag of a schedule: it changes with what people write, and not with what it starts. */
export function scheduleTag({ generation }: Pick<ScheduleRecord, 'generation'>): string {
  return `"${generation}"`;
}

function presentRun(
  { at, moment, taskId }: NonNullable<ScheduleRecord['lastRun']>,
  hidden: HiddenIds,
): PublicRun {
  const id = hidden.has(taskId) ? null : taskId;
  return { moment: timeOrNull(moment), taskId: id, at: timeText(at) };
}

function presentError(error: NonNullable<ScheduleRecord['lastError']>): PublicError {
  const { code, isRetried: retried, message } = error;
  return { ...timesOf(error), code, message, retried };
}

function timesOf({ at, moment }: { readonly at: number; readonly moment: number }) {
  return { moment: timeText(moment), at: timeText(at) };
}

function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : timeText(ms);
}
