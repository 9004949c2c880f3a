import type { Mutant } from '../mutant.js';
import { ANEW_MUTANTS } from './anew-mutants.js';
import { CRASH_MUTANTS } from './crash-mutants.js';
import { DOCUMENT_MUTANTS } from './document-mutants.js';
import { DUTY_MUTANTS } from './duty-mutants.js';
import { bothOf, EQUIVALENT_MUTANTS } from './equivalent-mutants.js';
import { FAILURE_MUTANTS } from './failure-mutants.js';
import { KIND_MUTANTS } from './kind-mutants.js';
import { LIMIT_MUTANTS } from './limit-mutants.js';
import { LOCK_MUTANTS } from './lock-mutants.js';
import { OUTCOME_MUTANTS } from './outcome-mutants.js';
import { PERSON_MUTANTS } from './person-mutants.js';
import { RESET_MUTANTS } from './reset-mutants.js';
import { RETRY_MUTANTS } from './retry-mutants.js';
import { SCOPE_MUTANTS } from './scope-mutants.js';
import { SECRET_MUTANTS } from './secret-mutants.js';
import { STANDING_MUTANTS } from './standing-mutants.js';
import { STEP_MUTANTS } from './step-mutants.js';
import { STORE_MUTANTS } from './store-mutants.js';
import { WORKER_MUTANTS } from './worker-mutants.js';
import { WRITER_MUTANTS } from './writer-mutants.js';

export { bothOf, EQUIVALENT_MUTANTS, type EquivalentMutant } from './equivalent-mutants.js';

/** Every bug that the simulator must find. */
export const MUTANTS: readonly Mutant[] = [
  ...STORE_MUTANTS,
  ...WRITER_MUTANTS,
  ...DOCUMENT_MUTANTS,
  ...OUTCOME_MUTANTS,
  ...CRASH_MUTANTS,
  ...PERSON_MUTANTS,
  ...STANDING_MUTANTS,
  ...RESET_MUTANTS,
  ...SCOPE_MUTANTS,
  ...KIND_MUTANTS,
  ...RETRY_MUTANTS,
  ...STEP_MUTANTS,
  ...LOCK_MUTANTS,
  ...FAILURE_MUTANTS,
  ...ANEW_MUTANTS,
  ...DUTY_MUTANTS,
  ...SECRET_MUTANTS,
  ...WORKER_MUTANTS,
  ...LIMIT_MUTANTS,
];

/** Equivalent mutants together with those that take their second defences away. */
export const PAIRS: readonly Mutant[] = EQUIVALENT_MUTANTS.flatMap(({ mutant, without }) =>
  without === null ? [] : [bothOf(mutant, without)],
);

const ALL = [...MUTANTS, ...PAIRS, ...EQUIVALENT_MUTANTS.map(({ mutant }) => mutant)];

/** The mutant of that name. Throws where there is none. */
export function findMutant(name: string): Mutant {
  const found = ALL.find((mutant) => mutant.name === name);
  if (found === undefined) throw new Error(`there is no mutant ${name}`);
  return found;
}
