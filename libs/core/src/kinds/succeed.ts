import { leafKind, startLeaf, succeedLeaf } from './leaf.js';
import type { StepKind } from './kind.js';

/** Ends the task early and well: nothing new is started, and the task ends when what runs has. */
export const succeed: StepKind = leafKind({
  start(change, place, { output = null }) {
    startLeaf(change, place);
    succeedLeaf(change, place, { output });
  },
});
