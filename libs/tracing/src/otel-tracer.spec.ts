import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  type Sampler,
  SimpleSpanProcessor,
  AlwaysOnSampler,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Journal, type JournalEntry, type Task, traceparentOf } from '#core';
import { sampleTask } from '#testing';
import { OtelTracer } from './otel-tracer.js';
import { ToldIds } from './trace-ids.js';

const AT = 1_700_000_000_000;
const CALLER = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331';

interface Traced {
  readonly tracer: OtelTracer;
  readonly provider: BasicTracerProvider;
  readonly spans: () => ReadableSpan[];
}

function traced(sampler: Sampler): Traced {
  const ids = new ToldIds();
  const exporter = new InMemorySpanExporter();
  const spanProcessors = [new SimpleSpanProcessor(exporter)];
  const provider = new BasicTracerProvider({ idGenerator: ids, sampler, spanProcessors });
  const tracer = new OtelTracer({
    tracer: provider.getTracer('test'),
    ids,
    clock: { now: () => AT + 5 },
    system: 'memory',
    close: () => provider.shutdown(),
  });
  return { tracer, provider, spans: () => exporter.getFinishedSpans() };
}

function taskOf(taskId: string, traceparent: string | null): Task {
  const task = sampleTask();
  return { ...task, plan: { ...task.plan, taskId, traceparent }, journal: Journal.of([]) };
}

const CREATED: JournalEntry = { seq: 1, at: AT, kind: 'created' };
const ALWAYS = new ParentBasedSampler({ root: new AlwaysOnSampler() });
const half = (): Sampler => new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(0.5) });

/** Ids of tasks that differ in the digits by which a sampler decides. */
const TASKS = Array.from({ length: 64 }, (_, n) => {
  const digits = (n * 0x03_9f_11_03).toString(16).padStart(12, '0').slice(-12);
  return `018f2e3a-7b1c-7d2e-9a4b-${digits}`;
});

describe('a task that no trace brought along', () => {
  it('is recorded by all processes with the same sampler, or by none', () => {
    const [one, other] = [traced(half()), traced(half())];
    const entry = { run: 'check', direction: 'normal', attempt: 1 } as const;
    const decided = TASKS.map((taskId) => {
      const task = taskOf(taskId, null);
      one.tracer.committed(task, [CREATED]);
      const isRecorded = one.spans().some(({ attributes }) => {
        return attributes['backstep.task.id'] === taskId;
      });
      const handed = other.tracer.traceparentOf({ ...entry, task });
      expect(handed.endsWith(isRecorded ? '-01' : '-00')).toBe(true);
      return isRecorded;
    });
    expect(new Set(decided)).toEqual(new Set([true, false]));
  });

  it('has a trace with its id, which its messages carry too', () => {
    const { spans, tracer } = traced(ALWAYS);
    const task = taskOf(TASKS[3]!, null);
    tracer.committed(task, [CREATED]);
    const [start] = spans();
    expect(start?.spanContext().traceId).toBe(TASKS[3]!.replaceAll('-', ''));
    expect(traceparentOf(task.plan)).toContain(start?.spanContext().traceId);
    expect(start?.parentSpanContext).toBeUndefined();
    expect([start?.startTime, start?.endTime]).toEqual([
      [AT / 1_000, 0],
      [AT / 1_000, 5_000_000],
    ]);
  });
});

describe('a task of a request with a trace', () => {
  it.each(['01', '00'])('is recorded as the flags %s say', (flags) => {
    const { spans, tracer } = traced(ALWAYS);
    tracer.committed(taskOf(TASKS[1]!, `${CALLER}-${flags}`), [CREATED]);
    expect(spans().map((span) => span.parentSpanContext?.spanId)).toEqual(
      flags === '01' ? ['b7ad6b7169203331'] : [],
    );
  });
});

describe('within an attempt', () => {
  beforeAll(() => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  });
  afterAll(() => context.disable());

  it('what a command makes is a child of the span of the attempt, also after a wait', async () => {
    const { provider, spans, tracer } = traced(ALWAYS);
    const task = taskOf(TASKS[2]!, `${CALLER}-01`);
    const attempt = { task, run: 'check', direction: 'normal', attempt: 1 } as const;
    const traceparent = tracer.traceparentOf(attempt);
    await tracer.within({ traceparent }, async () => {
      await Promise.resolve();
      provider.getTracer('of a command').startSpan('resize').end();
    });
    const [child] = spans();
    const [, traceId, spanId] = traceparent.split('-');
    expect(child?.name).toBe('resize');
    expect(child?.parentSpanContext).toMatchObject({ traceId, spanId });
    expect(trace.getActiveSpan()).toBeUndefined();
  });

  it('a context that cannot be read changes nothing', () => {
    const { tracer } = traced(ALWAYS);
    for (const traceparent of [null, '', '00-0-0-00', 'x']) {
      expect(tracer.within({ traceparent }, () => trace.getActiveSpan())).toBeUndefined();
    }
  });
});
