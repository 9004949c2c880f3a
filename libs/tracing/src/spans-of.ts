import { type JournalEntry, type JournalKind, statusName, type Task } from '#core';
import { attemptSpan, endsAttempt } from './attempt-span.js';
import { taskAttributes, type ToldSpan } from './told-span.js';
import { momentSpanId, startSpanId, traceOf } from './trace-ids.js';

/** How a task turns or ends has a span without length, so that the trace tells how it went on. */
const MOMENTS: Readonly<Partial<Record<JournalKind, string>>> = {
  turned_back: 'turn back',
  task_on_hold: 'hold',
  task_rollback_failed: 'rollback failed',
  task_succeeded: 'end',
  task_rolled_back: 'end',
  task_terminated: 'end',
};

/** The attributes that the spans of a process have in common. */
interface SpanTerms {
  /** The carrier of messages: `rabbitmq`, `memory`. */
  readonly system: string;
  /** Now, in the time of tasks: milliseconds since 1970. */
  readonly now: number;
}

/** The spans that are over by these entries of a task, in their order. */
export function spansOf(
  task: Task,
  entries: readonly JournalEntry[],
  terms: SpanTerms,
): readonly ToldSpan[] {
  return entries.flatMap((entry) => spanOf(task, entry, terms) ?? []);
}

function spanOf(task: Task, entry: JournalEntry, terms: SpanTerms): ToldSpan | null {
  if (endsAttempt(entry)) return attemptSpan(task, entry, terms.system);
  if (entry.kind === 'created') return startSpan(task, entry, terms);
  const word = MOMENTS[entry.kind];
  return word === undefined ? null : momentSpan(task, entry, word);
}

/** From the decision to make the task until it is stored. */
function startSpan(task: Task, { at }: JournalEntry, { now, system }: SpanTerms): ToldSpan {
  const { plan } = task;
  return {
    name: `start ${plan.flow}`,
    kind: 'producer',
    spanId: startSpanId(plan.taskId),
    parentId: traceOf(plan).parentId,
    links: [],
    events: [],
    startMs: at,
    endMs: Math.max(at, now),
    error: null,
    attributes: {
      'messaging.system': system,
      'messaging.operation.name': 'start',
      'messaging.operation.type': 'create',
      ...taskAttributes(task),
      ...(plan.parent !== null && { 'backstep.parent.task.id': plan.parent.taskId }),
    },
  };
}

function momentSpan(task: Task, { at, kind, seq }: JournalEntry, word: string): ToldSpan {
  const { flow, taskId } = task.plan;
  return {
    name: `${word} ${flow}`,
    kind: 'internal',
    spanId: momentSpanId(taskId, seq),
    parentId: startSpanId(taskId),
    links: [],
    events: [],
    startMs: at,
    endMs: at,
    error: kind === 'task_rollback_failed' ? 'ROLLBACK_FAILED' : null,
    attributes: { ...taskAttributes(task), 'backstep.task.status': statusName(task.status) },
  };
}
