import { once } from 'node:events';
import path from 'node:path';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { REPOSITORY } from '../stack/repository.js';
import type { Sample } from './gate.js';
import type { CaseSummary } from './sweep.js';

const WORKER = path.join(REPOSITORY, 'dist/test/exhaustive/worker.js');

/** Everything in a run dies young: with room for it there, that costs nothing. */
export const ROOMY = { maxYoungGenerationSizeMb: 96 };

/** The cases that one worker plays; all of it can be sent to a thread. */
export interface Job {
  readonly cases: readonly Sample[];
  /** Which of the pairs are played, where not all are. */
  readonly turn: number;
  readonly mutant: string | null;
  readonly faults: number;
  readonly share: { readonly index: number; readonly of: number };
  readonly failuresMax: number;
}

/** Plays all shares of a job side by side; tells of each case when all its shares are played. */
export async function playShares(
  job: Omit<Job, 'share'>,
  threads: number,
  tell: (summary: CaseSummary) => void,
): Promise<readonly CaseSummary[]> {
  const sums = new Map<string, { sum: CaseSummary; shares: number }>();
  const add = (part: CaseSummary): void => {
    const known = sums.get(part.name);
    const sum = known === undefined ? part : added(known.sum, part);
    const shares = (known?.shares ?? 0) + 1;
    sums.set(part.name, { sum, shares });
    if (shares === threads) tell(sum);
  };
  const shares = Array.from({ length: threads }, (_, index) => ({ index, of: threads }));
  await Promise.all(shares.map((share) => playShare({ ...job, share }, add)));
  return [...sums.values()].map(({ sum }) => sum);
}

async function playShare(job: Job, add: (part: CaseSummary) => void): Promise<void> {
  const options: WorkerOptions = { workerData: job, resourceLimits: ROOMY };
  const worker = new Worker(WORKER, options);
  worker.on('message', add);
  const [code] = (await once(worker, 'exit')) as [number];
  if (code !== 0) throw new Error(`a worker ended with code ${code}`);
}

function added(one: CaseSummary, other: CaseSummary): CaseSummary {
  const [none, single, double] = other.played;
  return {
    ...one,
    played: [one.played[0] + none, one.played[1] + single, one.played[2] + double],
    pairs: one.pairs + other.pairs,
    failures: [...one.failures, ...other.failures],
  };
}
