import { type DynamicModule, Module, type Type } from '@nestjs/common';
import type { Listener, Settings } from '#settings';
import { connectExecutors } from '../executor/connect-executors.js';
import { createHttpApp } from '../http/http-app.js';
import type { ReadinessCheck } from '../http/health.js';
import { HealthModule } from '../http/health.module.js';
import { type ContextOptions, createContext, type ProcessContext } from './process-context.js';

/** Something beside the engine that runs as long as the process. */
export interface Companion {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** What a process consists of. */
export interface ProcessParts {
  readonly modules: readonly (Type | DynamicModule)[];
  readonly companions?: readonly Companion[];
  readonly checks?: readonly ReadinessCheck[];
}

/** A kind of process: the gateway, an executor, or all of them in one. */
export interface ProcessPlan extends ContextOptions {
  /** Where it listens when nobody says otherwise. */
  readonly port: number;
  /** Its modules, made around the context. */
  readonly parts: (context: ProcessContext) => Promise<ProcessParts> | ProcessParts;
}

/** A process at work. */
export interface RunningProcess {
  readonly context: ProcessContext;
  /** Where it listens. */
  readonly url: string;
  /** Drains, stops and lets go of everything. Safe to call twice. */
  stop(): Promise<void>;
}

@Module({})
class ProcessModule {}

/**
 * Builds a process, starts its duties, then listens. What fails to start lets go of what had
 * started.
 */
export async function startProcess(
  plan: ProcessPlan,
  settings: Settings,
  listener: Listener = settings.http,
): Promise<RunningProcess> {
  const context = await createContext(settings, plan);
  const life: Life = { stopping: null, undo: [] };
  life.undo.push(
    () => context.store.close(),
    () => context.transport.close(),
  );
  try {
    const url = await startParts(context, { plan, listener, life });
    return { context, url, stop: () => stopLife(life) };
  } catch (error) {
    await stopLife(life);
    throw error;
  }
}

/** What has started, as the steps that undo it: last one first. */
interface Life {
  stopping: Promise<void> | null;
  readonly undo: (() => Promise<unknown>)[];
}

function stopLife(life: Life): Promise<void> {
  life.stopping ??= (async () => {
    for (const undo of life.undo.splice(0).reverse()) await undo();
  })();
  return life.stopping;
}

async function startParts(
  context: ProcessContext,
  { plan, listener, life }: { plan: ProcessPlan; listener: Listener; life: Life },
): Promise<string> {
  const parts = await plan.parts(context);
  const { engine, settings } = context;
  const imports = [health(context, { checks: parts.checks ?? [], life }), ...parts.modules];
  const { app } = await createHttpApp(
    { module: ProcessModule, imports },
    {
      bodyLimit: settings.maxParameters + BODY_OVERHEAD,
      idPrefix: context.instance,
      onFault: (problem, requestId) => {
        const message = `request ${requestId} met an error of our own`;
        const name = 'internal_error';
        context.observer.noticed({ level: 'error', name, message, error: problem.cause });
      },
    },
  );
  life.undo.push(() => app.close());
  connectExecutors(app, context.executors);
  await app.startAllMicroservices();
  for (const companion of parts.companions ?? []) {
    life.undo.push(() => companion.stop());
    await companion.start();
  }
  life.undo.push(() => engine.stop());
  await engine.start();
  await app.listen(listener.port, listener.host);
  return app.getUrl();
}

/** Room for what a request has besides its parameters, in bytes. */
const BODY_OVERHEAD = 16 * 1024;

function health(
  { clock, metrics, store, transport }: ProcessContext,
  { checks, life }: { checks: readonly ReadinessCheck[]; life: Life },
): DynamicModule {
  const draining = async (): Promise<void> => {
    if (life.stopping !== null) throw new Error('the process is stopping');
  };
  return HealthModule.register({
    clock,
    checks: [
      { name: 'store', check: () => store.ping() },
      { name: 'transport', check: () => transport.ping() },
      { name: 'process', check: draining },
      ...checks,
    ],
    metrics: {
      contentType: metrics.registry.contentType,
      text: () => metrics.registry.metrics(),
    },
  });
}
