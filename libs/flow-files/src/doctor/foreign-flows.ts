import type { FlowDefinition } from '#core';
import { remarksOnChildren } from './check-children.js';
import { failureFlowWarning } from './check-failure-flow.js';
import { outlineOf } from './flow-outline.js';
import { listsOf } from './list-view.js';

/**
 * What is to be said of the flows of which the tasks of one start others, once all flows are known:
 * each as sentences with its code. Those of its own file may have been said with the file.
 */
export function remarksOnFlows(
  definition: FlowDefinition,
  all: readonly FlowDefinition[],
): readonly string[] {
  const outlines = new Map(all.map((each) => [each.name, outlineOf(each)]));
  const known = { outlines, isComplete: true };
  const found = [...remarksOnChildren(definition, [...listsOf(definition)], known)];
  const failure = failureFlowWarning(definition, known);
  const words = failure === null ? found : [...found, failure];
  return words.map(({ code, hint, message }) => `${message} ${hint} [${code}]`);
}
