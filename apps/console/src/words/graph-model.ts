/** Words of what the drawings of tasks and flows show, said wherever their steps are named. */
export const GRAPH_MODEL = {
  /** The name of a node for assistive technology; an empty undo: there was none. */
  node: (step: string, state: string, undo: string) =>
    undo === '' ? `${step}, ${state}` : `${step}, ${state}, undo ${undo}`,
  /** A step with child tasks, of which so many have ended. */
  items: (kind: string, ended: number, total: number) => `${kind}: ${ended} of ${total} ended`,
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
