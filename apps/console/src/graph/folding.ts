import type { GraphStep } from './graph-model.js';

/** Ids of the steps and scopes of which the steps are drawn. */
export type Open = ReadonlySet<string>;

/** Up to this many steps, all are drawn unless a person folds them. */
export const UNFOLDED_MAX = 150;

/** The id of a scope in a drawing; it stays the same while scopes are added after it. */
export function scopeId({ id, scopes }: GraphStep, index: number): string {
  return `${id} scope ${scopes[index]?.place ?? index}`;
}

/** How many steps there are, those in steps included. */
export function countSteps(steps: readonly GraphStep[]): number {
  return steps.reduce((sum, step) => sum + 1 + countHeld(step), 0);
}

/** How many steps a step holds, at any depth. */
export function countHeld({ scopes }: GraphStep): number {
  return scopes.reduce((sum, scope) => sum + countSteps(scope.steps), 0);
}

/** All that can be folded: steps that hold others, and their scopes. */
export function foldable(steps: readonly GraphStep[]): readonly string[] {
  return steps.flatMap((step) => [
    ...(step.scopes.length > 0 ? [step.id] : []),
    ...step.scopes.flatMap((scope, index) => {
      return scope.count === undefined ? [scopeId(step, index), ...foldable(scope.steps)] : [];
    }),
  ]);
}

/** The folds that must be open to draw a step; empty: it is one of the outermost, or not there. */
export function holdersOf(steps: readonly GraphStep[], id: string): readonly string[] {
  for (const step of steps) {
    for (const [index, scope] of step.scopes.entries()) {
      const own = [step.id, scopeId(step, index)];
      if (scope.steps.some((inner) => inner.id === id)) return own;
      const inner = holdersOf(scope.steps, id);
      if (inner.length > 0) return [...own, ...inner];
    }
  }
  return [];
}

/** The folds that open with a step: itself and its scopes, of very many the last scope alone. */
export function openedWith(step: GraphStep): readonly string[] {
  const ids = step.scopes.map((_, index) => scopeId(step, index));
  const own = step.scopes.reduce((sum, scope) => sum + scope.steps.length, 0);
  return [step.id, ...(own <= UNFOLDED_MAX ? ids : ids.slice(-1))];
}

/** Equal for steps that are laid out alike; what is in a fold makes no difference. */
export function shapeOf(steps: readonly GraphStep[], open: Open): string {
  return JSON.stringify(steps.map((step) => shapeOfStep(step, open)));
}

function shapeOfStep(step: GraphStep, open: Open): readonly unknown[] {
  const { id, needs, scopes, undo } = step;
  if (!open.has(id)) return [id, needs];
  const inner = scopes.map(({ isBack, steps, title }, index) => {
    const isOpen = open.has(scopeId(step, index));
    return [title, isBack, isOpen && shapeOf(steps, open)];
  });
  return [id, needs, undo !== null, inner];
}
