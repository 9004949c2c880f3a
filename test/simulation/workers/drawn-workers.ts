import { type SeededRandom, seededRandom } from '../../trial/seeded-random.js';
import type { ModuleLimit } from '#ports';
import type { FaultsApart } from '../drawn-apart.js';
import type { ProcessPlan } from '../scenario.js';

/** How a worker behaves. Times are in milliseconds. */
export interface WorkerTerms {
  /** Actions that it runs at once. */
  readonly slots: number;
  readonly leaseMs: number;
  readonly waitMs: number;
  /** It asks for more than it has free places, and keeps the rest until one is free. */
  readonly isGreedy: boolean;
  /** Its polls may be repeated. */
  readonly repeats: boolean;
}

/** A chance of its own: the rest of a history that a seed stands for stays what it was. */
function chanceOf(seed: number): SeededRandom {
  return seededRandom(Math.imul(seed, 0x7feb352d) ^ 0x846ca68b);
}

/** The processes of a history, some of whose modules workers serve. */
export function withWorkers(
  seed: number,
  processes: readonly ProcessPlan[],
): readonly ProcessPlan[] {
  const random = chanceOf(seed);
  const served = random.pick([['a'], ['b'], ['a', 'b']]);
  const isAlone = random.next() < 0.7;
  const others = processes.flatMap((plan): ProcessPlan[] => {
    const modules = plan.modules.filter((module) => !isAlone || !served.includes(module));
    const isIdle = modules.length === 0 && !plan.gateway;
    return isIdle ? [] : [{ ...plan, modules }];
  });
  const workers = Array.from({ length: random.between(2, 3) }, (_, index): ProcessPlan => {
    // The first one serves all of them.
    const modules = index === 0 ? served : [random.pick(served)];
    const role = { gateway: false, recovery: false };
    return { name: `worker-${index + 1}`, modules, ...role, worker: drawTerms(random) };
  });
  return [...others, ...workers];
}

function drawTerms(random: SeededRandom): WorkerTerms {
  return {
    slots: random.between(1, 4),
    leaseMs: random.pick([10_000, 20_000, 30_000]),
    waitMs: random.pick([0, 2_000, 20_000]),
    isGreedy: random.next() < 0.2,
    repeats: random.next() < 0.7,
  };
}

/** Draws limits of modules, for one history in two. */
export function drawLimits(seed: number): readonly ModuleLimit[] {
  const random = chanceOf(seed ^ 0x2c1b3c6d);
  if (random.next() < 0.5) return [];
  const stamp = { generation: 1, fairSince: 0, updatedAt: 0, updatedBy: 'ann' };
  return random
    .pick([['a'], ['b'], ['a', 'b']])
    .map((module) => ({
      ...{ module, ...stamp },
      maxConcurrency: random.pick([1, 2, 3, 10]),
      ratePerSecond: random.next() < 0.3 ? random.pick([0.5, 5]) : null,
      fairBy: random.next() < 0.5 ? 'tenant' : null,
    }));
}

/** The worst that a history of workers may have of each kind of their trouble. */
const WORST = {
  callLost: 0.2,
  answerLost: 0.4,
  answerLate: 0.1,
  callTwice: 0.5,
  givesBack: 0.2,
  beatLost: 0.5,
  workerDrainsAMinute: 6,
} as const;

/** Draws the trouble that workers meet. */
export function drawWorkerFaults(seed: number): Pick<FaultsApart, keyof typeof WORST> {
  const random = chanceOf(seed ^ 0x5f356495);
  const share = random.pick([0.25, 0.5, 0.75]);
  const entries = Object.entries(WORST).map(([name, worst]) => {
    const isOn = random.next() < share;
    return [name, isOn ? worst * random.next() : 0] as const;
  });
  return Object.fromEntries(entries) as Pick<FaultsApart, keyof typeof WORST>;
}
