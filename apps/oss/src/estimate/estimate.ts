import { DEFAULT_TIMING, type PlannedUndo, rollbackPlan, type Task, timeOver } from '#core';
import type { PastTasks } from './past-tasks.js';
import { type Remaining, remainingBack, remainingForward } from './remaining.js';

/** Undos that are looked at; with more of them nothing is said. */
export const UNDOS_MAX = 1_000;

/**
 * How a deadline stands. `likely`: half of the past tasks would miss it from here. `possible`: one
 * in twenty would. `none`: fewer. `unknown`: past tasks do not tell.
 */
export type Risk = 'likely' | 'possible' | 'none' | 'unknown';

/** How long what is left of a task takes, and whether that is in time. */
export interface Estimate extends Remaining {
  /** The way that the task goes, or is asked about. */
  readonly direction: 'forward' | 'back';
  /** End of the task's time, milliseconds since 1970, and how likely it is missed; null: none. */
  readonly deadline: { readonly at: number; readonly risk: Risk } | null;
}

/** The rest of a task on the way that it goes; null: it has ended. Throws as stores do. */
export async function estimateTask(
  task: Task,
  { now, past }: { readonly now: number; readonly past: PastTasks },
): Promise<Estimate | null> {
  if (task.outcome !== null) return null;
  if (task.way === 'back') {
    const moment = { now, chance: 0.5, timing: DEFAULT_TIMING };
    const plan = rollbackPlan(task, moment, UNDOS_MAX);
    return plan.isCut ? null : estimateUndos(task, { now, past, undos: plan.undos });
  }
  const remaining = remainingForward({ task, now, past: await past.succeeded(task.plan) });
  const at = timeOver(task);
  const deadline = at === null ? null : { at, risk: riskOf(remaining, at - now) };
  return { direction: 'forward', ...remaining, deadline };
}

/** How long these undos of a task take. Throws as stores do. */
export async function estimateUndos(
  task: Task,
  {
    now,
    past,
    undos,
  }: {
    readonly now: number;
    readonly past: PastTasks;
    readonly undos: readonly PlannedUndo[];
  },
): Promise<Estimate> {
  const known = await past.rolledBack(task.plan);
  const remaining = remainingBack({ task, now, past: known }, undos);
  return { direction: 'back', ...remaining, deadline: null };
}

/** Waits that are not counted come on top, so they make a risk no smaller. */
function riskOf({ p50Ms, p95Ms }: Remaining, leftMs: number): Risk {
  if (p50Ms === null || p95Ms === null) return leftMs <= 0 ? 'likely' : 'unknown';
  if (p50Ms > leftMs) return 'likely';
  return p95Ms > leftMs ? 'possible' : 'none';
}
