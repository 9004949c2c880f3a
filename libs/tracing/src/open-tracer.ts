import type { Clock, Observer, Tracer } from '#ports';
import { tracingWish } from './tracing-wish.js';

/** The options of a tracer. */
export interface TracerOptions {
  /** The variables of the process: those that begin with `OTEL_` count. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The time of tasks. */
  readonly clock: Clock;
  /** Noticed when spans cannot be sent. */
  readonly observer: Pick<Observer, 'noticed'>;
  /** Kind of the process, for `service.name`. */
  readonly name: string;
  /** Name of the process, new with every start. */
  readonly instance: string;
  readonly host: string;
  readonly version: string;
  /** The carrier of messages, for `messaging.system`. */
  readonly system: string;
}

/**
 * Opens the tracer that the environment asks for; null: it asks for none, and no package of
 * OpenTelemetry is loaded. Where the packages are not installed that is told, and there is no
 * tracer: a process without traces is better than none.
 */
export async function openTracer(options: TracerOptions): Promise<Tracer | null> {
  const wish = tracingWish(options.env);
  if (wish === null) return null;
  const tell = (message: string, error?: unknown): void => {
    options.observer.noticed({ level: 'warn', name: 'tracing_trouble', message, error });
  };
  for (const warning of wish.warnings) tell(warning);
  try {
    const { openOtel } = await import('./open-otel.js');
    return openOtel(options, wish);
  } catch (error) {
    tell('no traces are sent: OpenTelemetry could not be started', error);
    return null;
  }
}
