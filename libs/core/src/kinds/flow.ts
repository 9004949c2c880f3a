import { stepAt } from '../scopes/step-at.js';
import type { QuestionMember } from '../task/question.js';
import { beginChildren, childrenKind } from './children-kind.js';
import type { StepKind } from './kind.js';

/** One child task of a flow, which must succeed. */
export const flow: StepKind = childrenKind({
  asks: ({ flow: what }) => {
    const members: QuestionMember[] = [{ name: 'name', template: what?.name ?? '', as: 'text' }];
    const { parameters = null } = what ?? {};
    if (parameters !== null) {
      members.push({ name: 'parameters', template: parameters, as: 'object' });
    }
    return members;
  },
  start(change, place, { name, parameters = {} }) {
    const version = stepAt(change, place)?.flow?.version ?? null;
    beginChildren(change, place, { items: [parameters], flow: name as string, version });
  },
});
