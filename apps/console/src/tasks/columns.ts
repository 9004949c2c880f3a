import { useState } from 'preact/hooks';
import { keep, kept } from '../browser/storage.js';

/** Columns of a list of tasks in their order; the name of the task stands before them. */
export const COLUMNS = [
  'status',
  'created',
  'ended',
  'took',
  'version',
  'priority',
  'labels',
  'message',
] as const;

/** One of them. */
export type Column = (typeof COLUMNS)[number];

/** The columns of a person who has not chosen any. */
export const USUAL: readonly Column[] = ['status', 'created', 'took', 'labels', 'message'];

const PLACE = 'columns';

/** The columns that a kept choice names, in their order; the usual ones where it is none. */
export function readColumns(text: string | null): readonly Column[] {
  if (text === null) return USUAL;
  const named = new Set(text.split(','));
  return COLUMNS.filter((column) => named.has(column));
}

/** The columns that the reader of this browser chose, and how to choose others. */
export function useColumns(): readonly [readonly Column[], (columns: readonly Column[]) => void] {
  const [columns, set] = useState(() => readColumns(kept(PLACE)));
  const choose = (next: readonly Column[]): void => {
    const isUsual = next.join() === USUAL.join();
    keep(PLACE, isUsual ? null : next.join());
    set(next);
  };
  return [columns, choose];
}
