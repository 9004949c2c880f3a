import type { JsonObject } from '#core';
import type { MomentSpell, ScheduleRecord } from '#ports';
import type { PublicAuthor } from '../access/authors.js';
import type { HiddenIds } from '../access/hidden-tasks.js';
import { ago, moment, type NextStep, WAIT } from '../why/cause.js';
import { timeText } from '../requests/shown.js';

/** Why a schedule starts no task now, or will not by itself. */
type ScheduleCauseCode =
  | 'PAUSED'
  | 'OVER'
  | 'FLOW_GONE'
  | 'START_RETRIED'
  | 'STARTING'
  | 'WAITS_FOR_RUN'
  | 'WAITS_FOR_MOMENT'
  | 'AUTHOR_GONE';

/** One reason. */
interface ScheduleCause {
  readonly code: ScheduleCauseCode;
  readonly message: string;
  /** ISO 8601; null: that is not known. */
  readonly since: string | null;
  /** The facts that it was told by. */
  readonly evidence: JsonObject;
  readonly next: readonly NextStep[];
}

/** Moments in a row that fared alike. Times are ISO 8601. */
interface PastMoments {
  readonly result: MomentSpell['result'];
  readonly from: string;
  readonly to: string;
  readonly count: number;
  /** When the last of them was seen to. */
  readonly at: string;
  /** For people. */
  readonly message: string;
  /** Of the last one, where it has a task. */
  readonly taskId: string | null;
}

/** How a schedule stands, and how its latest moments fared. */
export interface ScheduleExplanation {
  /** Whether it goes on by itself. */
  readonly active: boolean;
  readonly causes: readonly ScheduleCause[];
  /** The newest first. */
  readonly past: readonly PastMoments[];
}

/** A schedule in its surroundings: what reasons are found in. */
interface ScheduleSituation {
  readonly record: ScheduleRecord;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly author: PublicAuthor | null;
  /** Why no task of its flow can be made; null: one can. */
  readonly flowFault: string | null;
  /** Tasks of it that have not ended. */
  readonly running: readonly string[];
  /** Of the tasks that the record names those that the caller does not see. */
  readonly hidden: HiddenIds;
}

/** Codes that say that a person must act before anything is started. */
const STOPS: ReadonlySet<ScheduleCauseCode> = new Set(['PAUSED', 'OVER', 'FLOW_GONE']);

/** Lists the causes that keep a schedule from starting tasks, and how its latest moments fared. */
export function explainSchedule(situation: ScheduleSituation): ScheduleExplanation {
  const { past = [] } = situation.record;
  const { hidden } = situation;
  const causes = [...standing(situation), ...authorGone(situation)];
  return {
    active: causes.every(({ code }) => !STOPS.has(code)),
    causes,
    past: past.map((spell) => presentSpell(spell, hidden)).toReversed(),
  };
}

/** The ids of the tasks that a schedule names: of flows that it started then. */
export function tasksIn({ past = [], running, starting }: ScheduleRecord): readonly string[] {
  const started = past.flatMap(({ detail, result }) =>
    result === 'started' ? (detail ?? []) : [],
  );
  return [...running, ...started, ...(starting === null ? [] : [starting.taskId])];
}

function standing(situation: ScheduleSituation): readonly ScheduleCause[] {
  const { record } = situation;
  if (record.pause !== null) return [paused(record, record.pause)];
  const fault = situation.flowFault === null ? [] : [flowGone(record, situation.flowFault)];
  return [...fault, ...waiting(situation)];
}

function paused({ name }: ScheduleRecord, pause: NonNullable<ScheduleRecord['pause']>) {
  const { by, reason, since } = pause;
  const why = reason === null ? '' : `: ${reason}`;
  return {
    code: 'PAUSED' as const,
    message: `${by} paused the schedule${why}. Its moments pass without a task.`,
    since: moment(since),
    evidence: { by, reason },
    next: [{ action: 'resume', label: `Resume it: backstep schedule resume ${name}` }],
  };
}

