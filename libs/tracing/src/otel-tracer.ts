import {
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  context,
  trace,
  TraceFlags,
  type HrTime,
} from '@opentelemetry/api';
import type { Tracer as OtelTracerApi } from '@opentelemetry/api';
import type { JournalEntry, Task, TaskPlan } from '#core';
import type { Clock, CommandContext, TracedAttempt, Tracer } from '#ports';
import { spansOf } from './spans-of.js';
import type { ToldSpan } from './told-span.js';
import { attemptSpanId, startOf, type ToldIds, traceOf, type TraceOfTask } from './trace-ids.js';

const KINDS: Readonly<Record<ToldSpan['kind'], SpanKind>> = {
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

/** The parts that a tracer works with. */
interface TracerParts {
  readonly tracer: OtelTracerApi;
  readonly ids: ToldIds;
  /** The time of tasks. */
  readonly clock: Pick<Clock, 'now'>;
  /** The carrier of messages, for `messaging.system`. */
  readonly system: string;
  /** Sends what is left. */
  readonly close: () => Promise<void>;
}

/** Makes spans of OpenTelemetry of what is committed. */
export class OtelTracer implements Tracer {
  constructor(private readonly parts: TracerParts) {}

  committed(task: Task, entries: readonly JournalEntry[]): void {
    if (entries.length === 0) return;
    const { clock, system } = this.parts;
    const spans = spansOf(task, entries, { system, now: clock.now() });
    if (spans.length === 0) return;
    const home = this.#homeOf(task.plan);
    for (const span of spans) this.#tell(span, home);
  }

  noticed(): void {}

  traceparentOf({ attempt, direction, run, task }: TracedAttempt): string {
    const half = { run, direction };
    const started = startOf(task, half, attempt);
    const spanId = attemptSpanId(task.plan.taskId, half, { attempt, started });
    const { flags, trace: of } = this.#homeOf(task.plan);
    return `00-${of.traceId}-${spanId}-${flags.toString(16).padStart(2, '0')}`;
  }

  within<T>({ traceparent }: Pick<CommandContext, 'traceparent'>, work: () => T): T {
    const [, traceId = '', spanId = '', flags = '00'] = traceparent?.split('-') ?? [];
    const own = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) };
    if (!isSpanContextValid(own)) return work();
    return context.with(trace.setSpanContext(context.active(), own), work);
  }

  close(): Promise<void> {
    return this.parts.close();
  }

  /** The trace of a task, and whether it is recorded: every process decides it alike. */
  #homeOf(plan: TaskPlan): Home {
    const of = traceOf(plan);
    const { ids, tracer } = this.parts;
    const decided = of.flags;
    // The sampler is asked by a span that is never ended, and so never sent.
    const probe = ids.using({ traceId: of.traceId, spanId: of.startId }, () => {
      if (decided === null) return tracer.startSpan('probe', { root: true }, ROOT_CONTEXT);
      return tracer.startSpan('probe', {}, within(of, of.parentId ?? of.startId, decided));
    });
    return { trace: of, flags: probe.spanContext().traceFlags & TraceFlags.SAMPLED };
  }

  #tell(told: ToldSpan, home: Home): void {
    const { traceId } = home.trace;
    const links = told.links.map(({ relation, spanId }) => ({
      context: { traceId, spanId, traceFlags: home.flags },
      attributes: { 'backstep.relation': relation },
    }));
    const options = {
      kind: KINDS[told.kind],
      startTime: hrTime(told.startMs),
      attributes: { ...told.attributes },
      links,
    };
    const { ids, tracer } = this.parts;
    const { parentId, name, spanId } = told;
    const around = parentId === null ? ROOT_CONTEXT : within(home.trace, parentId, home.flags);
    const span = ids.using({ traceId, spanId }, () => tracer.startSpan(name, options, around));
    finish(span, told);
  }
}

interface Home {
  readonly trace: TraceOfTask;
  readonly flags: number;
}

function within({ traceId }: TraceOfTask, spanId: string, traceFlags: number): Context {
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

function finish(span: Span, { endMs, error, events }: ToldSpan): void {
  for (const { at, name } of events) span.addEvent(name, hrTime(at));
  if (error !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
  span.end(hrTime(endMs));
}

/** A plain number would be taken for one of this process's monotonic clock if it began later. */
function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1e6)];
}
