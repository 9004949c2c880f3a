import { DEFAULT_TIMING, type Task } from '#core';
import { type PlannedUndo, rollbackPlan } from '#core/read';
import { timeOver } from '#core/scopes';
import type { KnownPast } from './past-tasks.js';
import { type Remaining, remainingBack, remainingForward } from './remaining.js';

/** Undos that are looked at; with more of them nothing is said. */
export const UNDOS_MAX = 1_000;

/**
 * How a deadline stands. `likely`: half of the past tasks would miss it from here. `possible`: one
 * in twenty would. `none`: fewer. `unknown`: past tasks do not tell.
 */
type Risk = 'likely' | 'possible' | 'none' | 'unknown';

/** How long what is left of a task takes, and whether that is in time. */
export interface Estimate extends Remaining {
  /** The way that the task goes, or is asked about. */
  readonly direction: 'forward' | 'back';
  /** Null: the way has none. */
  readonly deadline: Deadline | null;
}

/** The end of a task's time. Moments are milliseconds since 1970. */
export interface Deadline {
  readonly at: number;
  /** How likely it is missed. */
  readonly risk: Risk;
  /**
   * The last moment from which 95 of 100 past rollbacks would have undone by the deadline all that
   * is done so far; null: past tasks do not tell.
   */
  readonly abortBy: number | null;
}

/** The rest of a task on the way that it goes; null: it has ended. Throws as stores do. */
export async function estimateTask(
  task: Task,
  { now, past }: { readonly now: number; readonly past: KnownPast },
): Promise<Estimate | null> {
  if (task.outcome !== null) return null;
  if (task.way === 'back') return estimateRollback(task, { now, past });
  const remaining = remainingForward({ task, now, past: await past.succeeded(task.plan) });
  const at = timeOver(task);
  if (at === null) return { direction: 'forward', ...remaining, deadline: null };
  const undoing = await estimateRollback(task, { now, past });
  const abortBy = at - (undoing?.p95Ms ?? NaN);
  const risk = riskOf(remaining, at - now);
  const deadline = { at, risk, abortBy: Number.isNaN(abortBy) ? null : abortBy };
  return { direction: 'forward', ...remaining, deadline };
}

/** How long it takes to undo all that is done; null: that is too much to look at. */
async function estimateRollback(
  task: Task,
  { now, past }: { readonly now: number; readonly past: KnownPast },
): Promise<Estimate | null> {
  const moment = { now, chance: 0.5, timing: DEFAULT_TIMING };
  const plan = rollbackPlan(task, moment, { max: UNDOS_MAX });
  return plan.isCut ? null : estimateUndos(task, { now, past, undos: plan.undos });
}

/** How long these undos of a task take. Throws as stores do. */
export async function estimateUndos(
  task: Task,
  {
    now,
    past,
    undos,
  }: { readonly now: number; readonly past: KnownPast; readonly undos: readonly PlannedUndo[] },
): Promise<Estimate> {
  const known = await past.rolledBack(task.plan);
  const remaining = remainingBack({ task, now, past: known }, undos);
  return { direction: 'back', ...remaining, deadline: null };
}

/**
 * Waits that are not counted come on top, so they make a risk no smaller; and a step that takes
 * longer than it ever did may take any time.
 */
function riskOf({ p50Ms, p95Ms, uncounted }: Remaining, leftMs: number): Risk {
  if (p50Ms === null || p95Ms === null) return leftMs <= 0 ? 'likely' : 'unknown';
  if (p50Ms > leftMs) return 'likely';
  if (p95Ms > leftMs) return 'possible';
  return uncounted.some(({ why }) => why === 'late') ? 'unknown' : 'none';
}