function flowGone({ order: { flow } }: ScheduleRecord, message: string): ScheduleCause {
  const next = [
    { action: 'put_flow', label: 'Restore the flow, or have the schedule start another one' },
  ];
  return { code: 'FLOW_GONE', message, since: null, evidence: { flow }, next };
}

function waiting({ hidden, now, record, running }: ScheduleSituation): readonly ScheduleCause[] {
  const { lastError, nextAt, starting } = record;
  const shown = running.filter((taskId) => !hidden.has(taskId));
  if (starting !== null) {
    const taskId = hidden.has(starting.taskId) ? null : starting.taskId;
    const evidence = { moment: moment(starting.moment), taskId };
    const since = moment(starting.moment);
    if (lastError?.isRetried !== true) {
      const message = 'A task of the schedule is being started.';
      return [{ code: 'STARTING', message, since, evidence, next: [WAIT] }];
    }
    const message = `The start is tried again every few seconds: ${lastError.message}`;
    const told = { ...evidence, code: lastError.code };
    return [{ code: 'START_RETRIED', message, since, evidence: told, next: [WAIT] }];
  }
  const [first] = record.waiting;
  if (first !== undefined) {
    const message = `${record.waiting.length} moments wait for the end of the previous run.`;
    const evidence = { waiting: record.waiting.map(moment), running: shown };
    const [one] = shown;
    const label = `See why that task does not end: task why ${one}`;
    const next = one === undefined ? [WAIT] : [{ action: 'why', label }];
    return [{ code: 'WAITS_FOR_RUN', message, since: moment(first), evidence, next }];
  }
  if (nextAt === null) {
    const message = 'All of its moments are over.';
    const next = [{ action: 'put', label: 'Store it with other times' }];
    return [{ code: 'OVER', message, since: null, evidence: {}, next }];
  }
  const late = nextAt <= now ? `, ${ago(now, nextAt)} ago: it is due` : '';
  const busy = running.length > 0 && record.order.overlap === 'skip';
  const skipped = busy ? ' It will be skipped if the previous run has not ended by then.' : '';
  const message = `Its next moment is ${moment(nextAt)}${late}.${skipped}`;
  const evidence = { nextAt: moment(nextAt), running: shown };
  return [{ code: 'WAITS_FOR_MOMENT', message, since: null, evidence, next: [WAIT] }];
}

/** It goes on all the same; a person should know. */
function authorGone({ author, record }: ScheduleSituation): readonly ScheduleCause[] {
  if (author?.gone !== true) return [];
  const { name, updatedBy } = record;
  return [
    {
      code: 'AUTHOR_GONE',
      message: `The schedule was stored with a key of ${updatedBy} that is no longer valid.`,
      since: null,
      evidence: { keyId: author.keyId, updatedBy },
      next: [
        { action: 'put', label: 'Store it again with your own key' },
        { action: 'delete', label: `Remove it: backstep schedule delete ${name}` },
      ],
    },
  ];
}

function presentSpell(spell: MomentSpell, hidden: HiddenIds): PastMoments {
  const { at, count, detail, from, result, to } = spell;
  const taskId = result === 'started' && !hidden.has(detail ?? '') ? detail : null;
  const times = { from: timeText(from), to: timeText(to), count, at: timeText(at) };
  return { result, ...times, message: pastText(spell), taskId };
}

function pastText({ detail, result }: MomentSpell): string {
  switch (result) {
    case 'started':
      return 'a task was started';
    case 'failed':
      return `no task was started: ${detail ?? ''}`;
    case 'made_up':
      return 'no gateway ran; it was run later';
    case 'missed':
      return 'no gateway ran; it was left out';
    case 'overlap':
      return 'the previous run had not ended';
    case 'queue_full':
      return 'the queue of moments was full';
    case 'too_many_live':
      return 'the flow was at its limit of unfinished tasks';
    default:
      return 'the schedule was paused';
  }
}
