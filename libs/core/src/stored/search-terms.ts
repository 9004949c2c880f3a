import type { StepPlan } from '../flow/flow.js';
import { failedSteps } from '../scopes/failed-steps.js';
import { stepAt } from '../scopes/step-at.js';
import { openActions } from '../scopes/task-index.js';
import { type ActionRef, normalOf, rollbackOf } from '../task/action-ref.js';
import type { Task } from '../task/task.js';

/**
 * A term by which an unfinished task is found. `step`, `module`: of an action that is queued, runs
 * or waits, or that has failed and waits for a person. `stage`: the task's own step at its cursor.
 */
export type SearchTerm = `${'step' | 'module' | 'stage'}:${string}`;

/** Most terms of one task: what a commit stores must not grow with its actions under way. */
const TERMS_MAX = 100;

const NO_TERMS: readonly SearchTerm[] = Object.freeze([]);

/** The terms of a task, each once, the stage first; none once it has ended. */
export function searchTermsOf(task: Task): readonly SearchTerm[] {
  if (task.outcome !== null) return NO_TERMS;
  const stage = task.plan.steps[task.cursor]?.name;
  const terms: SearchTerm[] = stage === undefined ? [] : [`stage:${stage}`];
  const refs = openActions(task);
  if (task.hold !== null) refs.push(...stuckActions(task));
  for (const ref of refs) {
    // A step adds two at most.
    if (terms.length > TERMS_MAX - 2) break;
    addTerms(terms, stepAt(task, ref.step), ref.direction);
  }
  return terms;
}

function addTerms(
  terms: SearchTerm[],
  step: StepPlan | undefined,
  direction: ActionRef['direction'],
): void {
  if (step === undefined) return;
  const action = direction === 'rollback' ? step.rollback : step.normal;
  addTerm(terms, `step:${step.name}`);
  if (action) addTerm(terms, `module:${action.module}`);
}

function addTerm(terms: SearchTerm[], term: SearchTerm): void {
  if (!terms.includes(term)) terms.push(term);
}

/** The actions for whose failure a task waits for a person. */
function stuckActions(task: Task): readonly ActionRef[] {
  const undos = task.runs.flatMap(({ rollback }, place) => {
    return rollback?.state === 'failed' ? [rollbackOf(place)] : [];
  });
  return [...failedSteps(task).map(normalOf), ...undos];
}

/** Whether two documents of a task have the same terms, told without working them out. */
export function hasSameTerms(previous: Task, next: Task): boolean {
  return (
    previous.runs === next.runs &&
    previous.cursor === next.cursor &&
    previous.hold === next.hold &&
    previous.outcome === next.outcome
  );
}
