import { CHILD_ID, type ChildrenForm, isChildrenForm } from '../requests/limits.js';
import { parameter, RequestQuery, sizeRule, wordRule } from '../requests/request-query.js';
import { type Verb, VERB_NAMES } from './task-verbs.js';

/** An action that can be previewed: a signal is only news. */
export type Previewed = Exclude<Verb, 'signal'>;

/** Names of the actions that can be previewed. */
export const PREVIEWED = VERB_NAMES.filter((verb): verb is Previewed => verb !== 'signal');

/** How an action must be named. */
export const ACTION = `one of ${PREVIEWED.map((name) => `\`${name}\``).join(', ')}`;

/** The query of `GET /v1/tasks/{taskId}/preview`. */
export const PREVIEW_QUERY = new RequestQuery({
  action: { ...parameter('The action.', wordRule(PREVIEWED, ACTION)), required: true },
  to: parameter(
    'Of `rollback` and `reset`: the step to go back to.',
    sizeRule(1, 2_100, 'the name of a step'),
  ),
  step: parameter(
    'Of `skip`, `complete`, `approve` and `reject`: the step, or the id of its run.',
    sizeRule(1, 2_100, 'the name of a step, or the id of its run'),
  ),
  children: parameter(
    'Of `retry` and `reset`: `failed`, `all`, or the id of the child task to start again.',
    {
      schema: CHILD_ID,
      expected: '`failed`, `all`, or the id of a child task',
      read: readChildren,
    },
  ),
});

function readChildren(text: string): ChildrenForm | null {
  return [text, { id: text }].find(isChildrenForm) ?? null;
}
