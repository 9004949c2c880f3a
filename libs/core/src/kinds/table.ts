import type { KindName } from '#kinds';
import type { StepPlan } from '../flow/flow.js';
import { kindOf } from '../flow/step-kind.js';
import { approve } from './approve.js';
import { choice } from './choice.js';
import { dynamic } from './dynamic.js';
import { fail } from './fail.js';
import { flow } from './flow.js';
import { foreach } from './foreach.js';
import { group } from './group.js';
import type { StepKind } from './kind.js';
import { loop } from './loop.js';
import { normal } from './normal.js';
import { parallel } from './parallel.js';
import { set } from './set.js';
import { succeed } from './succeed.js';
import { wait } from './wait.js';

/** The rules for each declared kind of step. */
const KINDS: Readonly<Record<KindName, StepKind>> = Object.freeze({
  normal,
  group,
  choice,
  parallel,
  loop,
  set,
  wait,
  approve,
  succeed,
  fail,
  foreach,
  flow,
  dynamic,
});

/** The rules by which the core handles a step. Throws for a kind that this build does not know. */
export function rulesOf(step: StepPlan): StepKind {
  return KINDS[kindOf(step)];
}
