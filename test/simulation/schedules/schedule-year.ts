import { SCHEDULE, type ScheduleOrder } from '#ports';
import type { ScheduleRecord, ScheduleTiming } from '#ports';
import { makeSchedule, upcoming } from '#schedules';
import { FakeEntropy, MemoryStore } from '#testing';
import { MomentCheck } from './moment-check.js';
import type { MomentMutant } from './moment-mutants.js';
import { MortalGateway } from './mortal-gateway.js';
import { StartLog } from './start-log.js';

const START = Date.parse('2027-01-01T00:00:00Z');
const END = Date.parse('2028-01-01T00:00:00Z');
const GATEWAYS = 3;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata'];

/** One life of a gateway has this number of calls on average. */
const MORTALITY = 1 / 400;

/** Moments that are worked out in one go. */
const PAGE = 50;

/** How a year is played. */
export interface YearOptions {
  readonly schedules: number;
  readonly mutant?: MomentMutant | null;
}

/** The result of a year. */
export interface YearResult {
  /** Promises that were broken, in words; the first ones. */
  readonly violations: readonly string[];
  readonly moments: number;
  readonly deaths: number;
  /** Starts that found the task made by a gateway that died. */
  readonly found: number;
  readonly seen: ReadonlyMap<string, number>;
  /** All moments of each schedule, with its order. */
  readonly plans: readonly { readonly order: ScheduleOrder; readonly moments: readonly number[] }[];
}

const VIOLATIONS_MAX = 5;

/** Plays the year 2027 of a number of schedules: all that happens follows from the seed. */
export async function playYear(seed: number, options: YearOptions): Promise<YearResult> {
  return new Year(seed, options).play();
}

/** A year of schedules, gateways that die, and a clock that goes from moment to moment. */
class Year {
  private readonly plans = new Map<string, { order: ScheduleOrder; moments: readonly number[] }>();
  private readonly moments = new Map<string, readonly number[]>();
  private readonly violations: string[] = [];
  private readonly store = new MemoryStore();
  private readonly entropy: FakeEntropy;
  private readonly log: StartLog;
  private readonly check: MomentCheck;
  private deaths = 0;
  private now = START;
  private gateways: MortalGateway[] = [];

  constructor(
    seed: number,
    private readonly options: YearOptions,
  ) {
    this.entropy = new FakeEntropy(seed);
    const violate = (what: string): void => void this.violations.push(what);
    this.check = new MomentCheck(this.moments, violate);
    const lengthOf = (record: ScheduleRecord): number => this.lengthOf(record);
    this.log = new StartLog({ now: () => this.now, lengthOf, violate });
  }

  async play(): Promise<YearResult> {
    for (let n = 0; n < this.options.schedules; n += 1) await this.add(`s${n}`, this.order());
    for (let due = this.nextDue(); due !== null && due < END; due = this.nextDue()) {
      if (this.violations.length >= VIOLATIONS_MAX) break;
      this.now = Math.max(this.now, due) + this.upTo(this.upTo(20) === 0 ? HOUR : 3_000);
      this.bury();
      await Promise.all(this.gateways.map((gateway) => gateway.tick()));
    }
    const isCutShort = this.violations.length >= VIOLATIONS_MAX;
    const records = isCutShort ? [] : this.records;
    for (const record of records) this.check.lookAtEnd(record, this.log);
    const plans = [...this.plans.values()];
    const moments = plans.reduce((sum, plan) => sum + plan.moments.length, 0);
    const { check, deaths, violations } = this;
    return { violations, moments, deaths, found: this.log.found, seen: check.seen, plans };
  }

  private async add(name: string, order: ScheduleOrder): Promise<void> {
    const id = this.entropy.newId();
    const record = makeSchedule({ name, id }, { by: 'ann', now: START, isPaused: false, order });
    const moments = momentsUntil(record, END + DAY);
    this.plans.set(name, { order, moments: moments.filter((moment) => moment < END) });
    this.moments.set(name, moments);
    await this.store.schedules.put(record, null);
  }

  /** The dead are replaced; where all are dead it may take hours. */
  private bury(): void {
    const living = this.gateways.filter(({ isDead }) => !isDead);
    this.deaths += this.gateways.length - living.length;
    if (living.length === 0 && this.gateways.length > 0) this.now += this.upTo(12 * HOUR);
    while (living.length < GATEWAYS) {
      living.push(
        new MortalGateway({
          schedules: this.store.schedules,
          log: this.log,
          now: () => this.now,
          chance: () => this.entropy.random(),
          mortality: MORTALITY,
          mutant: this.options.mutant ?? null,
          decided: (decided) => this.check.lookAt(decided),
        }),
      );
    }
    this.gateways = living;
  }

  private get records(): readonly ScheduleRecord[] {
    const stored = this.store.contents.records.get(SCHEDULE.name) ?? new Map<string, unknown>();
    return [...(stored as Map<string, ScheduleRecord>).values()];
  }

  private nextDue(): number | null {
    let first: number | null = null;
    for (const { dueAt } of this.records) {
      if (dueAt !== null && (first === null || dueAt < first)) first = dueAt;
    }
    return first;
  }

  /** Where others wait for it, it is looked at every half minute. */
  private lengthOf({ order }: ScheduleRecord): number {
    if (order.overlap === 'queue') return this.upTo(2 * HOUR);
    return this.upTo(4) === 0 ? this.upTo(10 * DAY) : this.upTo(HOUR);
  }

  private order(): ScheduleOrder {
    return {
      flow: 'test-flow',
      parameters: {},
      labels: {},
      priority: 0,
      timing: this.timing(),
      timezone: this.one(ZONES),
      overlap: this.one(['skip', 'queue', 'allow'] as const),
      catchUp: this.one(['none', 'last', 'all', 'all'] as const),
    };
  }

  /** Most of them in the hours in which clocks are changed. */
  private timing(): ScheduleTiming {
    const minute = this.one([0, 30]);
    const hour = this.one([1, 2, 3]);
    const kinds: readonly (() => ScheduleTiming)[] = [
      () => ({ cron: `${minute} ${hour} * * ${this.one(['MON', 'SUN'])}` }),
      () => ({ cron: `${minute} ${hour} 1,15 * *` }),
      () => ({ cron: `${minute} ${hour} 28 2,3,10,11 *` }),
      () => ({ cron: `0,30 ${hour} 1 * *` }),
      () => ({ every: `${300 + this.upTo(400)}h` }),
      () => ({ at: (START + 1 + this.upTo(END - START - 2)) / 1_000 }),
    ];
    if (this.upTo(50) === 0) return { cron: `${minute} ${hour} * * *` };
    return this.upTo(500) === 0 ? { cron: '0 */6 * * *' } : this.one(kinds)();
  }

  private one<T>(of: readonly T[]): T {
    return of[this.upTo(of.length)]!;
  }

  private upTo(bound: number): number {
    return Math.floor(this.entropy.random() * bound);
  }
}

/** The moments of a schedule before a time. */
function momentsUntil(record: ScheduleRecord, end: number): readonly number[] {
  const found: number[] = [];
  for (let nextAt = record.nextAt; nextAt !== null && nextAt < end;) {
    const [first, ...more] = upcoming({ ...record, nextAt }, PAGE, nextAt);
    if (first === undefined) break;
    found.push(first, ...more.slice(0, -1));
    nextAt = more.at(-1) ?? null;
  }
  return found.filter((moment) => moment < end);
}
