/** Words of the drawings of tasks and flows. */
export const GRAPH = {
  openAll: 'Open all',
  foldAll: 'Fold all',
  steps: (count: number) => (count === 1 ? '1 step' : `${count} steps`),
  run: (first: number, last: number) => `steps ${first}–${last}`,
  of: 'of',
  pivot: 'Point of no return',
  goingBack: 'going back',
  goneBack: 'gone back',
  undo: (state: string) => `Undo ${state}`,
  undoOf: (what: string, state: string) => `Undo of ${what} ${state}`,
  /** The name of a node for assistive technology; an empty undo: there was none. */
  node: (step: string, state: string, undo: string) =>
    undo === '' ? `${step}, ${state}` : `${step}, ${state}, undo ${undo}`,
  written: (command: string, undo: string) => `${command}, undo: ${undo}`,
  scopes: {
    group: 'group',
    case: (name: string) => `case ${name}`,
    otherwise: 'otherwise',
    branch: (name: string) => `branch ${name}`,
    round: 'each round',
    item: 'each item',
    catch: (errors: string) => `catch ${errors}`,
  },
} as const;
