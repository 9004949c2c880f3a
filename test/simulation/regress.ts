import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { KindName } from '#core';
import { REPOSITORY } from '../stack/repository.js';
import type { HistoryResult } from './history.js';

const FILE = path.join(REPOSITORY, 'test/simulation/regress.json');

/** A seed whose history is played for ever, and why. */
export interface KeptSeed {
  readonly seed: number;
  /** Kinds of steps that its programs are drawn from; absent: it is as its seed says. */
  readonly kinds?: readonly KindName[];
  /** Workers serve some of its modules. */
  readonly hasWorkers?: true;
  readonly found: string;
}

/** The seeds that are always played. */
export function keptSeeds(): readonly KeptSeed[] {
  return JSON.parse(readFileSync(FILE, 'utf8')) as KeptSeed[];
}

/** Keeps the seeds of failed histories; those that are kept already stay as they are. */
export function keepSeeds(failed: readonly HistoryResult[]): void {
  const kept = new Map(keptSeeds().map((entry) => [nameOf(entry), entry]));
  for (const { hasWorkers, kinds, seed, violations } of failed) {
    const [first] = violations;
    const only = { ...(kinds !== null && { kinds }), ...(hasWorkers && ({ hasWorkers } as const)) };
    const name = nameOf({ seed, ...only });
    if (first === undefined || kept.has(name)) continue;
    const found = `${first.invariant} ${first.message.split('\n')[0]}`;
    kept.set(name, { seed, ...only, found });
  }
  const all = [...kept.values()].sort((one, other) => one.seed - other.seed);
  writeFileSync(FILE, `${JSON.stringify(all, null, 2)}\n`);
}

function nameOf({ hasWorkers, kinds = [], seed }: Omit<KeptSeed, 'found'>): string {
  return `${seed} ${kinds.join()} ${hasWorkers ?? ''}`;
}
