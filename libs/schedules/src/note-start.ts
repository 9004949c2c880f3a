import { RUNNING_MAX, type ScheduledStart, type ScheduleRecord, type SkipReason } from '#ports';
import { dueOf, skip, withSpell } from './plan-moments.js';

/**
 * The result of starting a task. `skipped`: the moment passes without one. `failed`: there can be
 * no task of this moment. `later`: not now, for a reason that passes.
 */
export type StartResult =
  | { readonly kind: 'started' }
  | { readonly kind: 'skipped'; readonly reason: SkipReason }
  | { readonly kind: 'failed' | 'later'; readonly code: string; readonly message: string };

/** After how long a start is tried again that could not be carried out, in milliseconds. */
const RETRY_MS = 5_000;

/**
 * The schedule once the result of a start is known; the same object where that was noted already.
 * A good start ends what the last error told.
 */
export function noteStart(
  record: ScheduleRecord,
  start: ScheduledStart,
  { now, result }: { readonly now: number; readonly result: StartResult },
): ScheduleRecord {
  if (record.starting?.taskId !== start.taskId) return record;
  const { moment, taskId } = start;
  const { counts, past, revision } = record;
  const next = { ...record, revision: revision + 1 };
  const spell = { from: moment, to: moment, count: 1, at: now };
  if (result.kind === 'started') {
    const run = { moment, taskId, at: now };
    const started = counts.started + 1;
    const told = {
      lastRun: run,
      lastError: null,
      counts: { ...counts, started },
      past: withSpell(past, { ...spell, result: 'started', detail: taskId }),
    };
    return settled({ ...next, ...told, running: withRun(record, taskId) }, now);
  }
  if (result.kind === 'skipped') {
    const { reason } = result;
    const skipped = { first: moment, moment, reason, count: 1, now };
    return settled(skip({ ...next, ...untried(record) }, skipped), now);
  }
  const { code, kind, message } = result;
  const isRetried = kind === 'later';
  const lastError = { moment, at: now, code, message, isRetried };
  if (isRetried) return { ...next, lastError, dueAt: now + RETRY_MS };
  const failed = {
    lastError,
    counts: { ...counts, failed: counts.failed + 1 },
    past: withSpell(past, { ...spell, result: 'failed', detail: `${message} (${code})` }),
  };
  return settled({ ...next, ...failed }, now);
}

/** The last error, unless it says that what is given up now is tried again. */
function untried({ lastError }: ScheduleRecord): Pick<ScheduleRecord, 'lastError'> {
  return { lastError: lastError?.isRetried === true ? null : lastError };
}

/** The schedule once a person has started a task by hand, which counts for what follows. */
export function noteTrigger(record: ScheduleRecord, taskId: string, now: number): ScheduleRecord {
  if (record.lastRun?.taskId === taskId) return record;
  const lastRun = { moment: null, taskId, at: now };
  const running = withRun(record, taskId);
  return { ...record, lastRun, running, revision: record.revision + 1 };
}

function withRun({ running }: ScheduleRecord, taskId: string): readonly string[] {
  return [...running, taskId].slice(-RUNNING_MAX);
}

function settled(record: ScheduleRecord, now: number): ScheduleRecord {
  const rest = { ...record, starting: null };
  return { ...rest, dueAt: dueOf(rest, now) };
}
