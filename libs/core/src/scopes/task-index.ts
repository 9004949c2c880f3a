import { type ActionRun, isActive, type StepRuns } from '../task/action-run.js';
import { endPlace, firstPlace, TASK } from './step-at.js';
import type { Scope } from '../task/scope.js';
import type { Task } from '../task/task.js';
import { wakeOfRun } from './wake.js';
import type { ActionRef } from '../task/action-ref.js';
import type { ScopeTally, Stretch, TaskIndex } from '../task/task-index.js';
import { lookupsOf } from './scope-index.js';

/** Steps that are summed up together: few enough to be walked by every event that meets them. */
export const STRETCH = 32;

/** The scope tallies of a flow without nested steps: one object shared by all such tasks. */
const NO_SCOPE_TALLIES: readonly ScopeTally[] = Object.freeze([]);

/** The index of a document, from its runs. */
export function indexOf(task: { runs: readonly StepRuns[]; scopes: readonly Scope[] }): TaskIndex {
  const { runs } = task;
  const stretches: Stretch[] = [];
  for (let from = 0; from < runs.length; from += STRETCH) stretches.push(sumUp(runs, from));
  const scopes = task.scopes.map((_, scope) => ({ left: leftIn(task, scope), settled: null }));
  return {
    runs,
    stretches,
    left: leftIn(task, TASK),
    contentBytes: null,
    settled: null,
    scopes: scopes.length === 0 ? NO_SCOPE_TALLIES : scopes,
    lookups: lookupsOf({ ...task, index: null }),
  };
}

function leftIn(task: Pick<Task, 'runs' | 'scopes'>, scope: number): number {
  const end = endPlace(task, scope);
  let left = 0;
  for (let place = firstPlace(task, scope); place < end; place += 1) {
    if (!isPassed((task.runs[place] as StepRuns).normal.state)) left += 1;
  }
  return left;
}

/** The index that a document carries, or one that is made now. */
export function indexIn(task: Pick<Task, 'runs' | 'scopes' | 'index'>): TaskIndex {
  return carriedIndex(task) ?? indexOf(task);
}

/** The index that a document carries, if it is the one of its runs. */
function carriedIndex({ index, runs }: Pick<Task, 'runs' | 'index'>): TaskIndex | null {
  return index !== null && index.runs === runs ? index : null;
}

/** Sums up the stretch that begins with this step; each time as another object. */
export function sumUp(runs: readonly StepRuns[], from: number): Stretch {
  const end = Math.min(from + STRETCH, runs.length);
  let wakeAt = Infinity;
  let isOpen = false;
  let hasOne = false;
  let isMoving = false;
  let attempts = 0;
  const addActive = (run: ActionRun): void => {
    isOpen = true;
    isMoving ||= run.state === 'queued' || (run.state === 'running' && run.lease !== null);
    if (isTriedAgain(run)) attempts = Math.max(attempts, run.attempts);
    wakeAt = Math.min(wakeAt, wakeOfRun(run));
  };
  for (let step = from; step < end; step += 1) {
    const { normal, rollback } = runs[step] as StepRuns;
    if (normal.output !== null) hasOne = true;
    if (isActive(normal)) addActive(normal);
    if (rollback !== null && isActive(rollback)) addActive(rollback);
  }
  return { wakeAt, isOpen, hasOutput: hasOne, isMoving, attempts };
}

/** Whether an action that is under way failed before. A look at work elsewhere has no code. */
function isTriedAgain({ attempts, code, look, message, state }: ActionRun): boolean {
  const isLate = state === 'waiting' && look !== 'outside';
  return message !== null && code !== 0 && (isLate || attempts > 1);
}

/** Whether a step of the task may have given something back. */
export function hasOutput(task: Pick<Task, 'runs' | 'index'>): boolean {
  return carriedIndex(task)?.stretches.some((stretch) => stretch.hasOutput) ?? true;
}

/** Steps whose runs are not the same objects in two documents of a task, in their order. */
export function changedSteps(previous: Task, next: Task): number[] {
  const before = carriedIndex(previous)?.stretches;
  const after = carriedIndex(next)?.stretches;
  const changed: number[] = [];
  for (let from = 0; from < next.runs.length; from += STRETCH) {
    const stretch = after?.[from / STRETCH];
    // A stretch is summed up again by every event that touches it.
    if (stretch !== undefined && stretch === before?.[from / STRETCH]) continue;
    const end = Math.min(from + STRETCH, next.runs.length);
    for (let step = from; step < end; step += 1) {
      if (previous.runs[step] !== next.runs[step]) changed.push(step);
    }
  }
  return changed;
}

/** Whether what needs a step with a normal action in this state may start. */
export function isPassed(state: StepRuns['normal']['state']): boolean {
  return state === 'succeeded' || state === 'skipped';
}

/**
 * Every action of the task that is queued, running or waiting, those of steps that hold steps
 * with them. In the order of their places; of one step the rollback comes first.
 */
export function openActions(task: Pick<Task, 'runs' | 'scopes' | 'index'>): ActionRef[] {
  const refs: ActionRef[] = [];
  const { runs } = task;
  // An ended task carries no index, and to look at each run costs less than to make one.
  const stretches = carriedIndex(task)?.stretches;
  for (let from = 0; from < runs.length; from += STRETCH) {
    if (stretches?.[from / STRETCH]?.isOpen === false) continue;
    const end = Math.min(from + STRETCH, runs.length);
    for (let step = from; step < end; step += 1) addOpen(refs, runs[step], step);
  }
  return refs;
}

function addOpen(refs: ActionRef[], runs: StepRuns | undefined, step: number): void {
  if (runs === undefined) return;
  const { normal, rollback } = runs;
  if (rollback !== null && isActive(rollback)) refs.push({ direction: 'rollback', step });
  if (isActive(normal)) refs.push({ direction: 'normal', step });
}
