import type { KindName } from '#core';
import { type SeededRandom, seededRandom } from '../trial/seeded-random.js';

/**
 * The parts of a history that came later. Each is drawn from a chance of its own, so that the rest
 * of a history that a seed stands for stays what it was.
 */
export interface Chances {
  /** Draws groups of steps into the flows; null: their tasks have no scope but themselves. */
  readonly groups: SeededRandom | null;
  /** Draws flows of steps of all kinds; null: they are commands, and maybe groups. */
  readonly programs: SeededRandom | null;
  /** Kinds of the steps of such flows, besides commands; null: all. */
  readonly kinds: readonly KindName[] | null;
  /** Draws flows of many steps side by side; null: they are short. */
  readonly wide: SeededRandom | null;
  /** Has steps of such flows appear while their tasks run; null: all stand in the flow. */
  readonly made: SeededRandom | null;
  /** Puts lists that may wait for a person before such steps; null: none are put. */
  readonly lists: SeededRandom | null;
  /** Draws locks into the flows; null: there are none. */
  readonly locks: SeededRandom | null;
  /** Draws failure flows for the flows; null: they have none. */
  readonly failures: SeededRandom | null;
  /** Draws steps that expire into the flows; null: none does. */
  readonly expiries: SeededRandom | null;
  /** Draws head starts of steps into the flows; null: they have those of their tasks. */
  readonly headStarts: SeededRandom | null;
  /** Every command needs a secret that is kept elsewhere. */
  readonly hasSecret: boolean;
  /** Most runs and scopes of a task; null: more than any reaches. */
  readonly runs: number | null;
}

/** Draws these parts; with `kinds` the history has programs of these kinds of steps alone. */
export function drawChances(seed: number, kinds: readonly KindName[] | null): Chances {
  const programs = drawPrograms(seed, kinds === null ? SHARE.programs : 1);
  const isPlain = programs === null;
  const wide = isPlain ? drawWide(seed) : null;
  const isMade = kinds?.includes('dynamic');
  return {
    groups: isPlain && wide === null ? drawGroups(seed) : null,
    programs,
    kinds,
    wide,
    made: drawMade(seed, isMade === undefined ? SHARE.made : Number(isMade)),
    lists: kinds === null || kinds.includes('foreach') ? drawLists(seed) : null,
    locks: drawLocks(seed, isPlain ? SHARE.some : SHARE.lockedPrograms),
    failures: drawFailures(seed),
    expiries: drawExpiries(seed),
    headStarts: drawHeadStarts(seed),
    hasSecret: drawSecret(seed) !== null,
    runs: isPlain ? null : drawRuns(seed),
  };
}

/** Shares of the histories that have each of them. */
const SHARE = {
  /** Groups, locks of commands, failure flows, and secrets. */
  some: 0.2,
  /** Steps that expire, and those that have head starts. */
  expiries: 0.1,
  headStarts: 0.1,
  /** Flows of steps of all kinds. */
  programs: 0.15,
  /** Wide flows: each costs as much as many others. */
  wide: 0.02,
  /** Of those of programs: steps that appear while a task runs. */
  made: 0.4,
  /** Of those of programs: a list at the beginning that may wait for a person. */
  lists: 0.4,
  /** Of those of programs: locks. */
  lockedPrograms: 0.4,
  /** Of those of programs: few runs and scopes for each task. */
  runs: 0.3,
} as const;

/** The chance of a history that such a draw concerns: of this share of them. */
function drawnFor(share: number, seed: number): SeededRandom | null {
  const random = seededRandom(seed);
  return random.next() < share ? random : null;
}

function drawGroups(seed: number): SeededRandom | null {
  return drawnFor(SHARE.some, Math.imul(seed, 0x2c1b3c6d) ^ 0x297a2d39);
}

function drawPrograms(seed: number, share: number): SeededRandom | null {
  return drawnFor(share, Math.imul(seed, 0x1b873593) ^ 0x52dce729);
}

function drawWide(seed: number): SeededRandom | null {
  return drawnFor(SHARE.wide, Math.imul(seed, 0x5851f42d) ^ 0x14057b7e);
}

function drawMade(seed: number, share: number): SeededRandom | null {
  return drawnFor(share, Math.imul(seed, 0x2545f491) ^ 0x6c078965);
}

function drawLists(seed: number): SeededRandom | null {
  return drawnFor(SHARE.lists, Math.imul(seed, 0x6a09e667) ^ 0x3bf8a7f5);
}

function drawLocks(seed: number, share: number): SeededRandom | null {
  return drawnFor(share, Math.imul(seed, 0x165667b1) ^ 0x9e3779b1);
}

