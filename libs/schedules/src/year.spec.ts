import { describe, expect, it } from '@jest/globals';
import type { ScheduleOrder, ScheduleTiming } from '#ports';
import { FakeEntropy, MemoryStore } from '#testing';
import { makeSchedule } from './change-schedule.js';
import { momentsOf } from './moments.js';
import { MortalGateway, StartLog } from './mortal-gateway-spec.js';
import { orderWith, START } from './sample-schedule-spec.js';

const SCHEDULES = 1_000;
const GATEWAYS = 3;
const END = Date.parse('2028-01-01T00:00:00Z');
const HOUR = 3_600_000;
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata'];

/** One life of a gateway has so many calls on the average. */
const MORTALITY = 1 / 400;

/** A year of schedules, gateways that die, and a clock that goes from moment to moment. */
class Year {
  readonly orders = new Map<string, ScheduleOrder>();
  readonly log = new StartLog();
  deaths = 0;
  private readonly store = new MemoryStore();
  private readonly entropy: FakeEntropy;
  private now = START;
  private gateways: MortalGateway[] = [];

  constructor(seed: number) {
    this.entropy = new FakeEntropy(seed);
  }

  async play(): Promise<void> {
    for (let n = 0; n < SCHEDULES; n += 1) await this.add(`s${n}`, this.order());
    for (let due = this.nextDue(); due !== null && due < END; due = this.nextDue()) {
      this.now = Math.max(this.now, due) + this.upTo(this.upTo(20) === 0 ? HOUR : 3_000);
      this.bury();
      await Promise.all(this.gateways.map((gateway) => gateway.tick()));
    }
  }

  private async add(name: string, order: ScheduleOrder): Promise<void> {
    const id = this.entropy.newId();
    this.orders.set(name, order);
    const put = { by: 'ann', now: START, isPaused: false, order };
    await this.store.schedules.save(makeSchedule({ name, id }, put), null);
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
        }),
      );
    }
    this.gateways = living;
  }

  private nextDue(): number | null {
    let first: number | null = null;
    for (const { dueAt } of this.store.contents.schedules.values()) {
      if (dueAt !== null && (first === null || dueAt < first)) first = dueAt;
    }
    return first;
  }

  private order(): ScheduleOrder {
    const overlap = this.one(['skip', 'queue', 'allow'] as const);
    return orderWith({ timing: this.timing(), timezone: this.one(ZONES), overlap, catchUp: 'all' });
  }

  /** Most of them in the hours in which clocks are changed. */
  private timing(): ScheduleTiming {
    const minute = this.one([0, 30]);
    const hour = this.one([1, 2, 3]);
    const kinds: readonly (() => ScheduleTiming)[] = [
      () => ({ cron: `${minute} ${hour} * * ${this.one(['MON', 'SUN'])}` }),
      () => ({ cron: `${minute} ${hour} 1,15 * *` }),
      () => ({ cron: `${minute} ${hour} 28 2,3,10,11 *` }),
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

/** Of the times of schedules, so that each is counted once. */
const counted = new Map<string, readonly number[]>();

/** All moments that a schedule has in the year. */
function momentsIn(order: ScheduleOrder): readonly number[] {
  const key = JSON.stringify([order.timing, order.timezone]);
  const known = counted.get(key) ?? allMoments(order);
  counted.set(key, known);
  return known;
}

function allMoments(order: ScheduleOrder): readonly number[] {
  const moments = momentsOf(order, START);
  const found: number[] = [];
  for (let at = moments.next(START); at !== null && at < END; at = moments.next(at)) found.push(at);
  return found;
}

/** Days on which a fixed time of day has another number of moments than one, by the wall clock. */
function wrongDays({ timezone }: ScheduleOrder, moments: readonly number[]): readonly string[] {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: timezone });
  const days = moments.map((moment) => format.format(new Date(moment)));
  return days.filter((day, n) => days.indexOf(day) !== n);
}

const seeds = process.env['BACKSTEP_SEED']?.split(',').map(Number) ?? [20_270_101];

describe('a year of a thousand schedules, with gateways that die', () => {
  it.each(seeds)('has one task for every moment, seed %d', async (seed) => {
    const year = new Year(seed);
    await year.play();
    const started = year.log.momentsOf();
    let count = 0;
    for (const [name, order] of year.orders) {
      const moments = (started.get(name) ?? []).filter((moment) => moment < END);
      const expected = momentsIn(order);
      count += expected.length;
      expect([name, order.timing, moments.toSorted((a, b) => a - b)]).toEqual([
        name,
        order.timing,
        expected,
      ]);
      const { timing } = order;
      const isDaily = 'cron' in timing && /^\d+ \d \* \* \*$/.test(timing.cron);
      if (isDaily) expect([wrongDays(order, moments), moments.length >= 364]).toEqual([[], true]);
    }
    // Otherwise the gateways died nowhere where it matters.
    expect(year.deaths).toBeGreaterThan(100);
    expect(year.log.found).toBeGreaterThan(10);
    expect(count).toBeGreaterThan(15_000);
  });
});
