import { isFinal, type KindName, type Task } from '#core';
import { wantsFailureTask } from '#core/children';
import { actionsIn } from '#core/flow';
import { AnewCheck } from './checks/anew-check.js';
import { BuildCheck } from './checks/build-check.js';
import { ChildrenCheck } from './checks/children-check.js';
import { ClosingCheck } from './checks/closing-check.js';
import { CrashCheck } from './checks/crash-check.js';
import { DeskCheck } from './checks/desk-check.js';
import { DocumentCheck } from './checks/document-check.js';
import { AlertCheck } from './checks/alert-check.js';
import { ExpiryCheck } from './checks/expiry-check.js';
import { FailureCheck } from './checks/failure-check.js';
import { JournalCheck } from './checks/journal-check.js';
import { KindCheck } from './checks/kind-check.js';
import { LedgerCheck } from './checks/ledger-check.js';
import { LimitCheck } from './checks/limit-check.js';
import { LockCheck } from './checks/lock-check.js';
import { OutcomeCheck } from './checks/outcome-check.js';
import { PassingCheck } from './checks/passing-check.js';
import { SecretCheck } from './checks/secret-check.js';
import { ScopeCheck } from './checks/scope-check.js';
import { SessionCheck } from './checks/session-check.js';
import { SlotCheck } from './checks/slot-check.js';
import { WorkerCheck } from './checks/worker-check.js';
import { Cluster } from './cluster.js';
import type { Mutant } from './mutant.js';
import { Nemesis } from './nemesis.js';
import { Orders } from './orders.js';
import { Participant } from './participant.js';
import { Persons } from './persons.js';
import { clockErrorMs, drawScenario, JUMP_MS } from './scenario.js';
import { STORE_SLOW_MAX_MS } from './store-port.js';
import { watchUnhandled } from './unhandled.js';
import { type Violation, World } from './world.js';

/** How often the world is looked at from outside, in milliseconds. */
const LOOK_EVERY_MS = 1_000;

/** How long a program may take at most without trouble: persons hold and repeat it at will. */
const PROGRAM_END_MS = 14_400_000;

/** The result of one history. */
export interface HistoryResult {
  readonly seed: number;
  /** The kinds of steps that its programs were drawn of; null: it is as its seed says. */
  readonly kinds: readonly KindName[] | null;
  readonly hasWorkers: boolean;
  readonly violations: readonly Violation[];
  readonly traceHash: string;
  /** How many things happened. */
  readonly events: number;
  readonly sightings: ReadonlyMap<string, number>;
  /** The trace, where it was asked for. */
  readonly lines: readonly string[];
}

/** How a history is to be played. */
export interface HistoryOptions {
  readonly mutant?: Mutant | null;
  /** It has programs of these kinds of steps alone; null, the default: as its seed says. */
  readonly kinds?: readonly KindName[] | null;
  /** Workers serve some of the modules; default: where the mutant asks for them. */
  readonly hasWorkers?: boolean;
  /** Keep the trace. */
  readonly isTold?: boolean;
}

/** Plays the history of a seed: trouble, then none, and by then everything must have ended. */
export async function playHistory(
  seed: number,
  options: HistoryOptions = {},
): Promise<HistoryResult> {
  const { kinds = null, mutant = null, isTold = false } = options;
  const { hasWorkers = mutant?.hasWorkers === true } = options;
  const world = new World(drawScenario(seed, { kinds, hasWorkers }), mutant, isTold);
  await playSafely(new History(world, drawPlot));
  const { line, lines, sightings, traceHash, violations } = world;
  const told = { sightings, lines: lines ?? [] };
  return { seed, kinds, hasWorkers, violations, traceHash, events: line.count, ...told };
}