function drawFailures(seed: number): SeededRandom | null {
  return drawnFor(SHARE.some, Math.imul(seed, 0x3c6ef372) ^ 0x510e527f);
}

function drawExpiries(seed: number): SeededRandom | null {
  return drawnFor(SHARE.expiries, Math.imul(seed, 0x7f4a7c15) ^ 0x2e1b2138);
}

function drawHeadStarts(seed: number): SeededRandom | null {
  return drawnFor(SHARE.headStarts, Math.imul(seed, 0x1f123bb5) ^ 0x68e31da4);
}

function drawSecret(seed: number): SeededRandom | null {
  return drawnFor(SHARE.some, Math.imul(seed, 0x428a2f98) ^ 0x71374491);
}

function drawRuns(seed: number): number | null {
  return drawnFor(SHARE.runs, Math.imul(seed, 0x1f83d9ab) ^ 0x5be0cd19)?.between(6, 24) ?? null;
}

/** No trouble of these kinds. */
export const NOTHING_APART = {
  refusingCommand: 0,
  leavesAlone: 0,
  pausesAMinute: 0,
  evaluatorFails: 0,
  outsidersAMinute: 0,
  completingLater: 0,
  restartsAMinute: 0,
  secretsAway: 0,
  noPlace: 0,
  // Of workers:
  callLost: 0,
  answerLost: 0,
  answerLate: 0,
  callTwice: 0,
  givesBack: 0,
  beatLost: 0,
  workerDrainsAMinute: 0,
} as const;

/** Trouble that came later, and is drawn so that the rest of a history stays what it was. */
export type FaultsApart = Record<keyof typeof NOTHING_APART, number>;

/** Draws this trouble. */
export function drawFaultsApart(
  seed: number,
  { programs }: Pick<Chances, 'programs'>,
  isStandalone: boolean,
): FaultsApart {
  return {
    ...NOTHING_APART,
    refusingCommand: drawRefusals(seed),
    pausesAMinute: drawPauses(seed),
    secretsAway: (drawSecret(seed)?.next() ?? 0) * SECRETS_AWAY_MAX,
    leavesAlone: isStandalone ? 0 : drawLeaving(seed),
    noPlace: isStandalone ? 0 : drawNoPlace(seed),
    ...(programs !== null && drawOutside(programs)),
    ...(programs !== null && { restartsAMinute: drawRestarts(seed) }),
  };
}

/** How often a secret cannot be fetched at most. */
const SECRETS_AWAY_MAX = 0.6;

/** How often commands refuse at most. */
const REFUSALS_MAX = 0.5;

function drawRefusals(seed: number): number {
  const random = seededRandom(Math.imul(seed, 0x85ebca6b) ^ 0xc2b2ae35);
  return random.next() < 0.25 ? REFUSALS_MAX * random.next() : 0;
}

/** How often a message leaves with its write: in half of the histories. */
function drawLeaving(seed: number): number {
  const random = seededRandom(Math.imul(seed, 0x1656ac1f) ^ 0x3ad8025f);
  return random.next() < 0.5 ? random.next() : 0;
}

/** How often a message finds no place at most. */
const NO_PLACE_MAX = 0.3;

function drawNoPlace(seed: number): number {
  const random = seededRandom(Math.imul(seed, 0x5be0cd19) ^ 0x1f83d9ab);
  return random.next() < 0.5 ? NO_PLACE_MAX * random.next() : 0;
}

/** How often tasks are paused and resumed at most. */
const PAUSES_MAX = 20;

function drawPauses(seed: number): number {
  const random = seededRandom(Math.imul(seed, 0x27d4eb2f) ^ 0x165667b1);
  return random.next() < 0.25 ? PAUSES_MAX * random.next() : 0;
}

/** Faults that only steps of some kinds meet. */
function drawOutside(
  random: SeededRandom,
): Pick<FaultsApart, 'evaluatorFails' | 'outsidersAMinute' | 'completingLater'> {
  return {
    evaluatorFails: random.next() < 0.3 ? 0.3 * random.next() : 0,
    outsidersAMinute: 60 * random.next(),
    completingLater: random.next() < 0.4 ? 0.3 * random.next() : 0,
  };
}

/** How often a person has a task that has ended started again at most. */
const RESTARTS_MAX = 30;

function drawRestarts(seed: number): number {
  const random = seededRandom(Math.imul(seed, 0x6a09e667) ^ 0x1b56c4e9);
  return random.next() < 0.5 ? RESTARTS_MAX * random.next() : 0;
}
