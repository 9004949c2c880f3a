import type { StepPlan } from '../flow/flow.js';
import { FlowProgram } from '../flow/program.js';
import { failedSteps } from '../scopes/failed-steps.js';
import { firstPlace, scopeAt, stepsIn } from '../scopes/step-at.js';
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

/**
 * The terms of a task, each once, the stage first; none once it has ended. `open`: its
 * `openActions`, where the caller has them already.
 */
export function searchTermsOf(task: Task, open = openActions(task)): readonly SearchTerm[] {
  if (task.outcome !== null) return NO_TERMS;
  const stage = termsOf(task.plan.steps)[task.cursor]?.stage;
  const terms: SearchTerm[] = stage === undefined ? [] : [stage];
  const refs = task.hold === null ? open : [...open, ...stuckActions(task)];
  for (const { direction, step } of refs) {
    // A step adds two at most.
    if (terms.length > TERMS_MAX - 2) break;
    const found = termsAt(task, step);
    if (found === undefined) continue;
    addTerm(terms, found.step);
    const module = found[direction];
    if (module !== null) addTerm(terms, module);
  }
  return terms;
}

/** The terms that come from one step. */
interface StepTerms extends Readonly<Record<ActionRef['direction'], SearchTerm | null>> {
  readonly stage: SearchTerm;
  readonly step: SearchTerm;
}

function termsAt(task: Task, place: number): StepTerms | undefined {
  const scope = scopeAt(task, place);
  return termsOf(stepsIn(task, scope))[place - firstPlace(task, scope)];
}

/** Every commit of a task needs some of them: texts are made once for all tasks of a flow. */
function termsOf(steps: readonly StepPlan[]): readonly StepTerms[] {
  return FlowProgram.of(steps).kept(termsOfList);
}

function termsOfList(steps: readonly StepPlan[]): readonly StepTerms[] {
  return steps.map(({ name, normal, rollback }) => ({
    stage: `stage:${name}`,
    step: `step:${name}`,
    normal: normal ? `module:${normal.module}` : null,
    rollback: rollback ? `module:${rollback.module}` : null,
  }));
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
