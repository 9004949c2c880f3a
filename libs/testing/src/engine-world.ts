import {
  type Action,
  type CommandStep,
  DEFAULT_TIMING,
  type FlowDefinition,
  type JsonObject,
  NO_RETRY,
  type Outcome,
  RESTARTS_FORWARD,
  type StepPlan,
  type Task,
  type TaskLimits,
  type Timing,
} from '#core';
import { type AbortSource, Engine, type EngineSettings } from '#engine';
import { NO_SECRETS, type SecretResolver, type SecretRule, type Secrets } from '#ports';
import type {
  AttemptOutput,
  CommandCatalogue,
  CommandContext,
  CommandHandler,
  Clock,
} from '#ports';
import { FakeEntropy } from './fake-entropy.js';
import { HeldTransport } from './held-transport.js';
import { ManualClock, settle } from './manual-clock.js';
import { MemoryStore } from './memory-store.js';
import { PlainEvaluator } from './plain-evaluator.js';
import { PLAIN_TOKENS } from './plain-tokens.js';
import { RecordingObserver } from './recording-observer.js';

/** The behaviour of a scripted command; `calls` is the number of earlier calls. */
type Script = (context: CommandContext, calls: number) => Promise<Outcome> | Outcome;

/** The outcome of a command that is done. */
export function done(output: JsonObject | null = null): Outcome {
  return { kind: 'succeeded', output };
}

/** The outcome of a command that failed. */
export function fails(message = 'no', terminal = true): Outcome {
  return { kind: 'failed', terminal, failure: 'FAILED', message };
}

/** Commands of `chain`: those that a catalogue lists though they have no script. */
const PLAIN = ['a', 'b', 'c', 'd'].flatMap((name) => [name, `undo_${name}`]);

/** Commands by `module.command`; every other command of a known module is done at once. */
export class ScriptedCommands implements CommandCatalogue {
  /** Commands that this build does not have, as `module.command`. */
  readonly lacks = new Set<string>();
  /** Every call, in order: `step:direction`. */
  readonly calls: string[] = [];
  readonly contexts: CommandContext[] = [];
  readonly scripts = new Map<string, Script>();
  /** JSON Schemas of parameters, by `module.command`. */
  readonly schemas = new Map<string, JsonObject>();
  /** JSON Schemas of outputs, by `module.command`. */
  readonly outputs = new Map<string, JsonObject>();
  /** Members of outputs that are secret, by `module.command`. */
  readonly secrets = new Map<string, readonly string[]>();
  private readonly counts = new Map<string, number>();

  constructor(
    private readonly served: readonly string[] = ['m', 'n', 'monitor'],
    private readonly plain = PLAIN,
  ) {}

  modules(): readonly string[] {
    return this.served;
  }

  commands(module: string): readonly string[] {
    const scripted = [...this.scripts.keys()].filter((name) => name.startsWith(`${module}.`));
    const names = [...scripted.map((name) => name.slice(module.length + 1)), ...this.plain];
    return [...new Set(names)].filter((name) => !this.lacks.has(`${module}.${name}`));
  }

  parametersOf(module: string, command: string): JsonObject | null {
    return this.schemas.get(`${module}.${command}`) ?? null;
  }

  outputOf(module: string, command: string): JsonObject | null {
    return this.outputs.get(`${module}.${command}`) ?? null;
  }

  find(module: string, command: string): CommandHandler | undefined {
    if (!this.served.includes(module) || this.lacks.has(`${module}.${command}`)) return undefined;
    const { size } = this.secrets;
    const secrets = size === 0 ? undefined : this.secrets.get(`${module}.${command}`);
    return { secrets, run: (context) => this.run(`${module}.${command}`, context) };
  }

  private async run(name: string, context: CommandContext): Promise<Outcome> {
    this.calls.push(`${context.step}:${context.direction}`);
    this.contexts.push(context);
    const count = this.counts.get(name) ?? 0;
    this.counts.set(name, count + 1);
    return (await this.scripts.get(name)?.(context, count)) ?? done();
  }
}

/** An action of a test's flow. */
export function action(name: string, more: Partial<Action> = {}): Action {
  const [module = '', command = ''] = name.split('.');
  const plain = { timeoutMs: 60_000, attemptTimeoutMs: null, retry: NO_RETRY, parameters: null };
  return { module, command, ...plain, onCrash: RESTARTS_FORWARD, ...more };
}

