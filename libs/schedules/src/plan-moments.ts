import {
  type MomentSpell,
  type ScheduleRecord,
  type SkipReason,
  SPELLS_MAX,
  WAITING_MAX,
} from '#ports';
import { type Moments, momentsOf, type Span } from './moments.js';

/** The facts that a decision on a schedule rests on. Times are milliseconds since 1970. */
export interface PlanFacts {
  readonly now: number;
  /** Since when this gateway has been looking without a break. */
  readonly since: number;
  /** Whether all tasks that the schedule started have ended, as far as that was asked. */
  readonly isFree: boolean;
  /** The id of the task of a moment. */
  readonly idOf: (moment: number) => string;
}

/**
 * How late a moment may be decided on by a gateway that did not live when it came, where the next
 * one is further away than this: of a run each night no restart is to take one.
 */
export const GRACE_MS = 60_000;

/**
 * A start that was decided on is left to the gateway that did so for this long, in milliseconds.
 */
export const TAKE_OVER_MS = 5_000;

/** Moments that are taken up, or skipped, in one decision. */
const ONCE_MAX = 1_000;

/** How soon it is looked again whether the run before has ended, in milliseconds. */
const LOOK_MIN_MS = 1_000;

const LOOK_MAX_MS = 30_000;

/**
 * Decides the moments that have come: each is skipped, waits, or is to be started, and no later
 * decision changes it. The gateway that stores the answer decides; others decide again. The same
 * object: there is nothing to decide.
 */
export function planMoments(record: ScheduleRecord, facts: PlanFacts): ScheduleRecord {
  const { now } = facts;
  const taken = record.starting === null ? takeNext(takeUp(record, facts), facts) : record;
  const dueAt = dueOf(taken, now);
  if (taken === record && dueAt === record.dueAt) return record;
  return { ...taken, dueAt, revision: record.revision + 1 };
}

/** When a gateway must look at a schedule that stands so. */
export function dueOf(record: ScheduleRecord, now: number): number | null {
  const { nextAt, order, starting, waiting } = record;
  if (starting !== null) return now + TAKE_OVER_MS;
  const [first] = waiting;
  if (first === undefined) return nextAt;
  if (order.overlap !== 'queue') return now;
  const look = now + Math.min(LOOK_MAX_MS, Math.max(LOOK_MIN_MS, (now - first) / 10));
  return Math.floor(Math.min(nextAt ?? Infinity, look));
}

/** Moments that have come wait from then on, apart from those that nobody makes up for. */
function takeUp(record: ScheduleRecord, { now, since }: PlanFacts): ScheduleRecord {
  const { nextAt, order } = record;
  if (nextAt === null || nextAt > now) return record;
  const moments = momentsOf(order, record.anchor);
  const missedBefore = missedUntil(moments, { from: nextAt, before: Math.min(since, now) });
  const present = nextAt < missedBefore ? makeUp(record, moments, { missedBefore, now }) : record;
  return takeUpDue(present, moments, now);
}

/** The first moment that was not missed, or the end of the time in which no gateway lived. */
function missedUntil(moments: Moments, span: Span): number {
  const [newest] = span.from < span.before ? moments.last(span, 1) : [];
  if (newest === undefined || newest < span.before - GRACE_MS) return span.before;
  const next = moments.next(newest);
  return next !== null && next - newest <= GRACE_MS ? span.before : newest;
}

/** Leaves of the moments that passed while no gateway lived those that are to be made up for. */
function makeUp(
  record: ScheduleRecord,
  moments: Moments,
  { missedBefore, now }: { readonly missedBefore: number; readonly now: number },
): ScheduleRecord {
  const { nextAt, order, waiting } = record;
  const span = { from: nextAt ?? 0, before: missedBefore };
  const room = WAITING_MAX - waiting.length;
  const wanted = { none: 0, last: Math.min(1, room), all: room }[order.catchUp];
  const kept = wanted === 0 ? [] : moments.last(span, wanted);
  const lost = { from: span.from, before: kept[0] ?? span.before };
  const [skipped] = moments.last(lost, 1);
  const rest = {
    ...record,
    nextAt: moments.next(missedBefore - 1),
    waiting: [...waiting, ...kept],
  };
  const count = skipped === undefined ? 0 : moments.count(lost, ONCE_MAX);
  const told =
    skipped === undefined
      ? rest
      : skip(rest, { first: span.from, moment: skipped, reason: 'missed', count, now });
  const [from] = kept;
  if (from === undefined) return told;
  const to = kept.at(-1) ?? from;
  const late = { from, to, count: kept.length, at: now, detail: null };
  return { ...told, past: withSpell(told.past, { result: 'made_up', ...late }) };
}

function takeUpDue(record: ScheduleRecord, moments: Moments, now: number): ScheduleRecord {
  const { overlap } = record.order;
  const waiting = [...record.waiting];
  let { nextAt } = record;
  const lost: number[] = [];
  for (let n = 0; n < ONCE_MAX && nextAt !== null && nextAt <= now; n += 1) {
    if (waiting.length < WAITING_MAX) waiting.push(nextAt);
    else if (overlap !== 'queue') break;
    else lost.push(nextAt);
    nextAt = moments.next(nextAt);
  }
  const next = { ...record, nextAt, waiting };
  const [first] = lost;
  if (first === undefined) return next;
  const moment = lost.at(-1) ?? first;
  return skip(next, { first, moment, reason: 'queue_full', count: lost.length, now });
}

/** The first that waits is started, or waits on, or all that wait are skipped. */
function takeNext(record: ScheduleRecord, { idOf, isFree, now }: PlanFacts): ScheduleRecord {
  const { order, waiting } = record;
  const [moment, ...rest] = waiting;
  if (moment === undefined) return record;
  if (isFree || order.overlap === 'allow') {
    const running = order.overlap === 'allow' ? record.running : [];
    return { ...record, running, waiting: rest, starting: { moment, taskId: idOf(moment) } };
  }
  if (order.overlap === 'queue') return record;
  const last = waiting.at(-1) ?? moment;
  return skip(
    { ...record, waiting: [] },
    { first: moment, moment: last, reason: 'overlap', count: waiting.length, now },
  );
}

/** The moments that were skipped, from the first to the last, and when that was found. */
interface Skip {
  readonly first: number;
  readonly moment: number;
  readonly reason: SkipReason;
  readonly count: number;
  readonly now: number;
}

/** The schedule with moments noted that have no task. */
export function skip(
  record: ScheduleRecord,
  { count, first, moment, now, reason }: Skip,
): ScheduleRecord {
  const { counts, past } = record;
  const spell = { result: reason, from: first, to: moment, count, at: now, detail: null };
  return {
    ...record,
    past: withSpell(past, spell),
    lastSkipped: { moment, at: now, reason },
    counts: { ...counts, skipped: counts.skipped + count },
  };
}

/** Results of moments, with these added; one that is the same as the last becomes one with it. */
export function withSpell(
  past: readonly MomentSpell[] = [],
  spell: MomentSpell,
): readonly MomentSpell[] {
  const last = past.at(-1);
  const isSame =
    last !== undefined &&
    last.result === spell.result &&
    (spell.result !== 'failed' || last.detail === spell.detail);
  if (!isSame) return [...past, spell].slice(-SPELLS_MAX);
  const { from } = last;
  return [...past.slice(0, -1), { ...spell, from, count: last.count + spell.count }];
}