/** Plays a history; what nobody caught in it is a violation of its. */
export async function playSafely(history: History): Promise<void> {
  const { world } = history;
  const tell = (error: unknown): void => world.violate('I12', `nobody caught: ${textOf(error)}`);
  const unwatch = watchUnhandled(tell);
  await history.play().catch(tell);
  await unwatch();
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Sets going what clients want and what goes wrong, all of it drawn. */
function drawPlot(history: History): void {
  const { cluster, orders, persons, world } = history;
  const nemesis = new Nemesis(world, cluster, { persons, orders });
  orders.draw();
  nemesis.start();
  world.line.after(world.scenario.troubleMs, () => {
    nemesis.heal();
    history.expectEnd();
  });
}

/** One history while it is played. */
export class History {
  readonly cluster: Cluster;
  readonly orders: Orders;
  readonly persons: Persons;
  private readonly participant: Participant;
  private readonly documents: DocumentCheck;
  private readonly ledger: LedgerCheck;
  private readonly builds: BuildCheck;
  private readonly outcomes: OutcomeCheck;
  private readonly journals: JournalCheck;
  private readonly crashes: CrashCheck;
  private readonly limits: LimitCheck;
  private readonly locks: LockCheck;
  private readonly scopes: ScopeCheck;
  private readonly passings: PassingCheck;
  private readonly children: ChildrenCheck;
  private readonly failures: FailureCheck;
  private readonly alerts: AlertCheck;
  private readonly anew: AnewCheck;
  private readonly sessions: SessionCheck;
  private readonly kinds: KindCheck;
  private readonly secrets: SecretCheck;
  private readonly slots: SlotCheck;
  private readonly workers: WorkerCheck;
  private readonly desks: DeskCheck;
  private readonly expiries: ExpiryCheck;
  private isOver = false;
  private healedAt: number | null = null;

  /** `plot` sets going what clients want and what goes wrong. */
  constructor(
    readonly world: World,
    private readonly plot: (history: History) => void,
  ) {
    this.participant = new Participant(world);
    this.cluster = new Cluster(world, () => ({
      participant: this.participant,
      started: (context, owner) => {
        this.ledger.started(context, owner);
        this.outcomes.began(context);
        this.secrets.started(context);
      },
      begins: (context) => {
        this.ledger.begins(context);
        this.workers.begins(context);
      },
      desks: this.desks,
      acted: (context) => this.ledger.acted(context),
      ended: (context, outcome) => this.outcomes.ended(context, outcome),
      published: (dispatch, publisher) => this.ledger.sent(dispatch, publisher),
    }));
    this.documents = new DocumentCheck(world);
    this.ledger = new LedgerCheck(world, this.cluster.server);
    this.journals = new JournalCheck(world);
    this.crashes = new CrashCheck(world);
    this.outcomes = new OutcomeCheck(world);
    this.builds = new BuildCheck(world);
    this.limits = new LimitCheck(world, this.cluster.server);
    this.locks = new LockCheck(world, this.cluster.server);
    this.scopes = new ScopeCheck(world, this.participant);
    this.passings = new PassingCheck(world, () => this.persons.deeds);
    this.children = new ChildrenCheck(world, this.cluster.server);
    this.failures = new FailureCheck(world, this.cluster.server);
    this.alerts = new AlertCheck(world, this.cluster.server);
    this.anew = new AnewCheck(world, this.cluster.server);
    this.sessions = new SessionCheck(world, this.cluster.server, () => {
      return new Set(this.cluster.living().map(({ owner }) => owner));
    });
    this.kinds = new KindCheck(world);
    this.secrets = new SecretCheck(world);
    this.slots = new SlotCheck(world, () => this.cluster.living());
    this.workers = new WorkerCheck(world, this.cluster.server);
    this.desks = new DeskCheck(world, this.cluster.server);
    this.expiries = new ExpiryCheck(world);
    this.orders = new Orders(world, this.cluster);
    this.persons = new Persons(world, this.cluster);
  }

  /** Plays it to its end, or to the first promise that is broken. */
  async play(): Promise<void> {
    const { cluster, world } = this;
    cluster.server.witness = (stored, before) => {
      this.documents.look(stored, before);
      this.ledger.stored(stored, before);
      this.builds.look(stored, before);
      this.expiries.look(stored, before);
      this.scopes.look(stored, before);
      this.passings.look(stored, before);
      // Before the children: a task that is started again, and a child, breaks the promises of
      // both.
      this.anew.look(stored, before);
      this.children.look(stored, before);
      this.failures.look(stored, before);
      this.alerts.look(stored, before);
      this.limits.look(stored, before);
      this.locks.look(stored, before);
      this.sessions.look(stored, before);
      this.kinds.look(stored, before);
      this.workers.look(stored, before);
      this.secrets.look(stored, before);
      this.outcomes.look(stored, before);
      this.crashes.look(stored, before);
      // A bug put into documents alone would be known at once by the journal, which has it not.
      const isToldApart = world.mutant?.edit !== undefined && world.mutant.isInJournal !== true;
      // Its reader knows commands and groups, and executors.
      // Of claims that cost nothing the journal alone does not say what they were.
      const isKnown = world.scenario.programs === null && !world.scenario.hasWorkers;
      if (!isToldApart && isKnown) this.journals.look(stored, before);
    };
    cluster.start();
    this.plot(this);
    world.line.after(LOOK_EVERY_MS, () => this.look());
    await world.line.play(() => this.isOver || world.violations.length > 0);
    if (world.violations.length > 0) return;
    const { deeds } = this.persons;
    const { ledger, participant } = this;
    const { orders } = this;
    const remains = { server: cluster.server, participant, ledger, orders, deeds };
    new ClosingCheck(world, remains).look();
    this.scopes.lookAtEnd(cluster.server.tasks);
    this.children.lookAtEnd();
    this.failures.lookAtEnd();
  }

  /** The trouble is over: from now on nothing may wait for long. */
  expectEnd(): void {
    this.healedAt = this.world.now;
  }

  private look(): void {
    const { world } = this;
    const tasks = [...this.cluster.server.tasks.values()];
    const isQuiet = world.pending === 0 && this.persons.busy === 0 && this.orders.areSettled;
    const isFree = this.slots.areFree() && this.limits.areFree();
    const hasLeft = this.cluster.server.lines.size > 0 || !isFree;
    const isEnded = tasks.every((task) => isFinal(task.status) && !wantsFailureTask(task));
    if (isQuiet && !hasLeft && isEnded) {
      this.isOver = true;
      return;
    }
    if (world.isHealed) {
      this.sleepOver(tasks);
      this.persons.help();
    }
    if (this.healedAt !== null) {
      this.lookForStuck(tasks, this.healedAt);
      this.locks.lookForLeaks(this.healedAt);
      this.locks.lookForForgotten(tasks, this.healedAt);
      this.sessions.lookForOrphans(this.healedAt);
      this.slots.lookForLeaks(this.healedAt);
      this.limits.lookForLeaks(this.healedAt);
    }
    world.line.after(LOOK_EVERY_MS, () => this.look());
  }

  /**
   * A time stamp of a clock that was an hour ahead lies an hour in the future. Everybody sleeps
   * that long, as a suspended host does: an hour of rounds would take too much time to play.
   */
  private sleepOver(tasks: readonly Task[]): void {
    const { line, now, scenario } = this.world;
    if (clockErrorMs(scenario) < JUMP_MS) return;
    const aheadMs = Math.max(...tasks.map((task) => lastStamp(task) - now));
    if (aheadMs < JUMP_MS / 2) return;
    this.world.see('slept over a wrong stamp');
    line.leap(aheadMs);
    this.healedAt = line.now;
  }

  /** Liveness: without trouble, nothing that is due waits, and everything ends. */
  private lookForStuck(tasks: readonly Task[], healedAt: number): void {
    const { now, scenario } = this.world;
    const { governanceIntervalMs, leaseMs } = scenario;
    // A process that could not see ends no session for one lease, from the last answer on that it
    // did not get, and an earlier question may have been slow both ways; the rest is two rounds.
    const overdueMs = 2 * STORE_SLOW_MAX_MS + leaseMs + 2 * governanceIntervalMs + 2_000;
    for (const task of tasks) {
      const { plan, wakeAt, status } = task;
      const isOver = isFinal(status) && !wantsFailureTask(task);
      if (isOver || (wakeAt === null && scenario.programs !== null)) continue;
      const since = Math.max(wakeAt ?? 0, healedAt);
      if (now - since > overdueMs) {
        this.world.violate('I9', `${plan.taskId} was due ${now - since} ms ago`);
      }
    }
    if (now - healedAt > this.endMs(tasks)) {
      this.world.violate('I9', `not over ${now - healedAt} ms after the trouble`);
    }
  }

  /** The longest that all of this may take: each action its time, a lost lease, a lost message. */
  private endMs(tasks: readonly Task[]): number {
    const { leaseMs, programs, timing } = this.world.scenario;
    if (programs !== null) return PROGRAM_END_MS;
    const lossMs = 8 * leaseMs + timing.redispatchMaxMs;
    const times = tasks.map(({ plan }) => {
      const actions = actionsIn(plan.steps);
      return actions.reduce((sum, action) => sum + action.timeoutMs + lossMs, 0);
    });
    const whole = times.reduce((sum, time) => sum + time, 0);
    // Tasks that wait for each other's locks run one after the other.
    const longest = this.world.scenario.locks === null ? Math.max(0, ...times) : whole;
    return Math.max(60_000, longest) + 60_000;
  }
}

/**
 * The last moment at which a process looks at a task, or at an action that waits: to be taken, or
 * for its next attempt, before which a lock may have the task looked at.
 */
function lastStamp({ runs, wakeAt }: Task): number {
  const actions = runs.flatMap(({ normal, rollback }) => {
    return rollback === null ? [normal] : [normal, rollback];
  });
  const waiting = actions.filter(({ state }) => state === 'queued' || state === 'waiting');
  return Math.max(wakeAt ?? 0, ...waiting.map(({ dueAt }) => dueAt ?? 0));
}
