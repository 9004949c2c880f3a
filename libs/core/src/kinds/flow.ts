import { stepAt } from '../scopes/step-at.js';
import { beginChildren, childrenKind } from './children-kind.js';
import type { StepKind } from './kind.js';

/** One child task of a flow, which must succeed. */
export const flow: StepKind = childrenKind({
  start(change, place, { name, parameters = {} }) {
    const version = stepAt(change, place)?.flow?.version ?? null;
    beginChildren(change, place, { items: [parameters], flow: name as string, version });
  },
});
