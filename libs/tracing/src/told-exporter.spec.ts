import { expect, it } from '@jest/globals';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { ManualClock, RecordingObserver } from '#testing';
import { ToldExporter } from './told-exporter.js';

it('tells of lost spans again and again, until some arrive', async () => {
  const clock = new ManualClock();
  const observer = new RecordingObserver();
  const error = new Error('refused');
  let result: ExportResult = { code: ExportResultCode.FAILED, error };
  const inner = {
    export: (_: ReadableSpan[], done: (told: ExportResult) => void) => done(result),
    shutdown: async () => undefined,
  };
  const exporter = new ToldExporter(inner, { clock, observer });
  const send = (): void => exporter.export([{}, {}] as ReadableSpan[], () => undefined);
  for (let minute = 0; minute < 12; minute += 1) {
    send();
    await clock.advance(60_000);
  }
  const lost = observer.named('spans_lost');
  expect(lost).toHaveLength(3);
  expect(lost[0]).toMatchObject({ level: 'warn', error });
  result = { code: ExportResultCode.SUCCESS };
  send();
  send();
  expect(observer.named('spans_sent_again')).toHaveLength(1);
});
