import { FAULTS_NEEDED } from '../exhaustive/mutants-found.js';
import { INVARIANTS } from '../simulation/invariants.js';
import type { Mutant } from '../simulation/mutant.js';
import { foundMutants } from '../simulation/mutants/found.js';
import { bothOf, EQUIVALENT_MUTANTS, MUTANTS } from '../simulation/mutants/index.js';
import { code, table } from './table.js';

/** A table of the invariants that the simulator checks. */
export function invariantTable(): string {
  return table(['', 'holds in every history'], Object.entries(INVARIANTS));
}

/** The bugs that are put in, and how random histories found each. */
export function simulatedTable(): string {
  const rows = MUTANTS.map(({ bug, name }) => [code(name), bug, ...howFound(name)]);
  return table(['mutant', 'bug', 'found by', 'after histories'], rows);
}

/** The changes that break nothing, why, and with what they do. */
export function equivalentTable(): string {
  const rows = EQUIVALENT_MUTANTS.map(({ because, mutant, without }) => {
    return [code(mutant.name), mutant.bug, because, together(mutant, without)];
  });
  return table(['mutant', 'change', 'what holds instead', 'found'], rows);
}

/** The same bugs, and how few placed faults find each. */
export function placedTable(): string {
  const rows = MUTANTS.map(({ bug, name }) => [code(name), bug, neededText(FAULTS_NEEDED[name])]);
  return table(['mutant', 'bug', 'found with'], rows);
}

function together(mutant: Mutant, without: Mutant | null): string {
  if (without === null) return 'changes no history';
  const [invariant, histories] = howFound(bothOf(mutant, without).name);
  return `with ${code(without.name)} by ${invariant} after ${histories}`;
}

function neededText(faults: number | null | undefined): string {
  if (faults === undefined) return 'not tried yet';
  if (faults === null) return 'random histories only';
  return ['no fault at all', 'one fault', 'two faults'][faults] ?? '';
}

function howFound(name: string): readonly [string, string] {
  const found = foundMutants().find((one) => one.name === name);
  if (found === undefined) throw new Error(`${name}: npm run simulate -- --mutant all finds it`);
  const { histories, invariant, isAmongPrograms } = found;
  return [invariant, `${histories}${isAmongPrograms ? ' programs' : ''}`];
}
