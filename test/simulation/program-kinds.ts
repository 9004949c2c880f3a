import type { KindName } from '#core';
import type { SeededRandom } from '../trial/seeded-random.js';

/** Kinds of steps that hold none, by how many of a hundred are drawn of each. */
const LEAVES = { normal: 66, wait: 18, approve: 7, set: 4, succeed: 2, fail: 3 } as const;

/** A kind of step that holds none. */
export type LeafKind = keyof typeof LEAVES;

/** Kinds of steps that hold steps, as often as they are drawn. */
const HOLDERS = [
  'group',
  'choice',
  'parallel',
  'parallel',
  'loop',
  'children',
  'children',
] as const;

/** A kind of step that holds steps; `children`: one with child tasks. */
export type HolderKind = (typeof HOLDERS)[number];

/** The kinds by which each of them is known in a flow: with any of these it is drawn. */
const MADE_BY: Readonly<Record<HolderKind, readonly KindName[]>> = {
  group: ['group', 'dynamic'],
  choice: ['choice'],
  parallel: ['parallel'],
  loop: ['loop'],
  children: ['foreach', 'flow'],
};

/**
 * The kinds of steps that a random program draws from: all, or commands and those that a caller
 * wants to see.
 */
export class ProgramKinds {
  private readonly leaves: readonly (readonly [LeafKind, number])[];
  private readonly holders: readonly HolderKind[];
  private readonly weight: number;
  private readonly kinds: readonly KindName[] | null;

  /** `kinds`: null for all; what others run as child tasks runs no other flow. */
  constructor(kinds: readonly KindName[] | null, isChild: boolean) {
    this.kinds = kinds?.filter((kind) => !isChild || kind !== 'flow') ?? null;
    const leaves = Object.entries(LEAVES) as [LeafKind, number][];
    this.leaves = leaves.filter(([kind]) => kind === 'normal' || this.has(kind));
    this.holders = HOLDERS.filter((holder) => MADE_BY[holder].some((kind) => this.has(kind)));
    this.weight = this.leaves.reduce((sum, [, share]) => sum + share, 0);
  }

  get hasHolders(): boolean {
    return this.holders.length > 0;
  }

  has(kind: KindName): boolean {
    return this.kinds?.includes(kind) ?? true;
  }

  leaf(random: SeededRandom): LeafKind {
    let left = random.next() * this.weight;
    for (const [kind, share] of this.leaves) {
      if (left < share) return kind;
      left -= share;
    }
    return 'normal';
  }

  holder(random: SeededRandom): HolderKind {
    return random.pick(this.holders);
  }
}
