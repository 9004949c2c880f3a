import { CASES } from './cases.js';

/** A case, and of its pairs of faults every how manieth is played. */
export interface Sample {
  readonly name: string;
  readonly every: number;
}

/** Of the pairs of faults, every how manieth is played: by the size of a case. */
interface Density {
  readonly least: number;
  readonly plain: number;
  /** Tasks with groups have more places than others. */
  readonly groups: number;
}

/** The smallest cases. */
const LEAST: readonly string[] = [
  'one/succeeds',
  'one/undone',
  'one/rollback-fails',
  'chain-2/succeeds',
];

/** The runs of the gate for every change: all single faults, and these of the pairs. */
export const GATE = sampled({ least: 97, plain: 631, groups: 1_499 });

/** The pairs among which bugs are looked for that no single fault finds. */
export const DENSE = sampled({ least: 1, plain: 23, groups: 97 });

/** Everything that there is. */
export const ALL = sampled({ least: 1, plain: 1, groups: 1 });

function sampled({ groups, least, plain }: Density): readonly Sample[] {
  return CASES.map(({ definition, isProgram, name }) => {
    if (LEAST.includes(name)) return { name, every: least };
    const hasGroups = isProgram || definition.steps.some(({ group }) => group !== undefined);
    return { name, every: hasGroups ? groups : plain };
  });
}
