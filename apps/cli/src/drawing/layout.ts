import type { StepView } from './task-view.js';

/** A step at its place in the drawing. */
export interface PlacedStep {
  readonly step: StepView;
  /** Joins the steps that run side by side. */
  readonly bracket: ' ' | '┌' | '├' | '└';
  /** Names of the steps it waits for, where these are not simply all steps above it. */
  readonly after: readonly string[];
}

/** The steps in the order in which they can run; those of one rank stand side by side. */
export function layOut(steps: readonly StepView[]): readonly PlacedStep[] {
  const ranks = ranksOf(steps);
  const rows = Math.max(-1, ...ranks.values()) + 1;
  return Array.from({ length: rows }, (_, rank) => {
    const members = steps.filter(({ name }) => ranks.get(name) === rank);
    const above = steps.filter(({ name }) => ranks.get(name) === rank - 1);
    return members.map((step, index) => ({
      step,
      bracket: bracketOf(index, members.length),
      after: isPlain(step, above) ? [] : step.needs,
    }));
  }).flat();
}

function ranksOf(steps: readonly StepView[]): ReadonlyMap<string, number> {
  const byName = new Map(steps.map((step) => [step.name, step]));
  const ranks = new Map<string, number>();
  const rankOf = (name: string): number => {
    const known = ranks.get(name);
    if (known !== undefined) return known;
    // Steps that need each other are no flow; whatever came here is drawn all the same.
    ranks.set(name, 0);
    const needs = byName.get(name)?.needs ?? [];
    const rank = Math.max(-1, ...needs.map(rankOf)) + 1;
    ranks.set(name, rank);
    return rank;
  };
  for (const { name } of steps) rankOf(name);
  return ranks;
}

function isPlain({ needs }: StepView, above: readonly StepView[]): boolean {
  return needs.length === above.length && above.every(({ name }) => needs.includes(name));
}

function bracketOf(index: number, count: number): PlacedStep['bracket'] {
  if (count === 1) return ' ';
  if (index === 0) return '┌';
  return index === count - 1 ? '└' : '├';
}
