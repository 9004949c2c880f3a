/** Words of what the drawings of tasks and flows show, said wherever their steps are named. */
export const GRAPH_MODEL = {
  /** The name of a node for assistive technology; an empty undo: there was none. */
  node: (step: string, state: string, undo: string) =>
    undo === '' ? `${step}, ${state}` : `${step}, ${state}, undo ${undo}`,
  /** A step with child tasks, of which so many have ended. */
  items: (kind: string, counts: Readonly<Record<'ended' | 'failed' | 'total', number>>) => {
    const { ended, failed, total } = counts;
    const failures = failed > 0 ? `, ${failed} failed` : '';
    return `${kind}: ${ended} of ${total}${failures}`;
  },
  undone: (kind: string, undone: number, started: number) =>
    `${kind}: ${undone} of ${started} undone`,
  written: (command: string, undo: string) => `${command}, undo: ${undo}`,
} as const;
