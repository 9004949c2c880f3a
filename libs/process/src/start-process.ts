import { type DynamicModule, Module, type Type } from '@nestjs/common';
import type { Callers } from '#access';
import {
  accessNotes,
  type Listener,
  type Settings,
  SettingsError,
  settingWarnings,
} from '#settings';
import { connectExecutors } from '#executor';
import { listenOnSocket, type SocketFile } from '#machine';
import {
  createHttpApp,
  HealthModule,
  type HttpApp,
  type HttpAppOptions,
  type Problem,
  type ReadinessCheck,
  RequestLimits,
  roomsOf,
} from '#http-server';
import type { Notice } from '#ports';
import { MarkSweep } from '#engine';
import { makeMessageWatch } from './message-watch.js';
import { NestLog } from './nest-log.js';
import { LoopDelay, LoopWatch } from './loop-watch.js';
import { ReadyWatch } from './ready-watch.js';
import { retiredFlows, valueGauge } from './live-metrics.js';
import { type ContextOptions, createContext, type ProcessContext } from './process-context.js';
import { expectResolvers } from './secret-resolvers.js';
import { StatisticsWriter } from './statistics-writer.js';
import { TlsFiles, tlsPlacesOf } from './tls-files.js';

/** The parts of a process that its sweep of marks is made of. */
type Context = Pick<ProcessContext, 'clock' | 'executors' | 'finals' | 'observer' | 'settings'> & {
  readonly metrics: Pick<ProcessContext['metrics'], 'registry'>;
};

/** Something beside the engine that runs as long as the process. */
export interface Companion {
  start(): Promise<void> | void;
  stop(): Promise<void>;
}

/** The parts of a process. */
export interface ProcessParts {
  readonly modules: readonly (Type | DynamicModule)[];
  readonly companions?: readonly Companion[];
  /** Companions that make work for the engine: started after it, and stopped before it. */
  readonly sources?: readonly Companion[];
  readonly checks?: readonly ReadinessCheck[];
  /** Notes of `/readyz`, which change nothing about readiness. Default: none. */
  readonly notes?: () => readonly string[];
  /** Where browsers sign in at an identity provider. Default: nowhere. */
  readonly signIn?: string | null;
}

/** A kind of process: the gateway, an executor, or all of them in one. */
export interface ProcessPlan extends ContextOptions {
  /** Where it listens when nobody says otherwise. */
  readonly port: number;
  /** Whether it can do nothing by itself, and so must share its store and transport. */
  readonly needsOthers?: boolean;
  /** Its modules, made around the context. */
  readonly parts: (context: ProcessContext) => Promise<ProcessParts> | ProcessParts;
}

/** A process at work, as the program that started it holds on to it. */
export interface ProcessHandle {
  /** Where it listens: `http://127.0.0.1:7070`, or `unix:` and the path of a socket. */
  readonly url: string;
  /** Drains, stops and lets go of everything. Safe to call twice. */
  stop(): Promise<void>;
}

/** A process at work, with what it is built around. */
export interface RunningProcess extends ProcessHandle {
  readonly context: ProcessContext;
}

@Module({})
class ProcessModule {}

/**
 * Builds a process, starts its duties, then listens. A start that fails stops all that had started.
 */
export async function startProcess(
  plan: ProcessPlan,
  settings: Settings,
  listener: Listener = settings.http,
): Promise<RunningProcess> {
  const life: Life = { stopping: null, socket: null, undo: [] };
  try {
    const context = await createContext(settings, plan, life.undo);
    if (plan.isOfAuthors === true) context.executors.useAttemptScope();
    // Begins to look for the keys of an issuer.
    context.callers.obstacle();
    for (const message of [...settingWarnings(settings), ...accessNotes(settings)]) {
      context.observer.noticed({ level: 'warn', name: 'unsafe_setting', message });
    }
    const writer = new StatisticsWriter(context);
    life.undo = [
      async () => context.access?.stop(),
      async () => context.proxySecret?.stop(),
      () => context.store.close(),
      () => context.refusedSignIns.close(),
      // After all that moves tasks: the engine, and the answers of the evaluator.
      () => writer.stop(),
      () => context.output.stop(),
      () => context.evaluator.close(),
      () => context.transport.close(),
      async () => context.tracer?.close(),
    ];
    writer.start();
    context.access?.follow();
    context.proxySecret?.follow();
    const url = await startParts(context, { plan, listener, life });
    watchLoop(context, life);
    const { instance, logger } = context;
    const { host, pid } = context.build;
    logger.info({ event: 'started', instance, host, pid }, `${instance} started`);
    return { context, url, stop: () => stopLife(life) };
  } catch (error) {
    await stopLife(life).catch(() => undefined);
    throw error;
  }
}

