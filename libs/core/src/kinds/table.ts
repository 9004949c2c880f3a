import type { StepPlan } from '../flow.js';
import { group } from './group.js';
import { kindOf, type KindName, type StepKind } from './kind.js';
import { normal } from './normal.js';

/** Every kind of step. A new one is a file here and a line. */
const KINDS: Readonly<Record<KindName, StepKind>> = Object.freeze({ normal, group });

/** What the core does about a step. Throws for a kind that this build does not know. */
export function rulesOf(step: StepPlan): StepKind {
  return KINDS[kindOf(step)];
}
