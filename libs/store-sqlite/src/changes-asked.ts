/**
 * A question about changes: the largest number, those from a number on (answered with numbers and
 * ids), or what lists show of tasks.
 */
export type ChangesAsked =
  | readonly [kind: 'newest']
  | readonly [kind: 'from', change: number, limit: number]
  | readonly [kind: 'summaries', taskIds: readonly string[]];
