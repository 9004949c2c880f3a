import { generateKeyPairSync } from 'node:crypto';
import type { LightMyRequestResponse } from 'fastify';
import { DEFAULT_TIMING, type FlowDefinition, type FlowVersion } from '#core';
import {
  AuditHeads,
  AuditTrail,
  Callers,
  KeptCredentials,
  KeyRing,
  RefusedSignIns,
  SignedTexts,
  TextSeal,
} from '#access';
import { type FileProblem, FlowChecker, type KnownCommands, StoredFlows } from '#flow-files';
import { TaskRemoval } from '#engine';
import { createHttpApp, HealthModule, type HttpApp, type Problem } from '#http-server';
import { newSecret } from '#machine';
import { StatisticsObserver } from '#platform';
import { ADMISSION, FLOW_SOURCE, MODULE_LIMIT, OUTPUT, PROGRESS } from '#ports';
import { recordsOf, WAITING_ACTION } from '#ports';
import {
  EngineWorld,
  FakeEntropy,
  fails,
  PLAIN_TOKENS,
  PlainEvaluator,
  type WorldOptions,
} from '#testing';
import { expectDocumented } from './docs/misfits-spec.js';
import { AnnouncedCommands } from './executors/announced-commands.js';
import { bodyLimitFor, type OssOptions } from './options.js';
import { outputParts } from './output/output-lines.js';
import { OssModule } from './oss.module.js';
import { FlowRooms } from './tasks/flow-rooms.js';

/** Options of a test's gateway. */
interface GatewayOptions extends WorldOptions {
  readonly maxParameters?: number;
  readonly maxLiveTasks?: number;
  /** Default: none. */
  readonly approvals?: OssOptions['approvals'];
  /** Default: any number. */
  readonly openPerClient?: number;
  readonly tasksPerKey?: number;
  readonly index?: boolean;
  readonly console?: OssOptions['console'];
  /** Modules and commands of this process, where it knows all there are. */
  readonly known?: KnownCommands;
  /** Whether it goes by what executors have announced. Default: nothing is known of commands. */
  readonly announced?: boolean;
  /** Asks every request for a key. Default: none does. */
  readonly asksForKeys?: boolean;
  /** Instead of the real one. */
  readonly checker?: OssOptions['checker'];
}

/** A request of a test. */
export interface Ask {
  readonly method?: string;
  readonly url: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** Keys that seal channels: the one now, and the one before. */
export const CHANNEL_KEYS = ['5a'.repeat(32), '6b'.repeat(32)] as const;

/** The gateway on test adapters: a real engine, real Nest and Fastify, no port. */
export class Gateway {
  readonly faults: Problem[] = [];
  /** The flows it knows now. */
  versions: readonly FlowVersion[] = [];
  /** The mistakes that it has found in files. */
  fileProblems: readonly FileProblem[] = [];
  http!: HttpApp;
  readonly keyRing: KeyRing;
  /** The check of those that ask for keys. */
  private readonly callers: Callers;
  /** The options it was made with. */
  options!: OssOptions;
  /** Of the heads of its audit log. */
  readonly auditKeys = generateKeyPairSync('ed25519');
  /** Counts how flows do. */
  private readonly counted = new StatisticsObserver('test');
  private readonly trail: AuditTrail;
  private readonly heads: AuditHeads;
  private readonly entropy = new FakeEntropy();
  private readonly checker: FlowChecker;

  private constructor(readonly world: EngineWorld) {
    const { clock, store } = world;
    Object.assign(world.observer, { committed: this.counted.committed.bind(this.counted) });
    this.checker = new FlowChecker({ clock });
    this.keyRing = new KeyRing({ keys: store.keys, clock });
    const chance = (): string => newSecret().secret;
    const kept = new KeptCredentials({ keys: store.keys, clock, newSecret: chance });
    this.callers = new Callers({ keys: this.keyRing, tokens: null, kept, clock });
    this.trail = new AuditTrail({ log: store.audit, observer: world.observer });
    const { privateKey: key } = this.auditKeys;
    const keep = (): void => undefined;
    const { observer } = world;
    this.heads = new AuditHeads({ log: store.audit, key, clock, observer, keep });
  }

