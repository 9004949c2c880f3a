import { isHeldBack } from '../scopes/waiting-branches.js';
import { type ChildRound, isUnchosen, numbersIn, replacedIn, roundsDone } from './child-rounds.js';
import type { JsonValue } from '../json/json.js';
import type { ChildRef } from '../task/parent.js';
import { isOpen, type Placed, stepAt } from '../scopes/step-at.js';
import { labelOf, runIdOf } from '../scopes/run-id.js';
import type { Scope } from '../task/scope.js';
import { type Indexed, scopeIndexOf } from '../scopes/scope-index.js';
import { startsActions } from '../task/status.js';
import type { Task } from '../task/task.js';
import { type ChildTally, isChildTally } from '../task/child-tally.js';

/** Child tasks that the engine must look after now. */
export interface ChildrenPlan extends ChildRound {
  /** Place of the step that they are of. */
  readonly holder: number;
  readonly scope: number;
  /** `end`: their parent was terminated, and so are they. */
  readonly way: 'forward' | 'back' | 'end';
  readonly tally: ChildTally;
  /** At a time. */
  readonly concurrency: number;
  /** All items of the step, those included that are not begun again. */
  readonly items: readonly JsonValue[];
  /** The rounds before, of which the child tasks that succeeded still count, in their order. */
  readonly earlier: readonly ChildRound[];
  /** They are for the items that failed before, and nobody has said which these are. */
  readonly isUnchosen: boolean;
  /** The child task to undo before the only one of them is started in its place; null: none. */
  readonly replaces: ChildRef | null;
}

/** The parts of a task that say how its child tasks stand. */
type Holding = Placed & Pick<Task, 'outcome' | 'hold' | 'paused' | 'locks'>;

/** The child tasks of a task that the engine must look after now, of one step after the other. */
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
      holder,
      scope,
      way: task.outcome === null ? way : 'end',
      tally,
      concurrency: stepAt(task, holder)?.foreach?.concurrency ?? 1,
      items: itemsOf(task, below),
      earlier: roundsDone(task, holder).map((round) => roundOf(task, round)),
      isUnchosen: isUnchosen(below),
      replaces: replacedIn(below),
      ...roundOf(task, below),
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
export function tallyAt({ runs }: Pick<Task, 'runs'>, place: number): ChildTally | null {
  const values = runs[place]?.normal.values ?? null;
  return values !== null && isChildTally(values) ? values : null;
}

/** The name of the child tasks that a step has in one of its goings. */
export function childrenRunOf(task: Placed, scope: Scope): string {
  return `${runIdOf(task, scope.holder)}#${labelOf(task, scope)}`;
}

/** The names, by which they are found, of the child tasks that steps of a task have or had. */
export function childRunsOf(task: Placed): readonly string[] {
  const scopes = task.scopes.filter(({ kind, round }) => kind === 'children' && round > 0);
  return scopes.map((scope) => childrenRunOf(task, scope));
}

/** The scopes of child tasks that are not all done with, in the order in which they began. */
export function openChildren(task: Indexed): readonly Scope[] {
  const { scopes } = task;
  if (scopes.length === 0) return scopes;
  return scopeIndexOf(task).children.map((scope) => scopes[scope] as Scope);
}
