import type { KindName, Timing } from '#core';
import type { ModuleLimit } from '#ports';
import { type SeededRandom, seededRandom } from '../trial/seeded-random.js';
import {
  type Chances,
  drawChances,
  drawFaultsApart,
  type FaultsApart,
  NOTHING_APART,
} from './drawn-apart.js';
import {
  drawLimits,
  drawWorkerFaults,
  withWorkers,
  type WorkerTerms,
} from './workers/drawn-workers.js';

/** How likely each kind of trouble is in one history; 0: this history has none of it. */
export type Faults = Record<keyof typeof WORST, number> & FaultsApart;

/** The worst that a history may have of each: chances, or times a minute where the name says so. */
const WORST = {
  crashAtCall: 0.02,
  storeFailsBefore: 0.15,
  storeFailsAfter: 0.15,
  storeLate: 0.08,
  storeSlow: 0.1,
  staleRead: 0.2,
  publishLost: 0.3,
  publishRefused: 0.2,
  publishUnclear: 0.2,
  publishTwice: 0.2,
  messageDelayed: 0.2,
  ackLost: 0.2,
  slowCommand: 0.4,
  deafCommand: 0.4,
  failingCommand: 0.5,
  hangingCommand: 0.15,
  lookingCommand: 0.3,
  failingRollback: 0.5,
  lateEffect: 0.3,
  skew: 1,
  killsAMinute: 10,
  freezesAMinute: 8,
  drainsAMinute: 6,
  jumpsAMinute: 6,
  wipesAMinute: 4,
  resendsAMinute: 20,
  outagesAMinute: 3,
  absencesAMinute: 3,
  forgeriesAMinute: 20,
  crowdsAMinute: 3,
  personsAMinute: 20,
  repeatedRequest: 0.7,
  hourJumpsAMinute: 3,
  failoversAMinute: 4,
  fullDisksAMinute: 3,
  registryFails: 0.5,
  oldBuild: 0.6,
  editsAMinute: 12,
} as const;

type DrawnFaults = Omit<Faults, keyof FaultsApart>;

/** The role of one process. */
export interface ProcessPlan {
  readonly name: string;
  readonly modules: readonly string[];
  readonly gateway: boolean;
  readonly recovery: boolean;
  /** It is a worker: it asks gateways for its actions. */
  readonly worker?: WorkerTerms;
}

/** How the histories of a run differ from what their seeds say. */
export interface HistoryCourse {
  /** Programs of these kinds of steps alone; null: as the seed says. */
  readonly kinds: readonly KindName[] | null;
  /** Workers serve some of the modules. */
  readonly hasWorkers: boolean;
}

/** One history's circumstances, all from its seed. */
export interface Scenario extends Chances {
  readonly seed: number;
  readonly random: SeededRandom;
  readonly faults: Faults;
  readonly processes: readonly ProcessPlan[];
  /** Some of the processes are workers. */
  readonly hasWorkers: boolean;
  /** Limits of modules; none: nothing is kept of any. */
  readonly limits: readonly ModuleLimit[];
  /** One process on a store of its own, whose messages die with it. */
  readonly isStandalone: boolean;
  readonly tasks: number;
  readonly concurrency: number;
  readonly leaseMs: number;
  readonly governanceIntervalMs: number;
  readonly drainMs: number;
  /** How long there is trouble. */
  readonly troubleMs: number;
  readonly timing: Timing;
}

/** Most that a clock may differ from the true time, in milliseconds. */
export const SKEW_MAX_MS = 4_000;

/** How far a clock jumps that is set wrong altogether, in milliseconds. */
export const JUMP_MS = 3_600_000;

/** Most that a clock of this history may ever be wrong, in milliseconds. */
export function clockErrorMs({ faults }: Pick<Scenario, 'faults'>): number {
  return faults.hourJumpsAMinute > 0 ? JUMP_MS : SKEW_MAX_MS;
}

/** Everything that a seed stands for. */
export function drawScenario(seed: number, { hasWorkers, kinds }: HistoryCourse): Scenario {
  const random = seededRandom(Math.imul(seed, 0x9e3779b1) ^ 0x5bd1e995);
  const isStandalone = random.next() < 0.12;
  const chances = drawChances(seed, kinds);
  const { wide } = chances;
  const faults = { ...drawFaults(random), ...drawFaultsApart(seed, chances, isStandalone) };
  const processes = isStandalone ? [STANDALONE] : drawProcesses(random);
  return {
    seed,
    random,
    ...chances,
    faults: hasWorkers ? { ...faults, ...drawWorkerFaults(seed) } : faults,
    processes: hasWorkers ? withWorkers(seed, processes) : processes,
    hasWorkers,
    limits: hasWorkers ? drawLimits(seed) : [],
    isStandalone,
    tasks: random.between(1, 4),
    concurrency: random.pick([1, 2, 4]),
    leaseMs: random.pick([5_000, 10_000]),
    governanceIntervalMs: random.pick([1_000, 2_000]),
    drainMs: 3_000,
    troubleMs: random.between(10_000, 40_000),
    timing: {
      redispatchAfterMs: random.pick([1_000, 5_000]),
      redispatchMaxMs: 20_000,
      alertRepeatMs: 30_000,
      overdueAfterMs: 30_000,
    },
    ...(wide !== null && drawWideTerms(wide)),
  };
}

/** A history where nothing goes wrong any more. */
export function noFaults(): Faults {
  return { ...mapFaults(() => 0), ...NOTHING_APART };
}

/** Few tasks, and processes that have many steps of one in hand. */
function drawWideTerms(random: SeededRandom): Pick<Scenario, 'tasks' | 'concurrency'> {
  return { tasks: random.between(1, 2), concurrency: random.pick([4, 16, 64]) };
}

function drawFaults(random: SeededRandom): DrawnFaults {
  const share = random.pick([0.25, 0.5, 0.75]);
  return mapFaults((worst) => {
    const isOn = random.next() < share;
    const part = random.next();
    return isOn ? worst * part : 0;
  });
}

function mapFaults(rate: (worst: number) => number): DrawnFaults {
  const entries = Object.entries(WORST).map(([name, worst]) => [name, rate(worst)]);
  return Object.fromEntries(entries) as DrawnFaults;
}

const MODULES = ['a', 'b', 'monitor'];

const STANDALONE: ProcessPlan = {
  name: 'standalone',
  modules: MODULES,
  gateway: true,
  recovery: true,
};

function drawProcesses(random: SeededRandom): readonly ProcessPlan[] {
  const some = (name: string, modules: readonly string[], gateway: boolean): ProcessPlan => ({
    name,
    modules,
    gateway,
    recovery: false,
  });
  const gateways = [some('gateway-1', [], true)];
  // A process may be gateway and executor at once: then it starts what it stores itself.
  gateways.push(some('gateway-2', random.next() < 0.3 ? ['a'] : [], true));
  const sets = random.pick([
    [MODULES, MODULES],
    [['a'], ['b', 'monitor'], MODULES],
    [
      ['a', 'monitor'],
      ['a', 'b'],
      ['b', 'monitor'],
    ],
  ]);
  return [...gateways, ...sets.map((set, index) => some(`executor-${index + 1}`, set, false))];
}
