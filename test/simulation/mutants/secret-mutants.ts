import type { Mutant } from '../mutant.js';

/** Bugs of what commands are given that is kept elsewhere. */
export const SECRET_MUTANTS: readonly Mutant[] = [
  {
    name: 'reference-for-secret',
    bug: 'a command is entered with a reference where its secret should be',
    resolver: ({ name }) => ({ name, resolve: ({ reference }) => Promise.resolve(reference) }),
  },
];
