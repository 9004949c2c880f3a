/** Where spans go, as the usual variables say. */
export interface TracingWish {
  readonly exporter: 'otlp' | 'console';
  /** Sentences about wishes that cannot be met. */
  readonly warnings: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Of these, any says that spans have a receiver. */
const ENDPOINTS = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];
/** OTLP over HTTP, in JSON. */
const SPOKEN = 'http/json';
const PROTOCOLS = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'];

/**
 * Reads from the environment whether traces are wanted; null: they are not. Different from what
 * OpenTelemetry has as its default, nothing is sent before the variables name an exporter or an
 * endpoint.
 */
export function tracingWish(env: Environment): TracingWish | null {
  if (env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return null;
  const named = (env['OTEL_TRACES_EXPORTER'] ?? '').trim().toLowerCase();
  if (named === 'none') return null;
  if (named === 'console') return { exporter: 'console', warnings: [] };
  if (named === '' && !ENDPOINTS.some((name) => isSet(env, name))) return null;
  const warnings: string[] = [];
  if (named !== '' && named !== 'otlp') {
    warnings.push(`OTEL_TRACES_EXPORTER=${named} is not known; spans go out by otlp`);
  }
  const protocol = PROTOCOLS.find((name) => isSet(env, name));
  const wanted = protocol === undefined ? SPOKEN : (env[protocol] ?? '').trim();
  if (wanted !== SPOKEN) {
    warnings.push(`${protocol}=${wanted} is not spoken; spans go out as ${SPOKEN}`);
  }
  return { exporter: 'otlp', warnings };
}

function isSet(env: Environment, name: string): boolean {
  return (env[name] ?? '').trim() !== '';
}
