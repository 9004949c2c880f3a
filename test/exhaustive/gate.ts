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

/** What is played with every change: all single faults, and these of the pairs. */
export const GATE = CASES.map(({ name }) => ({ name, every: WHOLE.includes(name) ? 1 : EVERY }));

/** Everything that there is. */
export const ALL = CASES.map(({ name }) => ({ name, every: 1 }));
