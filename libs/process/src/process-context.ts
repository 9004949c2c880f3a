import os from 'node:os';
import { type Duties, Engine, type EngineSettings, type ProcessHomes } from '#engine';
import { DEFAULT_TIMING, type TaskLimits } from '#core';
import { listedVariables } from '#expressions';
import { createAbort, isGone, newSecret, processHome, SystemClock, SystemEntropy } from '#machine';
import { compileEarly, freeWorkerHeaps, inlineMore, startYoung } from '#seams/node';
import {
  combineObservers,
  CommandLines,
  createLogger,
  type Logger,
  LogObserver,
  OutputKeeper,
  PrometheusObserver,
  StatisticsObserver,
} from '#platform';
import {
  type Clock,
  type CommandCatalogue,
  type Entropy,
  type LineLevel,
  NO_SECRETS,
  type Observer,
  type SecretResolver,
  type Secrets,
  type Tracer,
} from '#ports';
import {
  AuditTrail,
  type Callers,
  type LocalToken,
  RefusedSignIns,
  SealedSecrets,
  type SignIn,
} from '#access';
import type { Settings } from '#settings';
import { ExecutorServer } from '#executor';
import { openTracer } from '#tracing';
import { AccessFile } from './access-file.js';
import { addLiveMetrics, type LiveParts, type WatchedQueues } from './live-metrics.js';
import { makeCallers, openLocalToken } from './make-callers.js';
import { openPorts, type Ports } from './open-ports.js';
import { ProxySecretFile } from './proxy-secret-file.js';
import { ProcessEvaluator, servedNow } from './process-evaluator.js';
import { openResolvers } from './secret-resolvers.js';
import { UnclaimedTasks } from './unclaimed-tasks.js';
import type { FaultSwitches, openFaults } from './faults/fault-switches.js';

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

/** Version of the product, as announced to other processes. */
export const VERSION = '0.1.0';

/** Leases after its deadline from which a running action is looked at from outside. */
const OVERDUE_LEASES = 3;

const MACHINE = { version: VERSION, host: os.hostname(), pid: process.pid };

/** Everything a process is built around; what its Nest modules are registered with. */
export interface ProcessContext extends Ports {
  readonly settings: Settings;
  readonly entropy: Entropy;
  readonly observer: Observer;
  readonly logger: Logger;
  /** The log of those who wrote the executors: by their commands, and by Nest's `Logger`. */
  readonly authorLogger: Logger;
  readonly metrics: PrometheusObserver;
  /** The tasks whose messages were refused or lost, as far as this process has met them. */
  readonly unclaimed: UnclaimedTasks;
  /** Counts how flows do; what it counted is stored again and again. */
  readonly counted: StatisticsObserver;
  /** Queues that the metrics tell of besides those of the modules it serves. */
  readonly queues: WatchedQueues;
  readonly executors: ExecutorServer;
  readonly evaluator: ProcessEvaluator;
  /** Seals and opens the secrets of tasks. */
  readonly secrets: Secrets;
  /** Fetch secrets by reference. */
  readonly secretResolvers: readonly SecretResolver[];
  /** Sends traces; undefined: nobody asked for any. */
  readonly tracer: Tracer | undefined;
  /** Keeps the output and the progress of the attempts of this process. */
  readonly output: OutputKeeper;
  readonly engine: Engine;
  /** Knows whose API keys, tokens and certificates are, and trusts proxies. */
  readonly callers: Callers;
  /** The rules for callers without a key; null: they follow from the settings. */
  readonly access: AccessFile | null;
  /** The secrets of proxies that vouch for people; null: no proxy is trusted. */
  readonly proxySecret: ProxySecretFile | null;
  /** Signs people in at an issuer; null: nobody does. */
  readonly signIn: SignIn | null;
  /** The token of this machine, which makes links that sign in; null: none is taken. */
  readonly localToken: LocalToken | null;
  /** Writes the audit log of this process. */
  readonly trail: AuditTrail;
  /** Writes refused sign-ins there, within bounds. */
  readonly refusedSignIns: RefusedSignIns;
  /** Switches that make steps go wrong; null: the lab is off, or others have them. */
  readonly faultSwitches: FaultSwitches | null;
  /** This process instance: new with every start; tells neither host nor pid. */
  readonly instance: string;
  /** Where it runs, for operators. */
  readonly build: EngineSettings['build'];
}

/** The ports of a process's engine. */
export interface EnginePorts extends Ports {
  readonly catalogue: CommandCatalogue;
}

