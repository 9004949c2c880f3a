import { isHeldBack } from '../scopes/waiting-branches.js';
import type { Change } from '../change/change.js';
import { type ChildRound, isUnchosen, numbersIn, replacedIn, roundsDone } from './child-rounds.js';
import type { ActionRef } from '../task/event.js';
import type { JsonValue } from '../json/json.js';
import type { ChildCounts, ChildrenAnew, ChildRef } from '../task/parent.js';
import { stepAt } from '../scopes/step-at.js';
import { lookAgainAt } from '../task/retry-delay.js';
import { labelOf, runIdOf } from '../scopes/run-id.js';
import type { Scope } from '../task/scope.js';
import { isOpen } from '../moves/scope-change.js';
import { scopeIndexOf } from '../scopes/scope-index.js';
import { startsActions } from '../task/status.js';
import type { StepRuns, Task } from '../task/task.js';

/**
 * The tally that a step keeps of its child tasks, in the values of its run. It holds counts only,
 * so its size does not depend on how many child tasks there are. The items stand in the values of
 * their scope, which no commit writes again.
 */
export interface ChildTally extends Omit<ChildCounts, 'found'> {
  /** How many there are to be. */
  readonly total: number;
  /** How many may have been stored: those of the lowest indexes. */
  readonly started: number;
  /** Of a flow that they run: its name, and its version once that is known; null: steps. */
  readonly flow: { readonly name: string; readonly version: number | null } | null;
  /**
   * The rounds before, of which the other numbers say nothing, in their order; absent: this is the
   * first.
   */
  readonly earlier?: readonly RoundCounts[];
  /** Which child tasks are begun anew once the step is entered; absent: it is under way. */
  readonly anew?: ChildrenAnew;
}

/** How the child tasks of a round stood when it was over. */
export interface RoundCounts {
  readonly total: number;
  readonly succeeded: number;
  readonly failed: number;
}

/** Child tasks that somebody must look after now. */
export interface ChildrenPlan extends ChildRound {
  /** Place of the step that they are of. */
  readonly holder: number;
  readonly scope: number;
  /** `end`: their parent was terminated, and so are they. */
  readonly way: 'forward' | 'back' | 'end';
  readonly tally: ChildTally;
  /** At a time. */
  readonly concurrency: number;
  /** All items of the step, those included that are not begun anew. */
  readonly items: readonly JsonValue[];
  /** The rounds before, of which the child tasks that succeeded still count, in their order. */
  readonly earlier: readonly ChildRound[];
  /** They are for the items that failed before, and nobody has said which these are. */
  readonly isUnchosen: boolean;
  /** The child task to undo before the only one of them is started in its place; null: none. */
  readonly replaces: ChildRef | null;
}

/** The parts of a task that say how its child tasks stand. */
type Holding = Pick<Task, 'plan' | 'runs' | 'scopes' | 'outcome' | 'hold' | 'paused' | 'locks'>;

/** The child tasks of a task that somebody must look after now, of one step after the other. */
export function childrenToTend(task: Holding): readonly ChildrenPlan[] {
  if (task.scopes.length === 0) return NONE;
  if (task.outcome !== 'terminated' && !startsActions(task)) return NONE;
  return scopeIndexOf(task).children.flatMap((scope) => {
    const isDue = task.outcome !== null || (isOpen(task, scope) && !isHeldBack(task, scope));
    return isDue ? planOf(task, scope) : NONE;
  });
}

const NONE: readonly ChildrenPlan[] = Object.freeze([]);

function planOf(task: Holding, scope: number): readonly ChildrenPlan[] {
  const below = task.scopes[scope] as Scope;
  const { holder, way } = below;
  const tally = tallyAt(task, holder);
  if (tally === null) return NONE;
  return [
    {
      ...roundOf(task, below),
      holder,
      scope,
      way: task.outcome === null ? way : 'end',
      tally,
      concurrency: stepAt(task, holder)?.foreach?.concurrency ?? 1,
      items: itemsOf(task, below),
      earlier: roundsDone(task, holder).map((round) => roundOf(task, round)),
      isUnchosen: isUnchosen(below),
      replaces: replacedIn(below),
    },
  ];
}

function roundOf(task: Holding, scope: Scope): ChildRound {
  return { run: childrenRunOf(task, scope), numbers: numbersIn(scope) };
}

/** They stand in the first round that still counts. */
function itemsOf(task: Holding, scope: Scope): readonly JsonValue[] {
  const { values } = roundsDone(task, scope.holder)[0] ?? scope;
  return (values?.['items'] ?? []) as readonly JsonValue[];
}

/** The tally of child tasks of the step at a place; null: it has none. */
export function tallyAt({ runs }: { readonly runs: readonly StepRuns[] }, place: number) {
  return (runs[place]?.normal.values ?? null) as unknown as ChildTally | null;
}

/** The name of the child tasks that a step has in one of its goings. */
export function childrenRunOf(task: Pick<Task, 'plan' | 'runs' | 'scopes'>, scope: Scope): string {
  return `${runIdOf(task, scope.holder)}#${labelOf(task, scope)}`;
}

/** The names, by which they are found, of the child tasks that steps of a task have or had. */
export function childRunsOf(task: Pick<Task, 'plan' | 'runs' | 'scopes'>): readonly string[] {
  const scopes = task.scopes.filter(({ kind, round }) => kind === 'children' && round > 0);
  return scopes.map((scope) => childrenRunOf(task, scope));
}

/** The scopes of child tasks that are not all done with, in the order in which they began. */
export function openChildren({ scopes }: Pick<Task, 'scopes'>): readonly Scope[] {
  if (scopes.length === 0) return scopes;
  return scopeIndexOf({ scopes }).children.map((scope) => scopes[scope] as Scope);
}

/** Has somebody look after child tasks, now and, should that be lost, after a while. */
export function tendChildren(change: Change, { holder, way }: Scope): void {
  const isEnd = change.outcome !== null;
  const direction = way === 'forward' || isEnd ? 'normal' : 'rollback';
  putLook(change, { direction, step: holder }, 1);
  change.asked.push({ direction, step: holder });
}

/** Notes when child tasks are looked at again; with `looks`, after how many without any news. */
export function putLook(change: Change, ref: ActionRef, looks: number): void {
  const run = change.run(ref);
  if (run === null) return;
  change.putRun(ref, { ...run, dispatches: looks, dueAt: lookAgainAt(change, looks) });
}

/** Child tasks were not heard of for a while: somebody looks. False: the step has none. */
export function lookAgain(change: Change, ref: ActionRef): boolean {
  const below = openChildren(change).find(({ holder }) => holder === ref.step);
  const run = change.run(ref);
  if (below === undefined || run === null || run.lease !== null) return false;
  if (change.outcome === null && run.state !== 'running') return false;
  putLook(change, ref, run.dispatches + 1);
  change.asked.push({ direction: ref.direction, step: ref.step });
  return true;
}
