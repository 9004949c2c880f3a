import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { TracerOptions } from './open-tracer.js';

/** While spans get lost, that is told so often, in milliseconds: an alert on it must not end. */
const TELL_EVERY_MS = 5 * 60_000;

/** Tells for as long as spans get lost, and when they arrive again. */
export class ToldExporter implements SpanExporter {
  /** When it was told last that spans get lost; null: they arrive. */
  #toldAt: number | null = null;

  constructor(
    private readonly inner: SpanExporter,
    private readonly parts: Pick<TracerOptions, 'clock' | 'observer'>,
  ) {}

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.inner.export(spans, (result) => {
      this.#judge(result, spans.length);
      done(result);
    });
  }

  forceFlush(): Promise<void> {
    return this.inner.forceFlush?.() ?? Promise.resolve();
  }

  shutdown(): Promise<void> {
    return this.inner.shutdown();
  }

  #judge({ code, error }: ExportResult, count: number): void {
    const { clock, observer } = this.parts;
    const [now, toldAt] = [clock.monotonic(), this.#toldAt];
    if (code === ExportResultCode.SUCCESS) {
      this.#toldAt = null;
      const message = 'spans are sent again';
      if (toldAt !== null) observer.noticed({ level: 'info', name: 'spans_sent_again', message });
    } else if (toldAt === null || now - toldAt >= TELL_EVERY_MS) {
      this.#toldAt = now;
      const message = `${count} spans could not be sent and were lost; more may follow`;
      observer.noticed({ level: 'warn', name: 'spans_lost', message, error });
    }
  }
}
