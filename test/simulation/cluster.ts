import { DEFAULT_LIMITS, type TaskLimits } from '#core';
import { type AbortSource, Engine } from '#engine';
import type { Entropy, Notice, Observer, SecretResolver } from '#ports';
import { ExecutorTable, StoreUnavailable, TransportUnavailable } from '#ports';
import { PLAIN_TOKENS } from '#testing';
import { Broker } from './broker.js';
import type { DeskCheck } from './checks/desk-check.js';
import { type CommandParts, SimCommands } from './commands.js';
import { LightAbort } from './light-abort.js';
import {
  mutatedChildren,
  mutatedDesk,
  mutatedEvaluator,
  mutatedSessions,
  mutatedStore,
} from './mutated-store.js';
import { RegistryPort } from './registry-port.js';
import type { ProcessPlan } from './scenario.js';
import { SimEvaluator } from './sim-evaluator.js';
import { SimProcess } from './sim-process.js';
import { StoreServer } from './store-server.js';
import { SECRET_RULES, SimSecrets } from './sim-secrets.js';
import { StorePort } from './store-port.js';
import { type PublishWitness, TransportPort } from './transport-port.js';
import type { WorkerTerms } from './workers/drawn-workers.js';
import { SimWorker } from './workers/sim-worker.js';
import { WorkerLink } from './workers/worker-link.js';
import type { World } from './world.js';

/** The witnesses that a cluster reports to. */
export interface ClusterWitness extends CommandParts {
  readonly published: PublishWitness;
  readonly desks: DeskCheck;
}

/** All processes of a history, with the store and the broker they share. */
export class Cluster {
  readonly server: StoreServer;
  readonly broker: Broker;
  readonly registry = new ExecutorTable();
  /** The newest life of each process, dead or alive. */
  readonly processes = new Map<string, SimProcess>();
  private lives = 0;
  private ids = 0;

  constructor(
    readonly world: World,
    private readonly witness: () => ClusterWitness,
  ) {
    this.server = new StoreServer(world);
    this.broker = new Broker(world);
  }

  /** Starts everything. */
  start(): void {
    for (const plan of this.world.scenario.processes) this.launch(plan);
  }

  /** Processes that live, frozen or not. */
  living(): readonly SimProcess[] {
    return [...this.processes.values()].filter(({ alive }) => alive);
  }

  gateways(): readonly SimProcess[] {
    return this.living().filter(({ plan }) => plan.gateway);
  }

  /** Ends a life; the next one comes by itself. */
  kill(process: SimProcess): void {
    process.kill('killed');
  }

  /** SIGTERM: the process drains, then is gone. */
  drain(process: SimProcess): void {
    this.world.tell(`${process.owner} drains`);
    this.world.see('drained');
    const gone = (): void => process.kill('stopped');
    // The stopper of a process does not wait for ever.
    this.world.line.after(this.world.scenario.drainMs + 3_000, gone);
    process.enter(() => void (process.worker ?? process.engine)?.stop().then(gone, gone));
  }

  private launch(plan: ProcessPlan): void {
    const { world } = this;
    this.lives += 1;
    const process = new SimProcess(world, plan, this.lives);
    this.processes.set(plan.name, process);
    process.skewMs = world.faults.skew > 0 ? world.random.between(-4_000, 4_000) : 0;
    process.lacks = plan.worker === undefined ? this.drawLacks(plan) : new Set();
    process.onDeath.push(() => this.relaunch(process));
    world.tell(`${process.owner} starts, ${process.skewMs} ms ahead`);
    if (plan.worker !== undefined) return this.employ(process, plan.worker);
    process.engine = this.engineOf(process);
    process.desk = plan.gateway ? mutatedDesk(process.engine.desk, process, this.server) : null;
    // A start that fails because the store does not answer is a process that exits.
    process.engine.start().catch(() => process.kill('did not start'));
  }

  /** Starts the program of a worker. */
  private employ(process: SimProcess, terms: WorkerTerms): void {
    const witness = this.witness();
    const link = new WorkerLink(process, this);
    const catalogue = new SimCommands(process, witness);
    process.worker = new SimWorker({ process, link, catalogue, check: witness.desks }, terms);
    process.worker.start();
  }

  /** An old build may lack commands, if another process is sure to have them. */
  private drawLacks(plan: ProcessPlan): ReadonlySet<string> {
    const { random, scenario } = this.world;
    const isFirst = (module: string): boolean =>
      scenario.processes.find(({ modules }) => modules.includes(module)) === plan;
    const lacks = plan.modules
      .filter((module) => !isFirst(module) && module !== 'monitor')
      .filter(() => this.world.strikes('oldBuild'))
      .map((module) => `${module} ${random.pick(['do', 'undo'])}`);
    if (lacks.length > 0) this.world.tell(`${plan.name} is an old build without ${lacks.join()}`);
    return new Set(lacks);
  }

