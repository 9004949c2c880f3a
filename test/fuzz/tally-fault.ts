import {
  type ActionRun,
  contentSize,
  isActive,
  isFinal,
  mayHaveEffect,
  roundsHeld,
  ScopeIndex,
  type StepPlan,
  type StepRuns,
  type TaskIndex,
  type Task,
} from '#core';
import {
  earlyEnd,
  hasPassedPivot,
  pivotsOfTask,
  scopeIndexOf,
  stepsIn,
  wakeTime,
} from '#core/scopes';
import { waitsInBranch } from './branch-waits.js';

/** As many steps as a stretch of a tally has. */
const STRETCH = 32;

/**
 * Why what a document carries along about its runs is not what a look at all of them gives; null:
 * it is.
 */
export function tallyFault(task: Task): string | null {
  if (task.index === null) return null;
  if (task.index.runs !== task.runs) return 'the tally is one of other runs';
  if (isFinal(task.status)) return 'a final task has a tally';
  return sumsFault(task, task.index) ?? settledFault(task) ?? indexFault(task) ?? marksFault(task);
}

/** Why the marked steps known to be done are not those that all runs say; null: they are. */
function marksFault(task: Task): string | null {
  const marksOf = (of: Task): string => {
    const inScopes = of.scopes.map((_, scope) => hasPassedPivot(of, scope));
    return JSON.stringify([earlyEnd(of), pivotsOfTask(of), inScopes]);
  };
  // Of a copy of the runs nothing is known.
  const [found, full] = [marksOf(task), marksOf({ ...task, runs: task.runs.slice() })];
  return found === full ? null : `marked steps are ${full}, and what is known is ${found}`;
}

/** Why the index that a document's scopes carry along is not what all of them give; null: it is. */
function indexFault(task: Task): string | null {
  const { scopes } = task;
  const carried = scopeIndexOf(task);
  const made = ScopeIndex.of(scopes);
  for (const holder of new Set(scopes.map((scope) => scope.holder))) {
    const [found, full] = [carried, made].map((index) => heldText(index, holder, scopes));
    if (found !== full) return `the step at ${holder} holds ${full}, and the index has ${found}`;
  }
  const [found, full] = [carried, made].map((index) =>
    JSON.stringify([index.children, index.made]),
  );
  return found === full ? null : `of all scopes the index has ${found}, not ${full}`;
}

/** Rounds as they are found: those that the index is to look for are none of its own. */
function heldText(index: ScopeIndex, holder: number, scopes: Task['scopes']): string {
  const held = index.heldBy(holder);
  const lists = held.lists.map((list) => [list.kind, list.list, roundsHeld(held, scopes, list)]);
  return JSON.stringify({ ...held, lists });
}

/** A step that is ready and that nobody has queued, as a sentence; null: there is none. */
export function forgottenStep(task: Task): string | null {
  if (task.outcome !== null || task.hold !== null || task.paused !== null) return null;
  for (const scope of scopesOf(task)) {
    const { first, isHeldBack, isOpen, runs, steps, way } = scope;
    if (!isOpen || isHeldBack) continue;
    const settled = settledSteps(scope);
    // A step that was passed over ahead of its time counts as done once its own needs are met.
    const isMet = (need: number): boolean => {
      const { normal } = runs[need]!;
      if (normal.state === 'skipped') return steps[need]!.needs.every(isMet);
      return isPassed(normal);
    };
    const step = steps.findIndex(({ needs }, index) => {
      const { normal, rollback } = runs[index]!;
      if (way === 'forward') {
        return normal.state === 'pending' && needs.every(isMet);
      }
      if (rollback?.state !== 'pending') return false;
      return !isActive(normal) && dependentsOf(steps, index).every((later) => settled[later]);
    });
    if (step >= 0) return `step ${first + step} is ready, and nobody has queued it`;
    const isDone = runs.every(({ normal }) => isPassed(normal));
    if (way === 'forward' ? isDone : settled.every(Boolean)) {
      return `nothing is left of the scope at ${first}, and it has not ended`;
    }
  }
  return null;
}

/** A scope of a task with its own part of the runs. */
interface ScopeRuns {
  readonly first: number;
  readonly steps: readonly StepPlan[];
  readonly runs: readonly StepRuns[];
  readonly way: Task['way'];
  /** Step down to which it goes back; null: all of it does. */
  readonly to: number | null;
  /**
   * A step with child tasks, which itself stays while what needs it goes back; null: there is none.
   */
  readonly kept: number | null;
  /** Whether it is on its way. */
  readonly isOpen: boolean;
  /** Whether it is to be undone only once the branches beside it, or beside one around it, end. */
  readonly isHeldBack: boolean;
  readonly tally: TaskIndex['scopes'][number] | undefined;
}

