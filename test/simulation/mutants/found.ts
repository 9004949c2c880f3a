import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { REPOSITORY } from '../../stack/repository.js';

const FILE = path.join(REPOSITORY, 'test/simulation/mutants/found.json');

/** By what a mutant was found, and after how many histories. */
export interface FoundMutant {
  readonly name: string;
  readonly invariant: string;
  readonly histories: number;
  /** No mixed history shows it: these are programs alone. */
  readonly isAmongPrograms?: true;
}

/** The results of the last search for all mutants. */
export function foundMutants(): readonly FoundMutant[] {
  return JSON.parse(readFileSync(FILE, 'utf8')) as FoundMutant[];
}

/** Keeps the result of a search for all mutants, for the page that shows it. */
export function keepFound(found: readonly FoundMutant[]): void {
  writeFileSync(FILE, `${JSON.stringify(found, null, 2)}\n`);
}