/** Options of a process: its name, and which of the engine's duties it has. */
export interface ContextOptions {
  readonly name: string;
  readonly duties: Omit<Duties, 'recovery'>;
  /** Fetch secrets by reference, besides those that the settings name. Default: none. */
  readonly secretResolvers?: readonly SecretResolver[];
  /**
   * Whether it runs executors that others have written, whose code may use Nest's `Logger`.
   * Default: no.
   */
  readonly isOfAuthors?: boolean;
  /** Least level of the lines of those who wrote the executors. Default: as of the log. */
  readonly authorLevel?: LineLevel;
  /** The name of the build of its code, where no setting gives one. Default: none. */
  readonly build?: string | undefined;
  /** The time of tasks, where no server of the store tells it. Default: the machine's. */
  readonly clock?: Clock;
  /** Puts something around the ports, such as a measurement or a fault. Default: nothing. */
  readonly decorate?: (ports: EnginePorts) => EnginePorts;
}

/**
 * Opens the ports and builds the engine over them. Throws what a port refuses to open with.
 * `undo` is given what closes each part that was opened, for where another one fails.
 */
export async function createContext(
  settings: Settings,
  options: ContextOptions,
  undo: (() => Promise<unknown>)[],
): Promise<ProcessContext> {
  const { authorLevel, clock: given, decorate = (ports) => ports, duties, name } = options;
  tuneMachine(settings);
  const [machine, entropy] = [new SystemClock(), new SystemEntropy()];
  const counted = new StatisticsObserver(entropy.newId());
  const seen = observe(settings, { authorLevel, counted });
  const { metrics, observer } = seen;
  // Events show it to everybody: which host and process it is, only the log and the registry tell.
  const instance = `${name}-${entropy.newId().slice(-8)}`;
  const about = { name, instance, build: buildOf(settings, options) };
  // Before the store is opened for nothing.
  const files = openFiles(settings, { clock: machine, observer });
  const asked = { ...files, machine, observer, localToken: openLocalToken(settings, machine) };
  const timed = { clock: given ?? machine, entropy, observer, processName: `backstep ${name}` };
  const opened = await openPorts(settings, timed);
  undo.push(...[opened.store, opened.transport].map((port) => () => port.close()));
  const { clock } = opened;
  const executors = new ExecutorServer({ clock, maxOutputBytes: settings.maxParameters });
  const traced = await traceProcess(settings, { ...about, clock, observer, executors });
  undo.push(async () => traced.tracer?.close());
  const { catalogue, ...ports } = decorate({ ...opened, catalogue: executors });
  const served = () => servedNow({ catalogue, ...ports });
  const evaluator = makeEvaluator(settings, { machine, served });
  const secretParts = secretPartsOf(settings, options.secretResolvers);
  const sight = { entropy, limits: limitsOf(settings), evaluator, createAbort, ...secretParts };
  const own = { flows: ports.flowStore, catalogue, homes: homesHere(), ...sight, ...traced };
  const parts = { ...ports, ...own, ...saidIn(ports, { ...seen, clock }) };
  const all = { ...duties, recovery: duties.executor && ports.exclusive };
  const engine: Engine = new Engine(parts, engineSettings(settings, about), all);
  const live = { ...parts, ...liveParts(engine, settings, duties), machine };
  return {
    ...ports,
    ...{ settings, entropy, executors, evaluator, engine },
    ...seen,
    queues: addLiveMetrics(metrics.registry, live),
    ...secretParts,
    ...{ output: parts.output, tracer: traced.tracer },
    ...files,
    ...(await makeCallers(settings, { ...asked, records: ports.records, clock })),
    ...trailOf(ports, { observer, clock }),
    faultSwitches: await faultsOf({ ...ports, settings, executors, engine }),
    ...{ instance, build: about.build },
  };
}

/** Not even loaded where the lab is off. */
async function faultsOf(
  parts: Parameters<typeof openFaults>[0] & Pick<ProcessContext, 'settings'>,
): Promise<FaultSwitches | null> {
  if (!parts.settings.lab) return null;
  const faults = await import('./faults/fault-switches.js');
  return faults.openFaults(parts);
}

/** The parts that take the lines of commands. */
function saidIn(
  { records }: Pick<Ports, 'records'>,
  { authorLogger, clock, observer }: Pick<ProcessContext, 'authorLogger' | 'clock' | 'observer'>,
) {
  const output = new OutputKeeper({ records, clock, observer });
  return { commandLog: new CommandLines(authorLogger), output };
}

