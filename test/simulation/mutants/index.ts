import type { Mutant } from '../mutant.js';
import { DOCUMENT_MUTANTS } from './document-mutants.js';
import { DUTY_MUTANTS } from './duty-mutants.js';
import { STORE_MUTANTS } from './store-mutants.js';

/** Every bug that the simulator must find. */
export const MUTANTS: readonly Mutant[] = [...STORE_MUTANTS, ...DOCUMENT_MUTANTS, ...DUTY_MUTANTS];

/** The mutant of that name. Throws where there is none. */
export function findMutant(name: string): Mutant {
  const found = MUTANTS.find((mutant) => mutant.name === name);
  if (found === undefined) throw new Error(`there is no mutant ${name}`);
  return found;
}
