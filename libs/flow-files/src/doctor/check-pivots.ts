import type { StepPlan } from '#core';
import { clip } from '../json-document.js';
import type { Examination } from './examination.js';
import { type ListView, memberOf } from './list-view.js';

/** Warns of pivots behind which a step can fail although the flow does not say that it holds. */
export function checkPivots(examination: Examination): void {
  const { definition, lists, origins, warnings } = examination;
  if (definition.onFailure !== undefined && definition.onFailure !== 'rollback') return;
  for (const list of lists) {
    for (const [position, step] of list.steps.entries()) {
      if (step.pivot !== true) continue;
      const weak = failingBehind(list, position);
      if (weak === null) continue;
      const message =
        `Step \`${clip(weak.name)}\` can fail behind this point of no return,` +
        ' and then a person is called.';
      const hint =
        'Write "onFailure": "hold" where that is meant, or give the step a `catch` or `optional`.';
      const pointer = memberOf(step, origins, 'pivot');
      warnings.add({ pointer, code: 'PIVOT_WITHOUT_HOLD', message, hint });
    }
  }
}

/** The first step that can fail and comes after a step, in its list or in those around. */
function failingBehind(list: ListView, position: number): StepPlan | null {
  const found = list.steps.find((step, i) => list.order.isBefore(position, i) && canFail(step));
  if (found !== undefined) return found;
  return list.holder === null ? null : failingBehind(list.holder.list, list.holder.position);
}

/** Whether a step can fail for good, besides by an expression. */
export function canFail(step: StepPlan): boolean {
  if (step.optional === true) return false;
  const clauses = step.catch ?? [];
  const isCaught = clauses.some(({ errors }) => errors.includes('*'));
  if (isCaught) return clauses.some(({ steps }) => steps.some(canFail));
  if (step.set !== undefined || step.succeed !== undefined) return false;
  if (step.wait !== undefined) return 'signal' in step.wait && canTimeOut(step.wait);
  if (step.group !== undefined) return step.timeoutMs !== null || step.group.some(canFail);
  if (step.parallel !== undefined) return step.parallel.some(({ steps }) => steps.some(canFail));
  if (step.choice === undefined) return true;
  const lists = [...step.choice.map(({ steps }) => steps), step.otherwise ?? []];
  return lists.some((steps) => steps.some(canFail));
}

function canTimeOut(wait: { readonly timeoutMs: number | null; readonly onTimeout: string }) {
  return wait.timeoutMs !== null && wait.onTimeout === 'fail';
}
