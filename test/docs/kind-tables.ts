import { KIND_NAMES } from '#core';
import {
  KIND_COLUMNS,
  KIND_TABLE,
  type KindCell,
  type KindColumn,
} from '../state-machine/index.js';
import { table } from './table.js';

const COLUMNS = Object.keys(KIND_COLUMNS) as KindColumn[];

/** A row for each kind, and in words what happens to a step of it. */
export function kindTable(): string {
  return cells(({ says, step, task }) => `${says} (\`${step}\`, \`${task}\`)`);
}

/** The commands that are called meanwhile. */
export function kindCalls(): string {
  return cells(({ calls }) => calls);
}

function cells(show: (cell: KindCell) => string): string {
  const head = ['kind', ...Object.values(KIND_COLUMNS)];
  const rows = KIND_NAMES.map((kind) => {
    return [`[\`${kind}\`](#${kind})`, ...COLUMNS.map((column) => show(KIND_TABLE[kind][column]))];
  });
  return table(head, rows);
}
