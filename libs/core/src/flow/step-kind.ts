import { KIND_NAMES, type KindDeclaration, type KindName, KINDS, makingMember } from '#kinds';
import type { StepPlan } from './flow.js';

/** The kind of a step. Throws for one that this build does not know: it is never taken for done. */
export function kindOf(step: StepPlan): KindName {
  for (const kind of KIND_NAMES) if (step[kind] !== undefined) return kind;
  const unknown = makingMember(step as unknown as Readonly<Record<string, unknown>>);
  throw new Error(`a step is of the unknown kind ${unknown ?? 'none'}`);
}

/** The declaration of a step's kind. Throws for a kind that this build does not know. */
export function declarationOf(step: StepPlan): KindDeclaration {
  return KINDS[kindOf(step)];
}

/** Whether child tasks do the work of a step; where there is no step, none do. */
export function isParentStep(step: StepPlan | undefined): boolean {
  return step !== undefined && declarationOf(step).work === 'children';
}
