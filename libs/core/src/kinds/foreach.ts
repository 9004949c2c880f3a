import type { JsonValue } from '../json/json.js';
import { stepAt } from '../scopes/step-at.js';
import { beginChildren, childrenKind } from './children-kind.js';
import type { StepKind } from './kind.js';

/** A child task for each item of a list: enough of them must succeed. */
export const foreach: StepKind = childrenKind({
  start(change, place, { flow, in: list }) {
    const isFlow = (stepAt(change, place)?.foreach?.flow ?? null) !== null;
    const items = list as readonly JsonValue[];
    beginChildren(change, place, { items, flow: isFlow ? (flow as string) : null, version: null });
  },
});