  /** Starts a gateway that knows these flows. */
  static async open(
    flows: readonly FlowDefinition[],
    options: GatewayOptions = {},
  ): Promise<Gateway> {
    const gateway = new Gateway(new EngineWorld(options));
    await gateway.start(flows, options);
    return gateway;
  }

  /** Sends a request; objects become JSON. A good answer is one that the document promises. */
  async ask({ method = 'GET', url, body, headers = {} }: Ask): Promise<LightMyRequestResponse> {
    const isText = typeof body === 'string' || Buffer.isBuffer(body);
    const payload = body === undefined || isText ? body : JSON.stringify(body);
    const type = payload === undefined ? {} : { 'content-type': 'application/json' };
    const all = { ...type, ...headers };
    const answer = await this.http.app.inject({
      method: method as 'GET',
      url,
      headers: all,
      ...(payload !== undefined && { payload: payload as string }),
    });
    expectDocumented(method, url, answer);
    return answer;
  }

  /** Sends a POST request. */
  post(
    url: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<LightMyRequestResponse> {
    return this.ask({ method: 'POST', url, body, headers });
  }

  /** Makes the second step fail, and then the way back. */
  failRollback(): void {
    const { scripts } = this.world.commands;
    scripts.set('m.b', () => fails());
    scripts.set('m.undo_a', () => fails());
  }

  /** Creates a task and gives its id. */
  async create(body: object, headers: Record<string, string> = {}): Promise<string> {
    const answer = await this.post('/v1/tasks', body, headers);
    return (answer.json() as { taskId: string }).taskId;
  }

  async close(): Promise<void> {
    await this.http.app.close();
    await this.checker.stop();
    const stopped = this.world.engine.stop();
    // Commands that never end are waited for only so long.
    await this.world.clock.advance(60_000);
    await stopped;
  }

  /** The flows that it was opened with are those of files. */
  private catalogue(): OssOptions['flows'] {
    const { clock, observer, store } = this.world;
    const { commandDefaults, definitions } = store;
    const stored = new StoredFlows({ store, commandDefaults, definitions, clock, observer });
    const find = (name: string) => this.versions.find(({ definition }) => definition.name === name);
    return {
      defaults: () => stored.defaults ?? [],
      fileOf: (name) => (find(name) === undefined ? null : 'flows.json'),
      find: (name) => find(name) ?? stored.find(name),
      findVersion: (name, version) => stored.findVersion(name, version),
      isInFile: (name) => find(name) !== undefined,
      isRetired: (name) => stored.isRetired(name),
      list: () => [...this.versions, ...stored.list()],
      problems: () => this.fileProblems,
      refresh: () => stored.look(),
    };
  }

  private stores(): Pick<
    OssOptions,
    | 'audit'
    | 'children'
    | 'commandDefaults'
    | 'definitions'
    | 'deliveries'
    | 'drills'
    | 'statistics'
    | 'flowStore'
    | 'keys'
    | 'locks'
    | 'notifications'
    | 'operations'
    | 'positions'
    | 'schedules'
    | 'store'
  > {
    const { store } = this.world;
    const { audit, children, definitions, deliveries, keys, locks, notifications } = store;
    const { commandDefaults, drills, operations, positions, schedules, statistics } = store;
    const more = { children, deliveries, drills, notifications, schedules, statistics, store };
    const kept = { commandDefaults, definitions, keys, locks, operations, positions };
    return { audit, flowStore: store, ...kept, ...more };
  }

  private health(): ReturnType<typeof HealthModule.register> {
    const { clock, store } = this.world;
    return HealthModule.register({
      checks: [{ name: 'store', check: () => store.ping() }],
      clock,
      metrics: { contentType: 'text/plain; version=0.0.4', text: () => 'up 1\n' },
    });
  }

  private surroundings() {
    const { engine, observer, secrets, store, transport } = this.world;
    return {
      secrets,
      executors: { list: () => engine.directory.listAll(), seen: () => engine.seenExecutors() },
      faultSwitches: null,
      sessions: store,
      transport,
      changes: store.changes,
      keys: store.keys,
      audit: store.audit,
      heads: this.heads,
      keyRing: this.callers,
      signIn: null,
      trail: this.trail,
      entropy: this.entropy,
      observer,
      backup: null,
      channelSeal: new TextSeal(CHANNEL_KEYS, 'notification channels'),
      httpAllow: ['127.0.0.1'],
      insecure: false,
      leaseMs: 10_000,
      governanceIntervalMs: 1_000,
      redispatchAfterMs: DEFAULT_TIMING.redispatchAfterMs,
    };
  }

  private async start(
    definitions: readonly FlowDefinition[],
    given: GatewayOptions,
  ): Promise<void> {
    const { announced = false, asksForKeys = false, checker = this.checker } = given;
    const { console, index, known } = given;
    const { clock, engine, store } = this.world;
    for (const definition of definitions) await store.saveFlow(definition, definition.name, 1_000);
    this.versions = await store.listFlows();
    const surroundings = this.surroundings();
    const options: OssOptions = {
      engine,
      removal: removalOf(store),
      rooms: new FlowRooms(store),
      ...this.stores(),
      ...recordParts(store, clock),
      flows: this.catalogue(),
      checker,
      clock,
      ...surroundings,
      counted: this.counted,
      completionTokens: PLAIN_TOKENS,
      desk: engine.desk,
      claimTexts: new SignedTexts({ keys: null, shared: 'of tests' }),
      evaluator: new PlainEvaluator(),
      entropy: new FakeEntropy(),
      ...boundsOf(given),
      ...(index !== undefined && { index }),
      ...(console !== undefined && { console }),
      ...(known !== undefined && { announced: { now: () => known, fresh: async () => known } }),
      ...(announced && { announced: new AnnouncedCommands({ clock, ...surroundings.executors }) }),
    };
    this.options = options;
    this.http = await createHttpApp(
      { module: class TestModule {}, imports: [OssModule.register(options), this.health()] },
      {
        bodyLimit: bodyLimitFor(options.maxParameters),
        idPrefix: 'test',
        audit: { trail: this.trail, clock, includesCreates: asksForKeys },
        refused: new RefusedSignIns({ trail: this.trail, clock }),
        ...(asksForKeys && { access: this.callers }),
        onFault: (problem) => this.faults.push(problem),
      },
    );
    await this.begin();
  }

  private async begin(): Promise<void> {
    await this.http.app.init();
    await this.http.app.getHttpAdapter().getInstance().ready();
    await this.world.engine.start();
  }
}

function recordParts({ records }: EngineWorld['store'], clock: EngineWorld['clock']) {
  const moduleLimits = recordsOf(records, MODULE_LIMIT);
  return {
    ...{ moduleLimits, admissions: recordsOf(records, ADMISSION) },
    sources: recordsOf(records, FLOW_SOURCE),
    waitingActions: recordsOf(records, WAITING_ACTION),
    ...outputParts(records, clock),
  };
}

function removalOf({ finals, records }: EngineWorld['store']): TaskRemoval {
  const said = [recordsOf(records, OUTPUT), recordsOf(records, PROGRESS)];
  return new TaskRemoval({ finals, said, archive: null });
}

function boundsOf({
  approvals = [],
  maxLiveTasks = 1_000_000,
  maxParameters = 4_096,
  openPerClient = Infinity,
  tasksPerKey = Infinity,
}: GatewayOptions): Pick<
  OssOptions,
  'approvals' | 'maxLiveTasks' | 'maxParameters' | 'openPerClient' | 'tasksPerKey'
> {
  return { approvals, maxLiveTasks, maxParameters, openPerClient, tasksPerKey };
}
