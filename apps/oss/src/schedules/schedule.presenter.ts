import { type JsonObject, maskValues } from '#core';
import type { MomentCounts, ScheduleRecord, SkipReason } from '#ports';
import type { PublicAuthor } from '../access/authors.js';
import type { HiddenIds } from '../access/hidden-tasks.js';

/** The task that a schedule started last. Times are ISO 8601. */
interface PublicRun {
  /** Null: it was started by hand. */
  readonly moment: string | null;
  /** Null: the caller does not see it. */
  readonly taskId: string | null;
  readonly at: string;
}

/** A moment that was skipped. Times are ISO 8601. */
interface PublicSkip {
  readonly moment: string;
  readonly at: string;
  readonly reason: SkipReason;
}

/** Why there is no task of a moment. Times are ISO 8601. */
interface PublicError {
  readonly moment: string;
  readonly at: string;
  readonly code: string;
  readonly message: string;
  readonly retried: boolean;
}

/** A schedule as HTTP shows it. Times are ISO 8601. */
export interface PublicSchedule {
  readonly name: string;
  readonly flow: string;
  readonly parameters: JsonObject;
  readonly labels: Readonly<Record<string, string>>;
  readonly priority: number;
  readonly cron?: string;
  readonly every?: string | number;
  readonly at?: string | number;
  readonly timezone: string;
  readonly overlap: string;
  readonly catchUp: string;
  readonly paused: boolean;
  readonly pause: { readonly by: string; readonly reason: string | null; since: string } | null;
  readonly generation: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly updatedBy: string;
  /** The key or token that it was stored with; null: nobody was asked for one. */
  readonly author: PublicAuthor | null;
  readonly nextAt: string | null;
  /** Moments that wait for the end of the run before. */
  readonly waiting: readonly string[];
  readonly lastRun: PublicRun | null;
  readonly lastSkipped: PublicSkip | null;
  readonly lastError: PublicError | null;
  readonly counts: MomentCounts;
  /** The next moments; absent: they were not asked for. */
  readonly next?: readonly string[];
}

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

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}

function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : timeText(ms);
}
