import type { StepPlan } from '../flow/flow.js';
import { NO_STEPS, stepsOfScope } from '../flow/plan-lists.js';
import { isParentStep } from '../flow/step-kind.js';
import type { Direction } from '../task/journal.js';
import { goesBackAt } from './reset-part.js';
import { listMade, type Scope } from '../task/scope.js';
import type { Standing, Way } from '../task/status.js';
import type { Task, TaskPlan } from '../task/task.js';
import type { StepRuns } from '../task/action-run.js';
import { Lookups } from '../task/task-index.js';

/** Number of the outermost scope, which is the task itself. The others are `scopes[0]` and on. */
export const TASK = -1;

/** The parts of a task that say which step stands at which place. */
export interface Placed {
  readonly plan: TaskPlan;
  readonly runs: readonly StepRuns[];
  readonly scopes: readonly Scope[];
  /** Facts about them that are known already; null: none. */
  readonly index: { readonly lookups: Lookups } | null;
}

/** A scope below the task; null: it is the task itself. */
export function scopeBelow({ scopes }: Pick<Placed, 'scopes'>, scope: number): Scope | null {
  return scope === TASK ? null : (scopes[scope] ?? null);
}

/** The number of the scope in which a place lies. */
export function scopeAt({ scopes }: Pick<Placed, 'scopes'>, place: number): number {
  // The blocks follow each other in the order of the scopes.
  let low = TASK;
  let high = scopes.length - 1;
  while (low < high) {
    // `Math.ceil` would make -0 of the task and its first scope, and optimized code gives up on it.
    const middle = (low + high + 1) >> 1;
    if ((scopes[middle]?.first ?? 0) <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The place of a scope's first step. */
export function firstPlace(task: Pick<Placed, 'scopes'>, scope: number): number {
  return scopeBelow(task, scope)?.first ?? 0;
}

/** The place after a scope's last step. */
export function endPlace({ runs, scopes }: Pick<Placed, 'runs' | 'scopes'>, scope: number): number {
  return scopes[scope + 1]?.first ?? runs.length;
}

/** The list of steps that a scope runs. */
export function stepsIn(task: Pick<Placed, 'plan' | 'scopes'>, scope: number): readonly StepPlan[] {
  const below = scopeBelow(task, scope);
  if (below === null) return task.plan.steps;
  const step = stepAt(task, below.holder);
  return step === undefined ? NO_STEPS : (listIn(step, below) ?? NO_STEPS);
}

/** The list of a step that a scope of it runs; undefined: it has no such list. */
export function listIn(
  step: StepPlan,
  { kind, list, values }: Pick<Scope, 'kind' | 'list' | 'values'>,
): readonly StepPlan[] | undefined {
  if (kind === 'dynamic') return step.dynamic === undefined ? undefined : listMade(values);
  if (kind === 'children') return isParentStep(step) ? NO_STEPS : undefined;
  return stepsOfScope(step, { kind, list });
}

/** The step at a place; undefined where there is none. */
export function stepAt(task: Pick<Placed, 'plan' | 'scopes'>, place: number): StepPlan | undefined {
  if (task.scopes.length === 0) return task.plan.steps[place];
  const scope = scopeAt(task, place);
  return stepsIn(task, scope)[place - firstPlace(task, scope)];
}

/** The parts of a task that decide a direction, besides the task's own. */
type Directed = Pick<Task, 'plan' | 'scopes' | 'turned'>;

/** Direction of the scope in which a place lies; what a reset leaves alone goes forward. */
export function wayAt(task: Pick<Standing, 'way'> & Directed, place: number): Way {
  const below = task.scopes.length === 0 ? null : scopeBelow(task, scopeAt(task, place));
  if (below !== null) return below.way;
  return task.way === 'back' && goesBackAt(task, place) ? 'back' : 'forward';
}

/** The place in the task's own list under which everything at a place happens. */
export function outermostPlace(task: Pick<Placed, 'scopes'>, place: number): number {
  let outer = place;
  let scope = scopeBelow(task, scopeAt(task, outer));
  while (scope !== null) {
    outer = scope.holder;
    scope = scopeBelow(task, scopeAt(task, outer));
  }
  return outer;
}

/** Which action of a task is meant. */
interface ActionPlace {
  readonly direction: Direction;
  readonly step: number;
}

/**
 * Whether the task wants an action to go on: one that was started is retried and its lease renewed,
 * also while the task is on hold. An unwanted one is called off.
 */
export function wantsAction(
  task: Pick<Standing, 'outcome' | 'way'> & Directed,
  { direction, step }: ActionPlace,
): boolean {
  if (task.outcome !== null) return false;
  // A rollback under way is wanted also where its scope goes forward: of a step that was caught.
  return direction === 'rollback' || wayAt(task, step) === 'forward';
}

/**
 * Whether whoever runs an action is told to stop: the task does not want it, and its flow does not
 * say that what runs when the time of the task is over goes on to its end.
 */
export function isToStop(task: Parameters<typeof wantsAction>[0], action: ActionPlace): boolean {
  if (wantsAction(task, action)) return false;
  const goesOn = task.plan.onTimeout === 'wait' && task.turned?.why === 'task_timed_out';
  return !goesOn || task.outcome !== null;
}

/** Whether a scope goes forward or back now: it was entered and its holder waits for it. */
export function isOpen(change: Pick<Task, 'runs' | 'scopes'>, scope: number): boolean {
  const below = scopeBelow(change, scope);
  if (below === null) return true;
  if (below.stage !== 'open' || below.round === 0) return false;
  const runs = change.runs[below.holder];
  return runs?.normal.state === 'running' || runs?.rollback?.state === 'running';
}
