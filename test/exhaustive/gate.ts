import { CASES } from './cases.js';

/** Cases whose pairs of faults are all played every time. */
const WHOLE: readonly string[] = [
  'one/succeeds',
  'one/undone',
  'one/rollback-fails',
  'chain-2/succeeds',
];

/** Of the pairs of the others, every how manieth. */
const EVERY = 23;

/** The same of tasks with groups, which have more places than others. */
const EVERY_OF_GROUPS = 97;

/** What is played with every change: all single faults, and these of the pairs. */
export const GATE = CASES.map(({ definition, name }) => {
  if (WHOLE.includes(name)) return { name, every: 1 };
  const hasGroups = definition.steps.some(({ group }) => group !== undefined);
  return { name, every: hasGroups ? EVERY_OF_GROUPS : EVERY };
});

/** Everything that there is. */
export const ALL = CASES.map(({ name }) => ({ name, every: 1 }));
