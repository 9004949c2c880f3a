import type { ActionRun, Task } from '#core';
import { graphOf } from '#core/flow';

/** The times that one final task says its own steps took, in milliseconds, by their names. */
export interface StepTimes {
  readonly flowVersion: number;
  /**
   * From the moment when all was done that a step needs, so that its wait in queues and for locks
   * counts, to its end. Steps that were passed over took no time; those that were not reached are
   * missing.
   */
  readonly forward: ReadonlyMap<string, number>;
  /** The same of the steps that were undone, from the moment when nothing stood in the way. */
  readonly back: ReadonlyMap<string, number>;
}

/** Actions of persons that turn a task round, so that they delay nothing on the way back. */
const TURNS: ReadonlySet<string> = new Set(['rollback', 'undo']);

/** How long the steps of a final task took; null: a person held it up, so it says nothing. */
export function timesOf(task: Task): StepTimes | null {
  const { doneActions, outcome, plan, turned } = task;
  const since = turned?.at ?? -Infinity;
  const isDelayed = doneActions.some(({ action, at }) => at >= since && !TURNS.has(action));
  if (isDelayed) return null;
  return {
    flowVersion: plan.flowVersion,
    forward: outcome === 'succeeded' ? forwardTimes(task) : new Map(),
    back: outcome === 'rolled_back' ? backTimes(task) : new Map(),
  };
}

function forwardTimes(task: Task): ReadonlyMap<string, number> {
  const ready = readyTimes(task);
  const times = new Map<string, number>();
  task.plan.steps.forEach(({ name }, place) => {
    const run = task.runs[place]?.normal;
    if (run?.state === 'skipped') times.set(name, 0);
    if (run?.state === 'succeeded') times.set(name, lengthOf(run, ready[place] ?? 0));
  });
  return times;
}

function backTimes(task: Task): ReadonlyMap<string, number> {
  const ready = readyBackTimes(task);
  const times = new Map<string, number>();
  task.plan.steps.forEach(({ name }, place) => {
    const run = task.runs[place]?.rollback ?? null;
    if (run?.state === 'succeeded') times.set(name, lengthOf(run, ready[place] ?? 0));
  });
  return times;
}

/** From the moment when it could start, or its start where that came first, to its end. */
function lengthOf({ endedAt, startedAt }: ActionRun, ready: number): number {
  const end = endedAt ?? ready;
  return Math.max(0, end - Math.min(ready, startedAt ?? ready));
}

/**
 * When all was done that each of a task's own steps needs, milliseconds since 1970, by place. A
 * step that was passed over was done when all that it needs was.
 */
export function readyTimes({ plan, runs }: Task): readonly number[] {
  const ready = plan.steps.map(() => plan.createdAt);
  const done = [...ready];
  for (const place of graphOf(plan.steps).order) {
    for (const need of plan.steps[place]?.needs ?? []) {
      ready[place] = Math.max(ready[place] ?? 0, done[need] ?? 0);
    }
    const run = runs[place]?.normal;
    const end = run?.state === 'skipped' ? null : (run?.endedAt ?? null);
    done[place] = end ?? ready[place] ?? 0;
  }
  return ready;
}

/** When nothing stood in the way of undoing each of a task's own steps; as `readyTimes` tells. */
export function readyBackTimes({ plan, runs, turned }: Task): readonly number[] {
  const ready = plan.steps.map(() => turned?.at ?? plan.createdAt);
  const settled = [...ready];
  const { dependents, order } = graphOf(plan.steps);
  for (const place of order.toReversed()) {
    for (const dependent of dependents[place] ?? []) {
      ready[place] = Math.max(ready[place] ?? 0, settled[dependent] ?? 0);
    }
    const end = runs[place]?.rollback?.endedAt ?? 0;
    settled[place] = Math.max(ready[place] ?? 0, end);
  }
  return ready;
}
