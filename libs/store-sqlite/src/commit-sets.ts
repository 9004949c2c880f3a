/**
 * Columns that a commit sets besides those that every commit sets. An index is touched only by a
 * statement that sets its column, so a column that keeps its value is left alone.
 */
export const COMMIT_SETS = {
  status: 1,
  wakeSlot: 2,
  wholeJournal: 4,
  change: 8,
  waits: 16,
  awaits: 32,
  terms: 64,
} as const;
