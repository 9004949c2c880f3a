import type { JsonObject } from '../json/json.js';
import { leafKind, startLeaf, succeedLeaf } from './leaf.js';
import type { StepKind } from './kind.js';

/** Puts values into the parameters. */
export const set: StepKind = leafKind({
  start(change, place, { set: values }) {
    startLeaf(change, place);
    succeedLeaf(change, place, values as JsonObject);
  },
});