/** The task itself, and every scope below it. */
function scopesOf(task: Task): readonly ScopeRuns[] {
  const { index, plan, runs, scopes, turned, way } = task;
  const own = runs.slice(0, plan.steps.length);
  const below = scopes.map(({ first, holder, way: its }, n): ScopeRuns => {
    const steps = stepsIn(task, n);
    const { normal, rollback } = runs[holder]!;
    const isOpen = normal.state === 'running' || rollback?.state === 'running';
    const part = runs.slice(first, first + steps.length);
    const isHeldBack = its === 'back' && waitsInBranch(task, n);
    const rest = { isOpen, isHeldBack, tally: index?.scopes[n] };
    return { first, steps, runs: part, way: its, to: null, kept: null, ...rest };
  });
  const to = turned?.to ?? null;
  const whole = {
    first: 0,
    steps: plan.steps,
    runs: own,
    way,
    to,
    kept: turned?.children === undefined ? null : to,
    isOpen: true,
    isHeldBack: false,
  };
  return [{ ...whole, tally: index ?? undefined }, ...below];
}

function sumsFault(task: Task, { contentBytes, scopes, stretches }: TaskIndex): string | null {
  if (scopes.length !== task.scopes.length) return `${scopes.length} scopes are tallied`;
  for (const { first, runs, tally } of scopesOf(task)) {
    const left = runs.filter(({ normal }) => !isPassed(normal)).length;
    if (tally?.left !== left) return `${left} steps are left from ${first}, not ${tally?.left}`;
  }
  if (contentBytes !== null && contentBytes !== contentSize(task)) {
    return `it holds ${contentSize(task)} bytes, and the tally has ${contentBytes}`;
  }
  for (let from = 0; from < task.runs.length; from += STRETCH) {
    const found = JSON.stringify(stretches[from / STRETCH]);
    const full = JSON.stringify(summed(task, task.runs.slice(from, from + STRETCH)));
    if (found !== full) return `steps from ${from} are ${full}, and the tally has ${found}`;
  }
  const count = Math.ceil(task.runs.length / STRETCH);
  return stretches.length === count ? null : `${stretches.length} stretches instead of ${count}`;
}

function summed(task: Task, runs: readonly StepRuns[]): TaskIndex['stretches'][number] {
  const plan = { ...task.plan, deadline: null };
  const rest = { outcome: null, resetAt: null, alert: null, index: null } as const;
  const alone = {
    plan,
    way: 'forward',
    hold: null,
    paused: null,
    runs,
    scopes: [],
    locks: [],
    failureTask: null,
    ...rest,
  } as const;
  const open = runs
    .flatMap(({ normal, rollback }) => (rollback === null ? [normal] : [normal, rollback]))
    .filter(isActive);
  return {
    wakeAt: wakeTime(alone) ?? Infinity,
    isOpen: open.length > 0,
    hasOutput: runs.some(({ normal }) => normal.output !== null),
    isMoving: open.some(({ lease, state }) => {
      return state === 'queued' || (state === 'running' && lease !== null);
    }),
    attempts: Math.max(0, ...open.filter(isTriedAgain).map(({ attempts }) => attempts)),
  };
}

function isTriedAgain({ attempts, code, look, message, state }: ActionRun): boolean {
  if (message === null || code === 0) return false;
  return attempts > 1 || (state === 'waiting' && look !== 'outside');
}

function settledFault(task: Task): string | null {
  for (const scope of scopesOf(task)) {
    const { tally } = scope;
    if (!tally?.settled) continue;
    const { flags, left } = tally.settled;
    const full = settledSteps(scope);
    const found = Array.from(flags, (flag) => flag === 1);
    const unsettled = full.filter((isSettled) => !isSettled).length;
    if (JSON.stringify(found) === JSON.stringify(full) && left === unsettled) continue;
    return `${listed(full)} are settled, and the tally has ${listed(found)} and ${left} left`;
  }
  return null;
}

/** For each step whether nothing of it, nor of what needs it, is still to be undone. */
function settledSteps({ kept, runs, steps, to }: ScopeRuns): readonly boolean[] {
  const known = new Map<number, boolean>();
  const isSettled = (step: number): boolean => {
    // A step that a reset leaves alone has nothing to undo.
    if (step === kept || !isPart(steps, to, step)) return true;
    const found = known.get(step) ?? (isUndone(runs[step]!) && follow(step));
    known.set(step, found);
    return found;
  };
  const follow = (step: number): boolean => dependentsOf(steps, step).every(isSettled);
  return runs.map((_, step) => isSettled(step));
}

function dependentsOf(steps: readonly StepPlan[], step: number): readonly number[] {
  return steps.flatMap(({ needs }, index) => (needs.includes(step) ? [index] : []));
}

/** Whether a step goes back when the task does so down to another one; null: all of them do. */
function isPart(steps: Task['plan']['steps'], to: number | null, step: number): boolean {
  if (to === null || to === step) return true;
  return steps[step]!.needs.some((need) => isPart(steps, to, need));
}

function isUndone({ normal, rollback }: StepRuns): boolean {
  if (isActive(normal)) return false;
  return rollback === null || !mayHaveEffect(normal) || isPassed(rollback);
}

function isPassed({ state }: StepRuns['normal']): boolean {
  return state === 'succeeded' || state === 'skipped';
}

function listed(flags: readonly boolean[]): string {
  return JSON.stringify(flags.flatMap((flag, step) => (flag ? [step] : [])));
}
