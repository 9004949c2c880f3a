import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Observer } from '#ports';

/** Tells when spans begin to get lost, and when they arrive again. */
export class ToldExporter implements SpanExporter {
  #isFailing = false;

  constructor(
    private readonly inner: SpanExporter,
    private readonly observer: Pick<Observer, 'noticed'>,
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
    const hasFailed = code !== ExportResultCode.SUCCESS;
    if (hasFailed === this.#isFailing) return;
    this.#isFailing = hasFailed;
    if (hasFailed) {
      const message = `${count} spans could not be sent and were lost; more may follow`;
      this.observer.noticed({ level: 'warn', name: 'spans_lost', message, error });
    } else {
      const message = 'spans are sent again';
      this.observer.noticed({ level: 'info', name: 'spans_sent_again', message });
    }
  }
}
