import type { FlowDefinition } from '#core';
import type { BuiltFlow } from '../build-flow.js';
import { checkChildren, checkForeach, remarksOnChildren } from './check-children.js';
import { checkClauses } from './check-clauses.js';
import { checkLocks, remarksOnLocks } from './check-locks.js';
import { checkFailureFlow, checkMaxLive, checkTime, failureFlowWarning } from './check-limits.js';
import { checkExpressions, checkPicked, checkReferences } from './check-expressions.js';
import { checkEnds, checkPivots, checkUndo } from './check-undo.js';
import { checkRequired } from './required-parameters.js';
import { checkTakenOutputs, checkWrites } from './check-values.js';
import type { Examination } from './examination.js';
import { listsOf } from './list-view.js';
import { outlineOf } from './flow-outline.js';

/** Where a flow stands, what is known besides, and where to say what was found. */
type Findings = Omit<Examination, 'definition' | 'lists' | 'origins'>;

/** Looks through a flow that is well formed: what cannot work is a problem, the rest a warning. */
export function examine({ definition, origins }: BuiltFlow, findings: Findings): void {
  const lists = [...listsOf(definition)];
  const examination: Examination = { definition, origins, ...findings, lists };
  checkPicked(examination, checkExpressions(examination));
  checkReferences(examination);
  checkRequired(examination);
  checkEnds(examination);
  checkClauses(examination);
  checkUndo(examination);
  checkTime(examination);
  checkPivots(examination);
  checkWrites(examination);
  checkTakenOutputs(examination);
  checkChildren(examination);
  checkFailureFlow(examination);
  checkMaxLive(examination);
  checkForeach(examination);
  checkLocks(examination);
}

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
