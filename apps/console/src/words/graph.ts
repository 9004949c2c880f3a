/** Words of the drawings of tasks and flows, which are loaded with them. */
export const GRAPH = {
  openAll: 'Open all',
  foldAll: 'Fold all',
  steps: (count: number) => (count === 1 ? '1 step' : `${count} steps`),
  run: (first: number, last: number) => `steps ${first}–${last}`,
  of: 'of',
  scopes: (first: string, last: string) => `${first} – ${last}`,
  inView: (shown: number, total: number) => `${shown} of ${total} boxes in view`,
  map: 'Map of the graph',
  fingers: 'Two fingers move the graph.',
  pivot: 'Point of no return',
  goingBack: 'going back',
  goneBack: 'gone back',
  undo: (state: string) => `Undo ${state}`,
  undoOf: (what: string, state: string) => `Undo of ${what} ${state}`,
} as const;
