import {
  type ActionRun,
  type Direction,
  isActive,
  isCaught,
  mayHaveEffect,
  type Task,
} from '#core';
import { ancestorsOf } from '#core/flow';
import { scopeAt, stepAt, stepsIn, TASK } from '#core/scopes';

/** A scope with the places of its steps. */
interface Around {
  readonly steps: ReturnType<typeof stepsIn>;
  readonly first: number;
  /** The place in it that is, or that holds, what was asked about. */
  readonly place: number;
}

/** Whether an action is a command that a process takes; the core itself does every other one. */
export function isCommand(task: Task, direction: Direction, step: number): boolean {
  const plan = stepAt(task, step);
  const action = direction === 'normal' ? plan?.normal : plan?.rollback;
  // Once steps ran because of its failure, they are what it did.
  return action !== undefined && action !== null && !isCaught(task, step);
}

/** The scope in which a place lies, then the one around that, up to the task itself. */
function* scopesAround(task: Task, place: number): Iterable<Around> {
  for (let at = place; ;) {
    const scope = scopeAt(task, at);
    const first = task.scopes[scope]?.first ?? 0;
    yield { steps: stepsIn(task, scope), first, place: at };
    if (scope === TASK) return;
    at = task.scopes[scope]?.holder ?? 0;
  }
}

/** In what way a step that starts is too early, in its scope or around it; null: it is not. */
export function earlyStart(task: Task, step: number): string | null {
  for (const { first, place, steps } of scopesAround(task, step)) {
    const needs = steps[place - first]?.needs ?? [];
    if (!needs.every((need) => isPassed(task.runs[first + need]?.normal))) {
      return place === step ? 'before what it needs' : `before what step ${place} needs`;
    }
    const isOpen = place === step || task.runs[place]?.normal.state === 'running';
    if (!isOpen) return `while step ${place}, which holds it, is ${task.runs[place]?.normal.state}`;
  }
  return null;
}

/**
 * A step that is not undone although it followed this one, which is: something that needs it, or
 * that needs a step which holds it. Null: there is none.
 */
export function earlyUndo(task: Task, step: number): number | null {
  for (const { first, place, steps } of scopesAround(task, step)) {
    const later = steps.findIndex((_, index) => {
      return ancestorsOf(steps, index).includes(place - first) && !isUndone(task, first + index);
    });
    if (later >= 0) return first + later;
  }
  return null;
}

/** Whether nothing of a step is there any more, as the document has it. */
export function isUndone({ runs }: Task, step: number): boolean {
  const { normal, rollback } = runs[step] ?? {};
  if (normal === undefined || isActive(normal)) return false;
  if (rollback === null || rollback === undefined || !mayHaveEffect(normal)) return true;
  return isPassed(rollback);
}

function isPassed(run: ActionRun | undefined): boolean {
  return run?.state === 'succeeded' || run?.state === 'skipped';
}
