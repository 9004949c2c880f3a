import type { KindName, NormalState, TaskStatusName } from '#core';
import { HOLDER_CELLS } from './holder-cells.js';
import { LEAF_CELLS } from './leaf-cells.js';

/** The things that may happen to a step, with the words above their columns. */
export const KIND_COLUMNS = {
  succeeds: 'succeeds',
  fails: 'fails',
  times_out: 'times out',
  killed: 'its process is killed',
  rolled_back: 'rolled back by a person',
  paused: 'paused by a person',
} as const;

/** A column of the table of kinds. */
export type KindColumn = keyof typeof KIND_COLUMNS;

/**
 * One thing that happens to a step of one kind. The step is the second of the three of its task;
 * the first and the third are commands, `before` and `after`, and in it is mostly a command `work`.
 */
export interface KindCell {
  /** For people. */
  readonly says: string;
  /** State of the step in the end. */
  readonly step: NormalState;
  /** Status of the task in the end. */
  readonly task: TaskStatusName;
  /** Commands in the order in which they are called, with the round, the try or the item. */
  readonly calls: string;
}

/** A cell for each column. */
export type KindRow = Readonly<Record<KindColumn, KindCell>>;

/** The fate of a step, by its kind and by what happens to it. Every cell is played. */
export const KIND_TABLE: Readonly<Record<KindName, KindRow>> = { ...LEAF_CELLS, ...HOLDER_CELLS };
