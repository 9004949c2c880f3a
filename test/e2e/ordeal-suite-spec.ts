import { afterAll, beforeAll, expect, jest } from '@jest/globals';
import { type DistributedTarget, type Hold, startDistributed } from '../faults/index.js';
import { judge, type Verdict } from '../ledger/index.js';
import { FAILING_FLOW, type NextOrder, type TaskView } from '../load/index.js';
import { describeWith } from '../servers/describe-with.js';
import { type Blow, endure } from '../storm/index.js';
import { Trial, WAITS, writeFlows, writeHosts } from '../trial/index.js';

const PER_SECOND = 6;
const LIVE_MAX = 60;
/** For machines on which much else happens; how long it really took is printed. */
const WITHIN_MS = 120_000;
const NOTHING: Verdict = { lost: [], stuck: [], wrong: [] };

const servers = ['mongo', 'rabbitmq'] as const;

/** A distributed set under load, which blows are dealt to. */
export class Ordeal {
  readonly trial: Trial;
  /** For how long things stay broken. */
  readonly hold: Hold;
  #target: DistributedTarget | undefined;

  constructor(private readonly name: string) {
    this.trial = new Trial(name);
    this.hold = { random: this.trial.random, seconds: [1, 3] };
  }

  get target(): DistributedTarget {
    if (this.#target === undefined) throw new Error('the distributed set was not started');
    return this.#target;
  }

  /** Starts the set before the tests, and ends it after them. */
  prepare(): void {
    beforeAll(this.trial.guard(() => this.#start()));
    afterAll(() => this.trial.close());
  }

  /** Deals the blows under load; nothing may be lost, stuck or wrong. Resolves to the tasks. */
  async survive(blows: readonly Blow[], next: NextOrder): Promise<readonly TaskView[]> {
    const { data, hostsUrl, url } = this.target.stack;
    const plan = { perSecond: PER_SECOND, liveMax: LIVE_MAX, next, withinMs: WITHIN_MS };
    const { orders, tasks } = await endure(this.trial, { ...plan, name: this.name, blows, url });
    expect(await judge(orders, { url, hostsUrl, data })).toEqual(NOTHING);
    return tasks;
  }

  async #start(): Promise<void> {
    await this.trial.open();
    const { folder } = this.trial;
    const settings = {
      resourceHosts: await writeHosts(folder),
      flows: await writeFlows(folder, FAILING_FLOW),
      ...WAITS.outlastFaults,
    };
    this.#target = await startDistributed({ folder, settings });
    this.trial.use(this.#target.stack);
  }
}

/** Tests of a distributed set under load, with servers of its own. */
export function describeOrdeal(name: string, tests: (ordeal: Ordeal) => void): void {
  jest.setTimeout(600_000);
  describeWith('a distributed set under load', { servers, own: true }, () => {
    const ordeal = new Ordeal(name);
    ordeal.prepare();
    tests(ordeal);
  });
}
