import { type ActionRun, type Direction, isCaught, type JournalEntry, type Task } from '#core';
import { runIdOf, stepAt } from '#core/scopes';

/** An action before and after a commit. */
export interface Pair {
  readonly direction: Direction;
  /** Place of its step. */
  readonly step: number;
  /** Null: the run is a new one. */
  readonly before: ActionRun | null;
  readonly after: ActionRun;
}

/** Every check of a commit asks for the same. */
let newest: { task: Task; before: Task | null; pairs: readonly Pair[] } | null = null;

/** The actions that a commit changed. */
export function pairsOf(task: Task, before: Task | null): readonly Pair[] {
  if (newest === null || newest.task !== task || newest.before !== before) {
    newest = { task, before, pairs: findPairs(task, before) };
  }
  return newest.pairs;
}

function findPairs(task: Task, before: Task | null): readonly Pair[] {
  const pairs: Pair[] = [];
  task.runs.forEach((runs, step) => {
    const known = before?.runs[step];
    if (known === runs) return;
    // A new run has nothing of the one before it.
    const old = before !== null && isSameRun(task, before, step) ? known : undefined;
    const { normal, rollback } = runs;
    if (old?.normal !== normal) {
      pairs.push({ direction: 'normal', step, before: old?.normal ?? null, after: normal });
    }
    if (rollback === null || old?.rollback === rollback) return;
    // Each try of a step that holds steps is undone by itself.
    const isNewTry = isNewTryOf(task, before, step) || becameCaught(task, before, step);
    const oldBack = isNewTry ? null : (old?.rollback ?? null);
    pairs.push({ direction: 'rollback', step, before: oldBack, after: rollback });
  });
  return pairs;
}

/** Whether what it did was undone, and steps run because it failed. */
function becameCaught(task: Task, before: Task | null, step: number): boolean {
  return before !== null && isCaught(task, step) && !isCaught(before, step);
}

/** Whether another try of a step began that holds steps. */
function isNewTryOf(task: Task, before: Task | null, place: number): boolean {
  if (stepAt(task, place)?.normal !== undefined) return false;
  return task.runs[place]?.normal.attempts !== before?.runs[place]?.normal.attempts;
}

/** Whether the run at a place is the one that was there before. */
export function isSameRun(task: Task, before: Task, place: number): boolean {
  const generation = before.runs[place]?.generation;
  if (generation !== task.runs[place]?.generation) return false;
  return place < task.plan.steps.length || runIdOf(before, place) === runIdOf(task, place);
}

/** Whether an entry is about a step's present run. */
export function isAbout(entry: JournalEntry, task: Task, place: number): boolean {
  return (entry.run ?? entry.step) === runIdOf(task, place);
}
