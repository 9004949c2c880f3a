import type { Timing } from '#core';
import { type SeededRandom, seededRandom } from '../trial/seeded-random.js';

/** How likely each kind of trouble is in one history; 0: this history has none of it. */
export type Faults = Record<keyof typeof WORST | DrawnApart, number>;

/** Trouble that came later, and is drawn so that the rest of a history stays what it was. */
type DrawnApart =
  | 'refusingCommand'
  | 'leavesAlone'
  | 'pausesAMinute'
  | 'evaluatorFails'
  | 'outsidersAMinute'
  | 'completingLater';

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

/** How often commands refuse at most. */
const REFUSALS_MAX = 0.5;

/** How often tasks are paused and resumed at most. */
const PAUSES_MAX = 20;

type DrawnFaults = Omit<Faults, DrawnApart>;

/** The role of one process. */
export interface ProcessPlan {
  readonly name: string;
  readonly modules: readonly string[];
  readonly gateway: boolean;
  readonly recovery: boolean;
}

/** One history's circumstances, all from its seed. */
export interface Scenario {
  readonly seed: number;
  readonly random: SeededRandom;
  /** Draws groups of steps into the flows; null: their tasks have no scope but themselves. */
  readonly groups: SeededRandom | null;
  /** Draws flows of steps of all kinds; null: they are commands, and maybe groups. */
  readonly programs: SeededRandom | null;
  /** Draws flows of many steps side by side; null: they are short. */
  readonly wide: SeededRandom | null;
  /** Has steps of such flows come to be while their tasks run; null: all stand in the flow. */
  readonly made: SeededRandom | null;
  /** Draws locks into the flows; null: there are none. */
  readonly locks: SeededRandom | null;
  /** Draws failure flows for the flows; null: they have none. */
  readonly failures: SeededRandom | null;
  readonly faults: Faults;
  readonly processes: readonly ProcessPlan[];
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
export function drawScenario(seed: number): Scenario {
  const random = seededRandom(Math.imul(seed, 0x9e3779b1) ^ 0x5bd1e995);
  const isStandalone = random.next() < 0.12;
  const programs = drawPrograms(seed);
  const wide = programs === null ? drawWide(seed) : null;
  return {
    seed,
    random,
    groups: programs === null && wide === null ? drawGroups(seed) : null,
    programs,
    wide,
    made: drawMade(seed),
    locks: drawLocks(seed),
    failures: drawFailures(seed),
    faults: {
      ...drawFaults(random),
      refusingCommand: drawRefusals(seed),
      pausesAMinute: drawPauses(seed),
      leavesAlone: isStandalone ? 0 : drawLeaving(seed),
      ...drawOutside(programs),
    },
    processes: isStandalone ? [STANDALONE] : drawProcesses(random),
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
  const apart = { refusingCommand: 0, leavesAlone: 0, pausesAMinute: 0, ...NOBODY_OUTSIDE };
  return { ...mapFaults(() => 0), ...apart };
}

/** Drawn apart, so that the rest of a history that seeds stand for stays what it was. */
function drawRefusals(seed: number): number {
  const random = seededRandom(Math.imul(seed, 0x85ebca6b) ^ 0xc2b2ae35);
  return random.next() < 0.25 ? REFUSALS_MAX * random.next() : 0;
}

/** How often a message leaves with its write, drawn apart as well: in half of the histories. */
function drawLeaving(seed: number): number {
  const random = seededRandom(Math.imul(seed, 0x1656ac1f) ^ 0x3ad8025f);
  return random.next() < 0.5 ? random.next() : 0;
}

/** Share of the histories whose flows have groups. */
const GROUPS_SHARE = 0.2;

/** Drawn apart as well. */
function drawGroups(seed: number): SeededRandom | null {
  const random = seededRandom(Math.imul(seed, 0x2c1b3c6d) ^ 0x297a2d39);
  return random.next() < GROUPS_SHARE ? random : null;
}

/** Share of the histories whose flows have steps of all kinds. */
const PROGRAMS_SHARE = 0.15;

/** Drawn apart as well. */
function drawPrograms(seed: number): SeededRandom | null {
  const random = seededRandom(Math.imul(seed, 0x1b873593) ^ 0x52dce729);
  return random.next() < PROGRAMS_SHARE ? random : null;
}

/** Share of the histories whose flows are wide: each costs as much as many others. */
const WIDE_SHARE = 0.02;

/** Drawn apart as well. */
function drawWide(seed: number): SeededRandom | null {
  const random = seededRandom(Math.imul(seed, 0x5851f42d) ^ 0x14057b7e);
  return random.next() < WIDE_SHARE ? random : null;
}

/** Few tasks, and processes that have many steps of one in hand. */
function drawWideTerms(random: SeededRandom): Pick<Scenario, 'tasks' | 'concurrency'> {
  return { tasks: random.between(1, 2), concurrency: random.pick([4, 16, 64]) };
}

const NOBODY_OUTSIDE = { evaluatorFails: 0, outsidersAMinute: 0, completingLater: 0 } as const;

/** Faults that only steps of some kinds meet. */
function drawOutside(random: SeededRandom | null): Pick<Faults, keyof typeof NOBODY_OUTSIDE> {
  if (random === null) return NOBODY_OUTSIDE;
  return {
    evaluatorFails: random.next() < 0.3 ? 0.3 * random.next() : 0,
    outsidersAMinute: 60 * random.next(),
    completingLater: random.next() < 0.4 ? 0.3 * random.next() : 0,
  };
}

/** Share of the histories of such flows in which some steps come to be while a task runs. */
const MADE_SHARE = 0.4;

/** Drawn apart as well. */
function drawMade(seed: number): SeededRandom | null {
  const random = seededRandom(Math.imul(seed, 0x2545f491) ^ 0x6c078965);
  return random.next() < MADE_SHARE ? random : null;
}

/** Share of the histories whose flows have locks. */
const LOCKS_SHARE = 0.2;

/** Drawn apart as well. */
function drawLocks(seed: number): SeededRandom | null {
  const random = seededRandom(Math.imul(seed, 0x165667b1) ^ 0x9e3779b1);
  return random.next() < LOCKS_SHARE ? random : null;
}

/** Share of the histories whose flows have failure flows. */
const FAILURES_SHARE = 0.2;

/** Drawn apart as well. */
function drawFailures(seed: number): SeededRandom | null {
  const random = seededRandom(Math.imul(seed, 0x3c6ef372) ^ 0x510e527f);
  return random.next() < FAILURES_SHARE ? random : null;
}

/** Drawn apart as well. */
function drawPauses(seed: number): number {
  const random = seededRandom(Math.imul(seed, 0x27d4eb2f) ^ 0x165667b1);
  return random.next() < 0.25 ? PAUSES_MAX * random.next() : 0;
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
