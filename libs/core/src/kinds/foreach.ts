import type { JsonValue } from '../json/json.js';
import { stepAt } from '../scopes/step-at.js';
import type { QuestionMember } from '../task/question.js';
import { beginChildren, childrenKind } from './children-kind.js';
import type { StepKind } from './kind.js';

/** A child task for each item of a list: enough of them must succeed. */
export const foreach: StepKind = childrenKind({
  asks: ({ foreach: what }) => {
    const members: QuestionMember[] = [{ name: 'in', template: what?.in ?? [], as: 'items' }];
    const { flow = null } = what ?? {};
    if (flow !== null) members.push({ name: 'flow', template: flow, as: 'text' });
    return members;
  },
  start(change, place, { flow, in: list }) {
    const isFlow = (stepAt(change, place)?.foreach?.flow ?? null) !== null;
    const items = list as readonly JsonValue[];
    beginChildren(change, place, { items, flow: isFlow ? (flow as string) : null, version: null });
  },
});
