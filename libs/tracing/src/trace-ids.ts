import { hash } from 'node:crypto';
import { type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace-base';
import {
  type Direction,
  isOwnTraceparent,
  type JournalEntry,
  type Task,
  type TaskPlan,
  traceparentOf,
} from '#core';

/** One action of one run of a step. */
export interface RunHalf {
  /** Id of the run. */
  readonly run: string;
  readonly direction: Direction;
}

/** The trace of a task. All spans of it, and of the tasks it has started, have its id. */
export interface TraceOfTask {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The span in which the task was started: of the request, or of the parent task. */
  readonly parentId: string | null;
  /** W3C flags of the request; null: nobody decided yet whether the trace is recorded. */
  readonly flags: number | null;
  /** The span of the task's own start, the parent of all its others. */
  readonly startId: string;
}

/** The ids of a span, where it does not get those of chance. */
interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
}

/** Every process works out the same trace of a task: nothing of it has to be stored or sent. */
export function traceOf(plan: Pick<TaskPlan, 'taskId' | 'traceparent' | 'parent'>): TraceOfTask {
  const { parent, taskId } = plan;
  const startId = startSpanId(taskId);
  const context = traceparentOf(plan) ?? `00-${digest(taskId).slice(0, 32)}-${startId}-00`;
  const [, traceId = '', spanId = '', flags = '00'] = context.split('-');
  const isDecided = plan.traceparent !== null && !isOwnTraceparent(plan.traceparent);
  const starter = isDecided ? spanId : null;
  return {
    traceId,
    parentId: parent === null ? starter : startSpanId(parent.taskId),
    flags: isDecided ? Number.parseInt(flags, 16) : null,
    startId,
  };
}

/** Id of the span of a task's start. */
export function startSpanId(taskId: string): string {
  return digest(`${taskId} start`).slice(0, 16);
}

/** Id of the span that tells of a journal entry itself, such as a task's end. */
export function momentSpanId(taskId: string, seq: number): string {
  return digest(`${taskId} moment ${seq}`).slice(0, 16);
}

/**
 * Id of the span of an attempt: it follows from the entry of its start, so that a later process
 * can name it. `started` is undefined where the journal grew too long to tell; then the attempt's
 * number stands in.
 */
export function attemptSpanId(
  taskId: string,
  { direction, run }: RunHalf,
  { attempt, started }: { attempt: number; started: JournalEntry | undefined },
): string {
  const mark = started === undefined ? `attempt ${attempt}` : `entry ${started.seq}`;
  return digest(`${taskId} ${run} ${direction} ${mark}`).slice(0, 16);
}

/** The latest start of an action in the journal; with a number, that of this attempt. */
export function startOf(
  { journal }: Pick<Task, 'journal'>,
  { direction, run }: RunHalf,
  attempt?: number,
): JournalEntry | undefined {
  return journal.findLast((entry) => {
    if (entry.kind !== 'started' || entry.direction !== direction) return false;
    return runNamed(entry) === run && (attempt === undefined || entry.attempt === attempt);
  });
}

/** Id of the run that an entry is about. */
export function runNamed({ run, step = '' }: JournalEntry): string {
  return run ?? step;
}

function digest(text: string): string {
  return hash('sha256', text, 'hex');
}

/** Gives a span the ids that it is told of, and all others, such as those of commands, new ones. */
export class ToldIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #told: SpanIds | null = null;

  /** Makes a span with these ids; `make` makes one alone, at once. */
  using<T>(ids: SpanIds, make: () => T): T {
    this.#told = ids;
    try {
      return make();
    } finally {
      this.#told = null;
    }
  }

  generateTraceId(): string {
    return this.#told?.traceId ?? this.#random.generateTraceId();
  }

  generateSpanId(): string {
    return this.#told?.spanId ?? this.#random.generateSpanId();
  }
}
