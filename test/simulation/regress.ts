import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { REPOSITORY } from '../stack/repository.js';
import type { HistoryResult } from './history.js';

const FILE = path.join(REPOSITORY, 'test/simulation/regress.json');

/** A seed whose history is played for ever, and why. */
export interface KeptSeed {
  readonly seed: number;
  readonly found: string;
}

/** The seeds that are always played. */
export function keptSeeds(): readonly KeptSeed[] {
  return JSON.parse(readFileSync(FILE, 'utf8')) as KeptSeed[];
}

/** Keeps the seeds of failed histories; those that are kept already stay as they are. */
export function keepSeeds(failed: readonly HistoryResult[]): void {
  const kept = new Map(keptSeeds().map((entry) => [entry.seed, entry]));
  for (const { seed, violations } of failed) {
    const [first] = violations;
    if (first === undefined || kept.has(seed)) continue;
    kept.set(seed, { seed, found: `${first.invariant} ${first.message.split('\n')[0]}` });
  }
  const all = [...kept.values()].sort((one, other) => one.seed - other.seed);
  writeFileSync(FILE, `${JSON.stringify(all, null, 2)}\n`);
}
