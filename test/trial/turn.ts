import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { REPOSITORY } from '../stack/repository.js';
import { playsAll } from './plays-all.js';

/** The sources that the proofs are about, from the root of the repository. */
const PROVED = ['libs/core/src', 'libs/engine/src'];

/**
 * Picks the samples of tests that play only a part of all cases: a number between 0 and 65,535 that
 * changes with every change of the core or the engine. So every change is tried with other samples,
 * and the same code always with the same: a failure repeats until it is mended.
 */
export function turnOfCode(): number {
  const hash = createHash('sha256');
  for (const folder of PROVED) {
    const home = path.join(REPOSITORY, folder);
    const files = readdirSync(home, { recursive: true, encoding: 'utf8' });
    for (const file of files.filter(isProved).toSorted()) {
      hash.update(file).update(readFileSync(path.join(home, file)));
    }
  }
  return hash.digest().readUInt16BE();
}

/** The case whose turn it is; all of them where a run plays everything. */
export function ofTurn<T>(cases: readonly T[]): readonly T[] {
  return playsAll() ? cases : [cases[turnOfCode() % cases.length]!];
}

function isProved(file: string): boolean {
  return file.endsWith('.ts') && !file.endsWith('spec.ts');
}
