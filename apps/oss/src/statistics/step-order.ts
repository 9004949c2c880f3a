import type { StepPlan } from '#core';
import { innerLists } from '#core/flow';

/** The places of all steps of a flow in its file, by the names around each and its own. */
export function stepOrder(steps: readonly StepPlan[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  addSteps(steps, '', places);
  return places;
}

function addSteps(steps: readonly StepPlan[], around: string, places: Map<string, number>): void {
  for (const step of steps) {
    const path = `${around}${step.name}`;
    if (!places.has(path)) places.set(path, places.size);
    for (const inner of innerLists(step)) addSteps(inner, `${path}/`, places);
  }
}