/** The running parts, as the steps that undo their start: last one first. */
interface Life {
  stopping: Promise<void> | null;
  /** The socket that it listens on, if it is one. */
  socket: SocketFile | null;
  undo: (() => Promise<unknown>)[];
}

function stopLife(life: Life): Promise<void> {
  life.stopping ??= (async () => {
    const errors: unknown[] = [];
    for (const undo of life.undo.splice(0).reverse()) {
      await Promise.resolve()
        .then(undo)
        .catch((error: unknown) => errors.push(error));
    }
    if (errors.length > 0) throw errors[0];
  })();
  return life.stopping;
}

/** Only now: a start that loads modules is no delay of anybody's. */
function watchLoop({ clock, metrics, observer }: ProcessContext, life: Life): void {
  const { registry } = metrics;
  const watch = new LoopWatch({ delay: new LoopDelay(clock), clock, observer, registry });
  watch.start();
  life.undo.push(async () => watch.stop());
}

async function startParts(
  context: ProcessContext,
  { plan, listener, life }: { plan: ProcessPlan; listener: Listener; life: Life },
): Promise<string> {
  const parts = await plan.parts(context);
  const { engine } = context;
  const tls = openTls(context);
  const checks = readinessChecks(context, { ...parts, life });
  const noting = [context.access, context.proxySecret, tls];
  const imports = [health(context, checks, { ...parts, noting }), ...parts.modules];
  const { adapter, app } = await createHttpApp(
    { module: ProcessModule, imports },
    { ...httpOptions(context, listener), ...(tls !== null && { tls: tls.pair }) },
  );
  life.undo.push(async () => life.socket?.remove());
  life.undo.push(() => app.close());
  connectExecutors(app, context.executors);
  await app.startAllMicroservices();
  expectSecretKey(context);
  expectResolvers(context.settings, context.secretResolvers, context.executors.modules());
  const own = [
    makeMarkSweep(context),
    makeMessageWatch(context),
    // A gateway knows by its flows.
    plan.duties.governance ? null : retiredFlows(context),
  ];
  for (const companion of [...(parts.companions ?? []), ...own]) {
    if (companion === null) continue;
    life.undo.push(() => companion.stop());
    await companion.start();
  }
  life.undo.push(() => engine.stop());
  await engine.start();
  for (const source of parts.sources ?? []) {
    life.undo.push(() => source.stop());
    await source.start();
  }
  const { clock, metrics } = context;
  const ready = new ReadyWatch({ checks, clock, registry: metrics.registry });
  ready.start();
  life.undo.push(async () => ready.stop());
  const url = await listenAt(listener, app, life);
  life.undo.push(async () => tls?.stop());
  const onAuthorities = (): void => adapter.certificates.renew();
  tls?.follow({ server: app.getHttpServer(), onAuthorities });
  return url;
}

/** Returns the address by which it is asked. */
async function listenAt(listener: Listener, app: HttpApp['app'], life: Life): Promise<string> {
  if ('host' in listener) {
    await app.listen(listener.port, listener.host);
    return app.getUrl();
  }
  const { socket } = listener;
  life.socket = await listenOnSocket(socket, (place) => app.listen(place));
  return `unix:${socket}`;
}

function httpOptions(context: ProcessContext, listener: Listener): HttpAppOptions {
  const { settings } = context;
  const isAsking = settings.auth !== null && settings.auth !== 'off';
  const host = 'host' in listener ? listener.host : null;
  return {
    bodyLimit: settings.maxParameters + BODY_OVERHEAD,
    // Chance alone: a name of the process would tell strangers its host.
    idPrefix: context.entropy.newId().slice(-8),
    // A proxy before a socket asks in the name of a browser, so the rules are those of loopback.
    origins: {
      listener: host ?? 'localhost',
      hosts: [...(settings.hosts ?? []), ...publicHosts(settings)],
      sharedWith: settings.corsOrigins ?? [],
      isAuthenticating: isAsking,
    },
    rooms: roomsOf(host),
    audit: { trail: context.trail, clock: context.clock, includesCreates: isAsking },
    limits: limitsOf(context),
    refused: context.refusedSignIns,
    ...(isAsking && { access: context.callers }),
    logger: new NestLog(context.authorLogger),
    onFault: (problem, requestId) => context.observer.noticed(faultNotice(problem, requestId)),
  };
}

