import { availableParallelism } from 'node:os';
import { KIND_NAMES, type KindName } from '#core';
import type { Mutant } from './mutant.js';
import { foundMutants } from './mutants/found.js';
import { type Batch, Players } from './players.js';
import { type Summary, Tally } from './summary.js';
import type { Violation } from './world.js';

/** Histories between two words about how far it is. */
const BATCH = 250;

/** Histories that are played by several processes. */
export interface Campaign {
  readonly from: number;
  readonly seeds: number;
  /** How many processes play; 0: one for each core. */
  readonly jobs?: number;
  /** How many of them one process plays in one go. Default: 250. */
  readonly batch?: number;
  /** Kinds of steps that all flows are made of, besides commands; default: as the seeds say. */
  readonly kinds?: readonly KindName[] | null;
  /** Workers serve some of the modules; default: none. */
  readonly hasWorkers?: boolean;
  /** Receives the summary so far, after every few hundred histories. */
  readonly onProgress?: (summary: Summary) => void;
}

/** The result of the hunt for a mutant. */
export interface Hunted {
  readonly mutant: Mutant;
  /** The first promise that it broke, and after how many histories; null: not found in these. */
  readonly found: Violation | null;
  readonly played: number;
  /** Whether these histories were of programs alone. */
  readonly isAmongPrograms: boolean;
}

/** Plays histories on several cores. */
export async function runCampaign(campaign: Campaign): Promise<Summary> {
  const tally = new Tally();
  await new Players(jobsOf(campaign)).play(batchesOf(campaign), (summary) => {
    tally.addAll(summary);
    campaign.onProgress?.(tally.summary());
  });
  return tally.summary();
}

/** Plays histories one by one, each with the kinds of steps that it is to have. */
export async function playAgain(
  histories: readonly Pick<Batch, 'from' | 'hasWorkers' | 'kinds'>[],
): Promise<readonly Summary[]> {
  const summaries: Summary[] = [];
  const batches = histories.map((one) => ({ ...one, seeds: 1, mutant: null }));
  await new Players(availableParallelism()).play(batches, (summary) => summaries.push(summary));
  return summaries;
}

/** Looks for each mutant until it is found, in at most this number of histories. */
export async function huntMutants(
  mutants: readonly Mutant[],
  campaign: Campaign,
): Promise<readonly Hunted[]> {
  const { from, kinds = null, seeds } = campaign;
  const batches = mutants.map(({ name }) => ({ from, kinds, seeds, mutant: name }));
  return hunt(mutants, batches, campaign);
}

/**
 * Looks for each mutant as {@link huntMutants} does. Those that no mixed history shows are looked
 * for among programs alone, which are one history in seven.
 */
export async function huntEverywhere(
  mutants: readonly Mutant[],
  campaign: Campaign,
): Promise<readonly Hunted[]> {
  const mixed = await huntMutants(mutants, campaign);
  const rest = notFound(mixed);
  if (rest.length === 0) return mixed;
  const last = await huntMutants(rest, { ...campaign, kinds: KIND_NAMES });
  return inOrder(mutants, [...mixed.filter(({ found }) => found !== null), ...last]);
}

/**
 * Looks for each mutant first in the history that found it when all of them were looked for last,
 * then, where `isSought` says so, as {@link huntEverywhere} does. A mutant that was neither found
 * nor sought has no result.
 */
export async function findAgain(
  mutants: readonly Mutant[],
  campaign: Campaign,
  isSought: (mutant: Mutant) => boolean = () => true,
): Promise<readonly Hunted[]> {
  const places = new Map(foundMutants().map((one) => [one.name, one]));
  const batches = mutants.map(({ name }) => {
    const { histories = 1, isAmongPrograms = false } = places.get(name) ?? {};
    const from = Math.min(histories, campaign.seeds);
    return { from, kinds: isAmongPrograms ? KIND_NAMES : null, seeds: 1, mutant: name };
  });
  const again = await hunt(mutants, batches, campaign);
  const rest = await huntEverywhere(notFound(again).filter(isSought), campaign);
  return inOrder(mutants, [...again.filter(({ found }) => found !== null), ...rest]);
}

function inOrder(mutants: readonly Mutant[], hunted: readonly Hunted[]): readonly Hunted[] {
  return hunted.toSorted((a, b) => mutants.indexOf(a.mutant) - mutants.indexOf(b.mutant));
}

function notFound(hunted: readonly Hunted[]): readonly Mutant[] {
  return hunted.filter(({ found }) => found === null).map(({ mutant }) => mutant);
}

async function hunt(
  mutants: readonly Mutant[],
  batches: readonly Batch[],
  campaign: Campaign,
): Promise<readonly Hunted[]> {
  const hunted: Hunted[] = [];
  await new Players(jobsOf(campaign)).play(batches, ({ failed, played }) => {
    const { length } = hunted;
    const isAmongPrograms = (batches[length] as Batch).kinds !== null;
    const found = failed[0]?.violations[0] ?? null;
    hunted.push({ mutant: mutants[length] as Mutant, played, isAmongPrograms, found });
  });
  return hunted;
}

function jobsOf({ jobs = 0, seeds }: Campaign): number {
  return Math.min(jobs === 0 ? availableParallelism() : jobs, Math.max(1, seeds));
}

function* batchesOf(campaign: Campaign): Iterable<Batch> {
  const { batch = BATCH, from, hasWorkers, kinds = null, seeds } = campaign;
  for (let start = from; start < from + seeds; start += batch) {
    const length = Math.min(batch, from + seeds - start);
    yield { from: start, hasWorkers, kinds, seeds: length, mutant: null };
  }
}
