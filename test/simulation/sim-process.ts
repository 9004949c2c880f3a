import { type AbortSignalLike, type Clock, sleepOn, type Timer } from '#ports';
import type { Engine, WorkDesk } from '#engine';
import type { ProcessPlan } from './scenario.js';
import type { Operation } from './script.js';
import type { SimWorker } from './workers/sim-worker.js';
import type { World } from './world.js';

/**
 * One life of a process. A dead one is never answered and has no timers; a frozen one gets all of
 * that later, with what it still meant to do.
 */
export class SimProcess {
  readonly owner: string;
  readonly clock: Clock;
  /** Revisions this process has seen, which no read may go behind. */
  readonly seen = new Map<string, number>();
  readonly onDeath: (() => void)[] = [];
  alive = true;
  frozenUntil = 0;
  private readonly held: (() => void)[] = [];
  /** How far its clock is ahead, in milliseconds. */
  skewMs = 0;
  engine: Engine | null = null;
  /** Where workers fetch actions; null: it is no gateway. */
  desk: WorkDesk | null = null;
  /** The program of a worker; null: it is none. */
  worker: SimWorker | null = null;
  /** Commands that this build of its modules does not have yet: `module command`. */
  lacks: ReadonlySet<string> = new Set();
  /** Effects that its commands may still have. */
  works = 0;

  constructor(
    readonly world: World,
    readonly plan: ProcessPlan,
    life: number,
  ) {
    this.owner = `${plan.name}.${life}`;
    this.clock = new ProcessClock(this);
  }

  get isFrozen(): boolean {
    return this.world.now < this.frozenUntil;
  }

  /** Something reaches the process: now, when it is awake again, or never. */
  enter(run: () => void): void {
    if (!this.alive) return;
    if (this.isFrozen) this.held.push(run);
    else run();
  }

  /** Something reaches the process in a while. */
  later(ms: number, run: () => void): void {
    this.world.line.after(ms, () => this.enter(run));
  }

  /** The process does something that the outside sees: a moment at which it may die. */
  mayCrash(): void {
    if (this.world.strikes('crashAtCall')) this.kill('crashed');
  }

  /** The process reaches an operation, which a script may have something to say about. */
  reach(operation: Operation): void {
    if (this.alive) this.world.script?.reach(operation, this);
  }

  kill(why: string): void {
    if (!this.alive) return;
    this.alive = false;
    this.world.tell(`${this.owner} ${why}`);
    this.world.see(why);
    this.world.pending -= this.works;
    this.works = 0;
    for (const tell of this.onDeath.splice(0)) tell();
  }

  freeze(ms: number): void {
    this.frozenUntil = Math.max(this.frozenUntil, this.world.now + ms);
    this.world.tell(`${this.owner} frozen for ${ms}`);
    this.world.see('frozen');
    this.world.line.after(ms, () => this.thaw());
  }

  /** Runs everything held back meanwhile, unless it was frozen again. */
  thaw(): void {
    if (this.isFrozen) return;
    for (const run of this.held.splice(0)) this.later(0, run);
  }

  /** A command began or ended that may have an effect. */
  countWork(by: 1 | -1): void {
    if (!this.alive) return;
    this.works += by;
    this.world.pending += by;
  }
}

/** The clock of one process, which may be wrong. Timers go by durations, which are right. */
class ProcessClock implements Clock {
  constructor(private readonly process: SimProcess) {}

  now(): number {
    return this.process.world.now + this.process.skewMs;
  }

  monotonic(): number {
    return this.process.world.now;
  }

  after(ms: number, fire: () => void): Timer {
    const { process } = this;
    const { line } = process.world;
    if (!process.alive) return { cancel: () => {} };
    let isOff = false;
    // Real timers know no part of a millisecond.
    const moment = line.after(Math.ceil(ms), () => process.enter(() => !isOff && fire()));
    return {
      cancel() {
        isOff = true;
        line.cancel(moment);
      },
    };
  }

  sleep(ms: number, signal?: AbortSignalLike): Promise<void> {
    return sleepOn(this, ms, signal);
  }
}
