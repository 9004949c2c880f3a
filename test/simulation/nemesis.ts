import type { Dispatch } from '#core';
import type { Cluster } from './cluster.js';
import type { Persons } from './persons.js';
import { type Faults, SKEW_MAX_MS } from './scenario.js';
import type { SimProcess } from './sim-process.js';
import type { World } from './world.js';

/** Everything that goes wrong by itself, as often as the history's faults say. */
export class Nemesis {
  constructor(
    private readonly world: World,
    private readonly cluster: Cluster,
    private readonly persons: Persons,
  ) {}

  /** Sets all trouble going, until the world is healed. */
  start(): void {
    const { cluster, world } = this;
    this.often('killsAMinute', () => this.toSome((process) => cluster.kill(process)));
    this.often('drainsAMinute', () => this.toSome((process) => cluster.drain(process)));
    this.often('freezesAMinute', () => this.toSome((process) => this.freeze(process)));
    this.often('jumpsAMinute', () => this.toSome((process) => this.jump(process)));
    this.often('wipesAMinute', () => cluster.broker.wipe());
    this.often('resendsAMinute', () => cluster.broker.resend());
    this.often('outagesAMinute', () => {
      world.tell('store down');
      world.see('store down');
      cluster.server.downUntil = world.now + world.random.between(500, 15_000);
    });
    this.often('absencesAMinute', () => {
      world.tell('broker away');
      world.see('broker away');
      cluster.broker.awayUntil = world.now + world.random.between(500, 30_000);
    });
    this.often('crowdsAMinute', () => {
      cluster.broker.crowdedUntil = world.now + world.random.between(1_000, 10_000);
    });
    this.often('forgeriesAMinute', () => this.forge());
    this.often('personsAMinute', () => this.persons.meddle());
  }

  /** Everything is in order again. */
  heal(): void {
    const { cluster, world } = this;
    world.heal();
    cluster.server.downUntil = 0;
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

  /** A message that nobody sent, about a task that may exist. */
  private forge(): void {
    const { random } = this.world;
    const { broker, server } = this.cluster;
    const tasks = [...server.tasks.values()];
    if (tasks.length === 0) return;
    const task = random.pick(tasks);
    const cursor = random.between(0, task.plan.steps.length);
    const type = random.pick([0, 1, 2] as const);
    const step = task.plan.steps[cursor];
    const action = type === 0 ? step?.normal : step?.rollback;
    const message = {
      v: 1 as const,
      taskId: random.next() < 0.9 ? task.plan.taskId : 'nobody',
      cursor,
      type,
      parameters: {},
      module: action?.module ?? random.pick(['a', 'b', 'monitor']),
      command: action?.command ?? 'raise_alert',
      timeout: random.pick([1, 400]),
      retry: 0,
      step: step?.name ?? '',
      attempt: random.between(1, 3),
    };
    const dispatch: Dispatch = { message, priority: 0, traceparent: null };
    this.world.see('forged message');
    broker.arrive(dispatch);
  }
}