/** A flow that is a chain of pairs: steps a, b, c ... with commands `m.a` and `m.undo_a`. */
export function chain(names: readonly string[], more: Partial<CommandStep> = {}): FlowDefinition {
  const steps = names.map((name, index) => ({
    name,
    needs: index === 0 ? [] : [index - 1],
    normal: action(`m.${name}`),
    rollback: action(`m.undo_${name}`),
    ...more,
  }));
  return flow(steps);
}

/** A flow of these steps. */
export function flow(
  steps: readonly StepPlan[],
  more: Partial<FlowDefinition> = {},
): FlowDefinition {
  return { name: 'test-flow', description: null, input: null, timeoutMs: null, steps, ...more };
}

/** Options of a world. */
export interface WorldOptions {
  readonly store?: MemoryStore;
  readonly transport?: HeldTransport;
  readonly clock?: ManualClock;
  readonly commands?: ScriptedCommands;
  readonly settings?: Partial<EngineSettings>;
  readonly timing?: Partial<Timing>;
  readonly executor?: boolean;
  /** Whether it looks for due tasks; default: it does. */
  readonly governance?: boolean;
  readonly limits?: TaskLimits;
  /** Default: there is no key. */
  readonly secrets?: Secrets;
  /** Fetch secrets for modules; default: nothing does. */
  readonly secretResolvers?: readonly SecretResolver[];
  readonly secretRules?: readonly SecretRule[];
  /** Keeps what attempts say; default: nobody does. */
  readonly output?: AttemptOutput;
}

/** One process of Backstep on test adapters, and the levers a test needs. */
export class EngineWorld {
  readonly store: MemoryStore;
  readonly transport: HeldTransport;
  readonly clock: ManualClock;
  readonly commands: ScriptedCommands;
  readonly observer = new RecordingObserver();
  readonly evaluator = new PlainEvaluator();
  readonly secrets: Secrets;
  readonly engine: Engine;

  constructor(options: WorldOptions = {}) {
    this.secrets = options.secrets ?? NO_SECRETS;
    this.store = options.store ?? new MemoryStore();
    this.transport = options.transport ?? new HeldTransport();
    this.clock = options.clock ?? new ManualClock();
    const { executor = true, governance = true } = options;
    this.commands = options.commands ?? new ScriptedCommands(executor ? undefined : []);
    const parts = {
      store: this.store,
      children: this.store.children,
      locks: this.store.locks,
      flows: this.store,
      sessions: this.store,
      registry: this.store,
      records: this.store.records,
      transport: this.transport,
      catalogue: this.commands,
      clock: this.clock as Clock,
      entropy: new FakeEntropy(),
      observer: this.observer,
      evaluator: this.evaluator,
      completionTokens: PLAIN_TOKENS,
      ...(options.limits !== undefined && { limits: options.limits }),
      secrets: this.secrets,
      secretResolvers: options.secretResolvers ?? [],
      secretRules: options.secretRules ?? [],
      ...(options.output !== undefined && { output: options.output }),
      createAbort,
    };
    const settings = { ...SETTINGS, timing: { ...DEFAULT_TIMING, ...options.timing } };
    const duties = { executor, governance, recovery: false };
    this.engine = new Engine(parts, { ...settings, ...options.settings }, duties);
  }

  /** Submits a flow and lets everything happen that needs no time. */
  async submit(definition: FlowDefinition, parameters: JsonObject = {}): Promise<Task> {
    const { task } = await this.engine.submit({ definition, version: 1 }, { parameters });
    await settle();
    return this.task(task.plan.taskId);
  }

  /** The task as stored. */
  async task(taskId: string): Promise<Task> {
    const task = await this.store.get(taskId);
    if (task === null) throw new Error(`there is no task ${taskId}`);
    return task;
  }
}

const SETTINGS = {
  owner: 'executor-1',
  concurrency: 4,
  leaseMs: 10_000,
  governanceIntervalMs: 1_000,
  drainMs: 1_000,
  alertAction: { module: 'monitor', command: 'raise_alert' },
  build: { version: 'test', host: 'localhost', pid: 1 },
};

function createAbort(): AbortSource {
  const controller = new AbortController();
  return { signal: controller.signal, abort: (reason) => controller.abort(reason) };
}
