import { expect, it } from '@jest/globals';
import { tracingWish } from './tracing-wish.js';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

it.each([
  {},
  { OTEL_SERVICE_NAME: 'x' },
  { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' },
  { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' },
  { ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' },
  { OTEL_TRACES_EXPORTER: 'console', OTEL_SDK_DISABLED: 'true' },
])('nothing is traced with %j', (env) => {
  expect(tracingWish(env)).toBeNull();
});

it.each([
  [ENDPOINT, 'otlp'],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:1/x' }, 'otlp'],
  [{ OTEL_TRACES_EXPORTER: 'otlp' }, 'otlp'],
  [{ ...ENDPOINT, OTEL_SDK_DISABLED: 'false' }, 'otlp'],
  [{ ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: ' http/json ' }, 'otlp'],
  [{ OTEL_TRACES_EXPORTER: 'console' }, 'console'],
] as const)('with %j spans go out by %s', (env, exporter) => {
  expect(tracingWish(env)).toEqual({ exporter, warnings: [] });
});

it.each([
  [{ OTEL_TRACES_EXPORTER: 'zipkin' }, /OTEL_TRACES_EXPORTER=zipkin is not known/],
  [{ ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /=grpc is not spoken; .* http\/json$/],
  [{ ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' }, /PROTOCOL=http\/protobuf is not/],
  [
    { ...ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'thrift' },
    /^OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=thrift is not spoken/,
  ],
])('what cannot be had is told: %j', (env, sentence) => {
  expect(tracingWish(env)?.warnings).toEqual([expect.stringMatching(sentence)]);
});
