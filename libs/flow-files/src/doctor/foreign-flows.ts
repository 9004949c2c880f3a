import type { FlowDefinition } from '#core';
import { remarksOnChildren } from './check-children.js';
import { failureFlowWarning } from './check-failure-flow.js';
import { remarksOnLocks } from './check-locks.js';
import { outlineOf } from './flow-outline.js';
import { listsOf } from './list-view.js';

/**
 * Remarks on the flows whose tasks a flow starts, once all flows are known: sentences, each remark
 * with its code. The check of the file may have reported those on flows of the same file already.
 */
export function remarksOnFlows(
  definition: FlowDefinition,
  all: readonly FlowDefinition[],
): readonly string[] {
  const outlines = new Map(all.map((each) => [each.name, outlineOf(each)]));
  const known = { outlines, isComplete: true };
  const lists = [...listsOf(definition)];
  const found = [
    ...remarksOnChildren(definition, lists, known),
    ...remarksOnLocks(definition, lists, known),
  ];
  const failure = failureFlowWarning(definition, known);
  const words = failure === null ? found : [...found, failure];
  return words.map(({ code, hint, message }) => `${message} ${hint} [${code}]`);
}