/** Of a fault, and of a request that failed because the machine runs no process for it. */
function faultNotice({ cause: error, code }: Problem, requestId: string): Notice {
  if (code === 'INTERNAL') {
    const message = `request ${requestId} met an internal error`;
    return { level: 'error', name: 'internal_error', message, error };
  }
  const message = `request ${requestId} was refused: no process could work for it`;
  return { level: 'warn', name: 'process_unavailable', message, error };
}

/** People reach the process by the host of its public address, without saying so twice. */
function publicHosts({ publicUrl }: Pick<Settings, 'publicUrl'>): readonly string[] {
  if (publicUrl === null) return [];
  return [new URL(publicUrl).hostname.replaceAll(/[[\]]/g, '')];
}

/** Else what a command gives could not be kept, once it had its effect. */
function expectSecretKey({ executors, secrets }: ProcessContext): void {
  const method = executors.givesSecrets();
  if (method === undefined || secrets.canSeal) return;
  const reason = `${method} gives secrets, and there is no key to seal them with`;
  throw new SettingsError([`BACKSTEP_SECRET_KEY: must be set: ${reason}`]);
}

/** Before anything is started: a wrong file stops the start as a wrong setting does. */
function openTls({ clock, observer, settings }: ProcessContext): TlsFiles | null {
  const places = tlsPlacesOf(settings);
  return places === null ? null : new TlsFiles(places, { clock, observer });
}

/** Room for what a request has besides its parameters, in bytes. */
const BODY_OVERHEAD = 16 * 1024;

/** The conditions under which a process can do its work, for `/readyz` and for alerts. */
function readinessChecks(
  { callers, store, transport }: ProcessContext,
  { checks = [], life }: ProcessParts & { readonly life: Life },
): readonly ReadinessCheck[] {
  const draining = async (): Promise<void> => {
    if (life.stopping !== null) throw new Error('the process is stopping');
  };
  return [
    { name: 'store', check: () => store.ping() },
    { name: 'broker', check: () => transport.ping() },
    { name: 'process', check: draining },
    ...issuerChecks(callers),
    ...checks,
  ];
}

/** Files that are followed: each tells whether it can be used as it is now. */
interface Noting {
  readonly noting: readonly (Pick<TlsFiles, 'notes'> | null)[];
}

function health(
  { callers, clock, metrics, settings, transport }: ProcessContext,
  checks: readonly ReadinessCheck[],
  { noting, notes, signIn = null }: ProcessParts & Noting,
): DynamicModule {
  return HealthModule.register({
    clock,
    auth: settings.auth ?? 'off',
    signIn,
    notes: () => [
      ...accessNotes(settings),
      ...issuerNotes(callers),
      ...transport.troubles().map(({ message }) => `degraded: ${message}`),
      ...noting.flatMap((file) => file?.notes() ?? []),
      ...(notes?.() ?? []),
    ],
    checks,
    metrics: { contentType: metrics.registry.contentType, text: () => metrics.registry.metrics() },
  });
}

function limitsOf({ clock, settings }: ProcessContext): RequestLimits {
  const { badKeysPerMinute: failures, bytesPerKey } = settings;
  const { ratePerAddress: perAddress, ratePerKey: perKey } = settings;
  return new RequestLimits({ clock, failures, perAddress, perKey, bytesPerKey });
}

/** Where keys are taken too, an issuer that is away keeps nobody with a key out. */
function issuerNotes(callers: Callers): readonly string[] {
  const obstacle = callers.obstacle();
  return obstacle === null || callers.needsIssuer ? [] : [obstacle];
}

function issuerChecks(callers: Callers): readonly ReadinessCheck[] {
  if (!callers.needsIssuer) return [];
  const check = async (): Promise<void> => {
    const obstacle = callers.obstacle();
    if (obstacle !== null) throw new Error(obstacle);
  };
  return [{ name: 'issuer', check }];
}

/**
 * The sweep that has this process's barriers forget marks of removed tasks, with its metric; null:
 * tasks are kept for ever, or no executor says where it keeps marks. Called once the executors are
 * connected.
 */
function makeMarkSweep(context: Context): MarkSweep | null {
  const { clock, executors, finals, metrics, observer, settings } = context;
  const { retention: keptMs } = settings;
  if (keptMs === null || !executors.keepsMarks) return null;
  const marks = () => executors.marks();
  const sweep = new MarkSweep({ clock, finals, keptMs, marks, observer });
  const help =
    'Marks of removed tasks that barriers of this process have forgotten since it started';
  const gauge = valueGauge({ name: 'backstep_forgotten_marks', help }, () => sweep.forgotten);
  metrics.registry.registerMetric(gauge);
  return sweep;
}
