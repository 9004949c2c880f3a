import { leafKind, startLeaf, succeedLeaf } from './leaf.js';
import type { StepKind } from './kind.js';

/** Ends the task early and well: nothing new is started, and the task ends when what runs has. */
export const succeed: StepKind = leafKind({
  asks: ({ succeed: what }) => [{ name: 'output', template: what?.output ?? null, as: 'json' }],
  start(change, place, { output }) {
    startLeaf(change, place);
    succeedLeaf(change, place, { output });
  },
});
