import type { EngineSettings } from '#engine';
import { combineObservers } from '#platform';
import type { Clock, Observer, Tracer } from '#ports';
import type { Settings } from '#settings';
import { openTracer } from '#tracing';
import type { ExecutorServer } from '#executor';

/** The parts of a process's tracer. */
interface ProcessTracerParts {
  /** The time of tasks. */
  readonly clock: Clock;
  readonly observer: Observer;
  readonly executors: Pick<ExecutorServer, 'useTracer'>;
  readonly name: string;
  readonly instance: string;
  readonly build: EngineSettings['build'];
}

/** The part of the engine's parts that tracing changes; a process without has none of its cost. */
interface Traced {
  readonly observer: Observer;
  readonly tracer?: Tracer;
}

/** Opens the tracer that the variables of the process ask for, and has attempts run within it. */
export async function traceProcess(
  { transport }: Pick<Settings, 'transport'>,
  { build, clock, executors, instance, name, observer }: ProcessTracerParts,
): Promise<Traced> {
  const { host, version } = build;
  const system = transport.kind === 'memory' ? 'memory' : 'rabbitmq';
  const about = { clock, observer, name, instance, host, version, system };
  const tracer = await openTracer({ ...about, env: process.env });
  if (tracer === null) return { observer };
  executors.useTracer(tracer);
  return { observer: combineObservers(observer, tracer), tracer };
}
