import { type Dispatch, Journal, PENDING_RUN, type StepMessage, type Task } from '#core';
import { runIdOf, stepAt } from '#core/scopes';
import type { Cluster } from './cluster.js';
import type { Persons } from './persons.js';
import type { Orders } from './orders.js';
import { type Faults, JUMP_MS, SKEW_MAX_MS } from './scenario.js';
import type { SimProcess } from './sim-process.js';
import type { World } from './world.js';

/** Whatever an operator asked for before has been done by then, in milliseconds. */
const SURE_MS = 30_000;

/** Everything that goes wrong by itself, as often as the history's faults say. */
export class Nemesis {
  constructor(
    private readonly world: World,
    private readonly cluster: Cluster,
    private readonly people: { readonly persons: Persons; readonly orders: Orders },
  ) {}

  /** Sets all trouble going, until the world is healed. */
  start(): void {
    const { cluster } = this;
    this.often('killsAMinute', () => this.toSome((process) => cluster.kill(process)));
    this.often('drainsAMinute', () => this.toSome((process) => cluster.drain(process)));
    this.often('freezesAMinute', () => this.toSome((process) => this.freeze(process)));
    this.often('jumpsAMinute', () => this.toSome((process) => this.jump(process)));
    this.often('hourJumpsAMinute', () => this.toSome((process) => this.misset(process)));
    this.often('wipesAMinute', () => cluster.broker.wipe());
    this.often('resendsAMinute', () => cluster.broker.resend());
    this.startOutages();
    this.often('editsAMinute', () => this.people.orders.edit());
    this.often('forgeriesAMinute', () => this.forge());
    this.often('personsAMinute', () => this.people.persons.meddle());
    this.often('outsidersAMinute', () => this.people.persons.speak());
    this.often('pausesAMinute', () => this.people.persons.pauseOrResume());
    this.often('workerDrainsAMinute', () => this.toSome((process) => this.rest(process)));
    this.often('restartsAMinute', () => this.people.orders.startAnew());
  }

  /** Servers that are not there, or not wholly. */
  private startOutages(): void {
    const { random } = this.world;
    const { broker, server } = this.cluster;
    const spell = (name: string, least: number, most: number): number => {
      this.world.tell(name);
      this.world.see(name);
      return random.between(least, most);
    };
    const until = (ms: number): number => this.world.now + ms;
    this.often('outagesAMinute', () => {
      server.downUntil = until(spell('store down', 500, 15_000));
    });
    this.often('failoversAMinute', () => server.failOver(spell('failover', 500, 12_000)));
    this.often('fullDisksAMinute', () => {
      server.fullUntil = until(spell('disk full', 1_000, 20_000));
    });
    this.often('absencesAMinute', () => {
      broker.awayUntil = until(spell('broker away', 500, 30_000));
    });
    this.often('crowdsAMinute', () => {
      broker.crowdedUntil = until(spell('queues crowded', 1_000, 10_000));
    });
  }

  /** Everything is in order again. */
  heal(): void {
    const { cluster, world } = this;
    world.heal();
    cluster.server.downUntil = 0;
    cluster.server.fullUntil = 0;
    cluster.broker.crowdedUntil = 0;
    cluster.broker.awayUntil = 0;
    for (const process of cluster.living()) {
      process.frozenUntil = world.now;
      process.thaw();
      process.skewMs = 0;
    }
  }

  private often(name: keyof Faults, act: () => void): void {
    const { faults, line, random } = this.world;
    const rate = faults[name];
    if (rate === 0) return;
    // Random waits of the same mean: now and then two troubles meet.
    const waitMs = Math.round((-Math.log(1 - random.next()) * 60_000) / rate);
    line.after(waitMs, () => {
      if (this.world.isHealed) return;
      act();
      this.often(name, act);
    });
  }

  private toSome(act: (process: SimProcess) => void): void {
    const living = this.cluster.living();
    if (living.length > 0) act(this.world.random.pick(living));
  }

