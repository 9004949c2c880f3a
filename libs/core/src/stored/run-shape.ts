import { type ActionRun, FRESH_RUNS, type StepRuns } from '../task/action-run.js';
import type { Direction } from '../task/journal.js';
import { hasUndo } from '../task/first-runs.js';
import type { StepPlan } from '../flow/flow.js';
import { declarationOf } from '../flow/step-kind.js';
import { firstPlace, listIn, stepAt, stepsIn, TASK } from '../scopes/step-at.js';
import type { Scope, Turn } from '../task/scope.js';
import { stepsFault } from './step-shape.js';
import { NORMAL_MOVES, ROLLBACK_MOVES } from '../task/states.js';
import type { Task } from '../task/task.js';

/** The states that a run may have. */
const STATES: Readonly<Record<Direction, object>> = {
  normal: NORMAL_MOVES,
  rollback: ROLLBACK_MOVES,
};

/** Why what says how something turned cannot go with its direction; null: it can. */
export function turnFault(
  { turned, way }: Pick<Scope, 'turned' | 'way'>,
  where: string,
): string | null {
  if ((way === 'back') !== (turned !== null)) {
    return turned === null
      ? `${where}turned is missing while it goes back`
      : `${where}turned of what goes forward`;
  }
  if (turned === null || mayGoDownTo(turned)) return null;
  return `${where}turned.to is not what turned.why makes it`;
}

function mayGoDownTo({ children, to, why }: Turn): boolean {
  if (children !== undefined && why !== 'reset') return false;
  return why === 'requested' || (why === 'reset') === (to !== null);
}

/** Why the scopes and runs of a task cannot be those of its steps; null: they can. */
export function runsFault(task: Task): string | null {
  const { runs, scopes } = task;
  const fault = scopesFault(task);
  if (fault !== null) return fault;
  const entered = new Set<number>();
  const caught = new Set<number>();
  for (const { holder, kind, round } of scopes) {
    if (round > 0) (kind === 'catch' ? caught : entered).add(holder);
  }
  for (let scope = TASK; scope < scopes.length; scope += 1) {
    const first = firstPlace(task, scope);
    for (const [n, step] of stepsIn(task, scope).entries()) {
      const wrong = stepRunsFault(runs[first + n]!, first + n, { step, caught });
      if (wrong !== null) return wrong;
      if (declarationOf(step).work !== 'steps' || caught.has(first + n)) continue;
      const stray = entryFault(runs[first + n]!, first + n, { step, entered });
      if (stray !== null) return stray;
    }
  }
  return null;
}

/** Each scope belongs to a step that has its list, and its block begins where the last one ends. */
function scopesFault({ plan, runs, scopes, turned }: Task): string | null {
  let end = plan.steps.length;
  const sound: Scope[] = [];
  for (const [n, scope] of scopes.entries()) {
    const where = `scopes[${n}].`;
    const fault = turnFault(scope, where);
    if (fault !== null) return fault;
    const { first, holder } = scope;
    const step = holder < end ? stepAt({ plan, scopes: sound }, holder) : undefined;
    const list = step === undefined ? undefined : listIn(step, scope);
    if (list === undefined) return `${where}holder is no step that may hold it`;
    const wrong = scope.kind === 'dynamic' ? stepsFault(list, `${where}values.steps`) : null;
    if (wrong !== null) return wrong;
    if (first !== end) return `${where}first is ${first}, and the block before ends at ${end}`;
    sound.push(scope);
    end += list.length;
  }
  if ((turned?.to ?? 0) >= plan.steps.length) return 'turned.to is not a step';
  return runs.length === end ? null : `runs are ${runs.length}, and steps ${end}`;
}

/** A step that holds steps was entered exactly when it has a scope. */
function entryFault(
  { normal }: StepRuns,
  n: number,
  { entered, step }: { readonly step: StepPlan; readonly entered: ReadonlySet<number> },
): string | null {
  // A choice may come to none of its cases, and what is asked about or failed by it has no scope.
  const isEmpty = step.choice !== undefined || step.dynamic !== undefined;
  const isFree = isEmpty || ['queued', 'failed', 'terminated', 'skipped'].includes(normal.state);
  if (isFree || (normal.state === 'pending') !== entered.has(n)) return null;
  return `runs[${n}] does not stand as its scope does`;
}

/**
 * Checks both halves of a step. A run without a command is never leased, and neither is a step
 * while it is caught.
 */
function stepRunsFault(
  { normal, rollback }: StepRuns,
  n: number,
  { caught, step }: { readonly step: StepPlan; readonly caught: ReadonlySet<number> },
): string | null {
  if ((rollback === null) === hasUndo(step)) return `runs[${n}].rollback is not what its step has`;
  const isOwn = step.normal === undefined || caught.has(n);
  const isOwnUndo = !step.rollback || caught.has(n);
  return (
    halfFault(normal, n, { direction: 'normal', isOwn }) ??
    (rollback === null ? null : halfFault(rollback, n, { direction: 'rollback', isOwn: isOwnUndo }))
  );
}

function halfFault(
  run: ActionRun,
  n: number,
  { direction, isOwn }: { readonly direction: 'normal' | 'rollback'; readonly isOwn: boolean },
): string | null {
  if (FRESH_RUNS.has(run)) return null;
  const where = `runs[${n}].${direction}.`;
  if (!isOwn) return runFault(run, direction, where);
  const fault = stateFault(run, direction, where);
  if (fault !== null || run.lease === null) return fault;
  return `runs[${n}] has a lease, and no command`;
}

/** Why a run cannot be that of an action in this direction; null: it can. `where` names it. */
function runFault(run: ActionRun, direction: Direction, where: string): string | null {
  const { lease, state } = run;
  const fault = stateFault(run, direction, where);
  if (fault !== null || (state === 'running') === (lease !== null)) return fault;
  return lease === null
    ? `${where}lease is missing while it is running`
    : `${where}lease is there while it is not running`;
}

function stateFault({ state }: ActionRun, direction: Direction, where: string): string | null {
  return Object.hasOwn(STATES[direction], state)
    ? null
    : `${where}state is not a state of the table`;
}