function trailOf(
  { audit: log }: Pick<Ports, 'audit'>,
  { clock, observer }: Pick<ProcessContext, 'clock' | 'observer'>,
): Pick<ProcessContext, 'refusedSignIns' | 'trail'> {
  const trail = new AuditTrail({ log, observer });
  return { trail, refusedSignIns: new RefusedSignIns({ trail, clock }) };
}

/** A process whose messages travel gets few of them, and is not soon warm by itself. */
function tuneMachine({ transport }: Settings): void {
  freeWorkerHeaps();
  startYoung();
  if (transport.kind === 'amqp') compileEarly();
  else inlineMore();
}

function homesHere(): ProcessHomes | undefined {
  const own = processHome();
  return own === null ? undefined : { own, isGone: (home) => isGone(home, own) };
}

function limitsOf({ maxRuns, maxTask }: Settings): TaskLimits {
  return { contentBytes: maxTask, runs: maxRuns };
}

function makeEvaluator(
  { flowEnv }: Settings,
  { machine, served }: { machine: SystemClock; served: () => ReturnType<typeof servedNow> },
): ProcessEvaluator {
  const env = listedVariables(flowEnv ?? [], process.env);
  return new ProcessEvaluator({ clock: machine, env, served });
}

type Seen = Pick<
  ProcessContext,
  'authorLogger' | 'counted' | 'logger' | 'metrics' | 'observer' | 'unclaimed'
>;

interface SeenBy {
  readonly authorLevel: LineLevel | undefined;
  readonly counted: StatisticsObserver;
}

/** Tells log, metrics and statistics of what happens. */
function observe({ log }: Settings, { authorLevel, counted }: SeenBy): Seen {
  const logger = createLogger({ level: log });
  const authorLogger = authorLevel ? logger.child({}, { level: authorLevel }) : logger;
  const metrics = new PrometheusObserver();
  const unclaimed = new UnclaimedTasks(new SystemClock());
  const observer = combineObservers(new LogObserver(logger), metrics, counted, unclaimed);
  return { authorLogger, counted, logger, metrics, observer, unclaimed };
}

/** Before the store is opened: a wrong file stops the start as a wrong setting does. */
function openFiles(
  { access, proxySecretFile: secret }: Settings,
  parts: ConstructorParameters<typeof AccessFile>[1],
): Pick<ProcessContext, 'access' | 'proxySecret'> {
  return {
    access: access === null ? null : new AccessFile(access, parts),
    proxySecret: secret === null ? null : new ProxySecretFile(secret, parts),
  };
}

/** Of a process alone: commands at a time, and what it is a build of. */
function liveParts(
  { pieces }: Engine,
  { concurrency }: Settings,
  { governance: isGoverning }: ContextOptions['duties'],
): Pick<LiveParts, 'slots' | 'concurrency' | 'version' | 'isGoverning'> {
  const { slots } = pieces.state;
  return { slots, concurrency, version: VERSION, isGoverning };
}

/** Seals secrets, or fetches them. */
function secretPartsOf(settings: Settings, own: readonly SecretResolver[] | undefined) {
  const secretResolvers = openResolvers(settings, own);
  return { secrets: secretsOf(settings), secretResolvers, secretRules: settings.secrets ?? [] };
}

function secretsOf({ secretKey }: Settings): Secrets {
  if (secretKey === null) return NO_SECRETS;
  return new SealedSecrets(secretKey, () => newSecret().secret);
}

/** All of it is announced with the executors of this process. */
function buildOf({ build: set }: Settings, { build: known }: ContextOptions): typeof MACHINE {
  const build = set ?? known;
  return { ...MACHINE, ...(build !== undefined && { build }) };
}

function engineSettings(
  settings: Settings,
  { build, instance }: Pick<ProcessContext, 'build' | 'instance'>,
): EngineSettings {
  return {
    owner: instance,
    concurrency: settings.concurrency,
    leaseMs: settings.lease,
    governanceIntervalMs: settings.governanceInterval,
    drainMs: settings.drain,
    timing: {
      ...DEFAULT_TIMING,
      redispatchAfterMs: settings.redispatchAfter,
      // A living process ends what does not answer one lease after its deadline.
      overdueAfterMs: OVERDUE_LEASES * settings.lease,
    },
    alertAction: settings.alertAction,
    build,
  };
}

/** Opens the tracer that the variables of the process ask for, and has attempts run within it. */
async function traceProcess(
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