  private relaunch({ plan }: SimProcess): void {
    const { isHealed, line, random, scenario } = this.world;
    if (scenario.isStandalone && plan.gateway) this.broker.wipe();
    const ms = isHealed ? 200 : random.between(100, 8_000);
    line.after(ms, () => this.launch(plan));
  }

  private engineOf(process: SimProcess): Engine {
    const { broker, server, world } = this;
    const { scenario } = world;
    const { gateway, modules, recovery } = process.plan;
    const witness = this.witness();
    const plain = new StorePort(server, process);
    const parts = {
      store: mutatedStore(plain, {
        process,
        server,
        publish: (dispatch) => {
          witness.published(dispatch, process.owner);
          broker.arrive(dispatch);
        },
      }),
      children: mutatedChildren(plain.children, process),
      flows: plain,
      locks: world.mutant?.locks?.(plain.locks, server) ?? plain.locks,
      sessions: mutatedSessions(plain, process),
      ...recordsOf(world, plain),
      registry: new RegistryPort(this.registry, server, process),
      transport: new TransportPort(
        broker,
        process,
        witness.published,
        (dispatch) => world.mutant?.edit === undefined || server.asksFor(dispatch),
      ),
      catalogue: new SimCommands(process, witness),
      clock: process.clock,
      entropy: this.entropy(),
      observer: new Watcher(world),
      evaluator: mutatedEvaluator(new SimEvaluator(process), process),
      completionTokens: PLAIN_TOKENS,
      secretResolvers: [resolverOf(process)],
      secretRules: SECRET_RULES,
      limits: limitsOf(world),
      createAbort: () => (world.mutant?.abortsNothing === true ? NO_ABORT : new LightAbort()),
    };
    const { concurrency, drainMs, governanceIntervalMs, leaseMs, timing } = scenario;
    const build = { version: 'simulated', host: process.plan.name, pid: 1 };
    const alertAction = { module: 'monitor', command: 'raise_alert' };
    const waits = { drainMs, governanceIntervalMs, leaseMs, timing };
    const terms = { concurrency, ...waits, alertAction, build };
    const duties = { executor: modules.length > 0, governance: gateway, recovery };
    const settings = { owner: process.owner, ...terms };
    const engine = new Engine(parts, settings, { ...duties, ...world.mutant?.duties });
    mutate(engine, world.mutant);
    return engine;
  }

  private entropy(): Entropy {
    const { random } = this.world;
    return {
      newId: () => {
        this.ids += 1;
        return `t${this.ids}`;
      },
      idOf: (text) => text.replaceAll(' ', ':'),
      random: () => random.next(),
    };
  }
}

/** Notices of what waits and is done later. */
const WAITING: ReadonlySet<string> = new Set([
  'question_open',
  'children_wait',
  'failure_flow_waits',
  'alert_waits',
  'alert_goes_on',
]);

/** Without limits, head starts and workers nothing is kept in records. */
function recordsOf({ mutant, scenario }: World, { records }: StorePort) {
  const { hasWorkers, headStarts, limits } = scenario;
  const isUsed = hasWorkers || limits.length > 0 || headStarts !== null;
  return isUsed && { records: mutant?.records?.(records) ?? records };
}

function resolverOf(process: SimProcess): SecretResolver {
  const plain = new SimSecrets(process);
  return process.world.mutant?.resolver?.(plain) ?? plain;
}

/** The signal that a mutant gives commands: it never aborts. */
const NO_ABORT: AbortSource = { signal: new LightAbort().signal, abort: () => {} };

/** Counts what the engine notices; an error that is nobody's outage is a bug. */
class Watcher implements Observer {
  constructor(private readonly world: World) {}

  committed(): void {
    // The checks read the store instead.
  }

  noticed({ error, message, name }: Notice): void {
    const isOutage = error instanceof StoreUnavailable || error instanceof TransportUnavailable;
    // These wait for what did not answer, and for nothing that is a bug.
    const isWaiting = WAITING.has(name);
    if (isWaiting && !/Unavailable|the evaluator has ended/.test(message)) {
      this.world.violate('I12', `${name}: ${message}`);
    }
    if (error === undefined || isOutage) {
      if (name === 'late_outcome') this.world.see('late outcome ignored');
      if (name === 'stale_message') this.world.see('stale message dropped');
      return;
    }
    const text = error instanceof Error ? error.stack : 'not an error';
    this.world.violate('I12', `${name}: ${message}: ${text}`);
  }
}

function limitsOf({ mutant, scenario: { runs } }: World): TaskLimits {
  if (runs === null || mutant?.ignoresRoom === true) return DEFAULT_LIMITS;
  return { ...DEFAULT_LIMITS, runs };
}

/** Gives parts of an engine the fault of a mutant. */
function mutate({ pieces }: Engine, mutant: World['mutant']): void {
  const { admissions, slots, writer } = pieces.state;
  mutant?.writer?.(writer);
  mutant?.slots?.(slots);
  mutant?.admissions?.(admissions);
}
