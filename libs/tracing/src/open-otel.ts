import { context, diag, DiagLogLevel, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ConsoleSpanExporter,
  SimpleSpanProcessor,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { type Clock, endsWithin, type Observer, type Tracer } from '#ports';
import type { TracerOptions } from './open-tracer.js';
import { OtelTracer } from './otel-tracer.js';
import { ToldExporter } from './told-exporter.js';
import { ToldIds } from './trace-ids.js';
import type { TracingWish } from './tracing-wish.js';

/** Longest wait for a backend when the process stops, in milliseconds. */
const CLOSE_MS = 3_000;

/**
 * Starts OpenTelemetry with what its own variables say, and makes it the one that commands find in
 * `@opentelemetry/api`. Where other code did that before, such as a file given with `--import`,
 * theirs stays; Backstep's own spans are sent all the same.
 */
export function openOtel(options: TracerOptions, { exporter }: TracingWish): Tracer {
  const { clock, observer, system, version } = options;
  const ids = new ToldIds();
  const provider = tellingTrouble(observer, () => {
    return new BasicTracerProvider({
      idGenerator: ids,
      resource: resourceOf(options),
      spanProcessors: [processorOf(exporter, { clock, observer })],
    });
  });
  const withdraw = register(provider);
  let closing: Promise<void> | null = null;
  return new OtelTracer({
    tracer: provider.getTracer('backstep', version),
    ids,
    clock,
    system,
    close: () => {
      closing ??= closeWithin(provider, clock).finally(withdraw);
      return closing;
    },
  });
}

function processorOf(
  exporter: TracingWish['exporter'],
  parts: Pick<TracerOptions, 'clock' | 'observer'>,
): SpanProcessor {
  if (exporter === 'console') return new SimpleSpanProcessor(new ConsoleSpanExporter());
  return new BatchSpanProcessor(new ToldExporter(new OTLPTraceExporter(), parts));
}

/** The variables of OpenTelemetry go before the values of Backstep. */
function resourceOf({ host, instance, name, version }: TracerOptions): Resource {
  const own = resourceFromAttributes({
    'service.name': `backstep-${name}`,
    'service.version': version,
    'service.instance.id': instance,
    'host.name': host,
  });
  return defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }));
}

/** Wrong values of its variables are told by its log alone. */
function tellingTrouble<T>(observer: Pick<Observer, 'noticed'>, make: () => T): T {
  const tell = (message: string): void => {
    observer.noticed({ level: 'warn', name: 'tracing_trouble', message });
  };
  const silent = (): void => {};
  const logger = { error: tell, warn: tell, info: silent, debug: silent, verbose: silent };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  try {
    return make();
  } finally {
    diag.disable();
  }
}

/** Resolves to what takes back what was registered here. */
function register(provider: BasicTracerProvider): () => void {
  const isContext = context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const isTrace = trace.setGlobalTracerProvider(provider);
  const isPropagation = propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  return () => {
    if (isContext) context.disable();
    if (isTrace) trace.disable();
    if (isPropagation) propagation.disable();
  };
}

async function closeWithin(
  provider: BasicTracerProvider,
  clock: Pick<Clock, 'after'>,
): Promise<void> {
  await endsWithin(provider.shutdown(), { clock, ms: CLOSE_MS }).catch(() => false);
}