  /** An operator has a worker drain for a while. */
  private rest({ owner, worker }: SimProcess): void {
    if (worker === null) return;
    const { line, random } = this.world;
    const tell = (isDraining: boolean): Promise<boolean> => worker.drain(isDraining);
    this.world.tell(`${owner} is to drain`);
    this.world.see('worker drained by an operator');
    // An order whose answer did not come may be carried out later: once more after the trouble.
    let saidInPeace = 0;
    const end = (): void => {
      const again = (ms: number): void => void line.after(ms, end);
      if (this.world.isHealed) saidInPeace += 1;
      tell(false).then(
        () => saidInPeace < 2 && again(SURE_MS),
        () => again(500),
      );
    };
    tell(true).then(
      () => line.after(random.between(1_000, 20_000), end),
      () => end(),
    );
  }

  /** SIGSTOP, and SIGCONT when its leases are long over; its connections may break meanwhile. */
  private freeze(process: SimProcess): void {
    const { random, scenario } = this.world;
    process.freeze(random.between(500, 4 * scenario.leaseMs));
    if (random.next() < 0.5) this.cluster.broker.resend();
  }

  private jump(process: SimProcess): void {
    const skewMs = this.world.random.between(-SKEW_MAX_MS, SKEW_MAX_MS);
    this.world.tell(`clock of ${process.owner} is ${skewMs} ms ahead`);
    process.skewMs = skewMs;
  }

  /** The clock of a process is set wrong by an hour, and soon right again. */
  private misset(process: SimProcess): void {
    const { line, random } = this.world;
    const skewMs = random.pick([-JUMP_MS, JUMP_MS]);
    this.world.tell(`clock of ${process.owner} jumps by ${skewMs} ms`);
    this.world.see('clock jumped by an hour');
    process.skewMs = skewMs;
    line.after(random.between(200, 20_000), () => {
      if (!process.alive || process.skewMs !== skewMs) return;
      this.world.tell(`clock of ${process.owner} is right again`);
      process.skewMs = 0;
    });
  }

  /** A message that nobody sent, about a task that may exist. */
  private forge(): void {
    const { now, random } = this.world;
    const { broker, server } = this.cluster;
    const tasks = [...server.tasks.values()];
    if (tasks.length === 0) return;
    const task = random.pick(tasks);
    const place = random.between(0, task.runs.length);
    const type = random.pick([0, 1] as const);
    const step = stepAt(task, place);
    const action = type === 0 ? step?.normal : step?.rollback;
    const message = {
      v: 1 as const,
      taskId: random.next() < 0.9 ? task.plan.taskId : 'nobody',
      cursor: place,
      type,
      parameters: {},
      module: action?.module ?? random.pick(['a', 'b', 'monitor']),
      command: action?.command ?? 'raise_alert',
      timeout: random.pick([1, 400]),
      retry: 0,
      step: step?.name ?? '',
      // Taken from the moment and not drawn: the rest of what a seed stands for stays what it was.
      run: now % 5 > 0 ? runIdOf(task, place) : `${step?.name ?? ''}~2`,
      attempt: random.between(1, 3),
    };
    const snapshot = now % 2 > 0 ? undefined : this.forgeSnapshot(task, message);
    const dispatch: Dispatch = { message, priority: 0, orderAt: 0, traceparent: null, snapshot };
    this.world.see('forged message');
    broker.arrive(dispatch);
  }

  /** A document that has the action queued, never gave a token, and has no past. */
  private forgeSnapshot(task: Task, { attempt, cursor, type }: StepMessage): string | undefined {
    const step = task.runs[cursor];
    if (step === undefined) return undefined;
    const attempts = attempt - 1;
    const dueAt = this.world.now;
    const run = { ...PENDING_RUN, state: 'queued', attempts, spent: attempts, dueAt } as const;
    const runs = task.runs.with(
      cursor,
      type === 0 ? { ...step, normal: run } : { ...step, rollback: run },
    );
    const forged = { ...task, runs, token: 0, journal: Journal.of([]), journalSeq: 0, index: null };
    const snapshot = this.cluster.server.snapshots.textOf(forged);
    if (snapshot !== null) this.world.see('forged document in a message');
    return snapshot ?? undefined;
  }
}
