import { tallyAt } from './children.js';
import type { StepPlan } from '../flow/flow.js';
import { innerLists } from '../flow/plan-lists.js';
import { calledFlow } from '../task/plan-values.js';
import { isParentStep } from '../flow/step-kind.js';
import { type Placed, stepAt, stepsIn } from '../scopes/step-at.js';
import { hasExpression } from '../task/question.js';
import { scopesOf } from '../scopes/scope-index.js';

/** A flow that child tasks run; `version` null: the newest when the step is reached. */
interface ChildFlow {
  readonly name: string;
  readonly version: number | null;
}

/** Some steps with all steps that they hold, at any depth. */
export interface HeldSteps {
  readonly steps: readonly StepPlan[];
  /** Flows that their child tasks run; the steps of these are not among `steps`. */
  readonly flows: readonly ChildFlow[];
  /** Some steps, or flows of child tasks, are known only once a task is there. */
  readonly isOpen: boolean;
}

/** The steps of a list, and those that they hold, as their author wrote them. */
export function heldAsWritten(list: readonly StepPlan[]): HeldSteps {
  return joined(list.map((step) => heldBy(step, { flow: null, lists: [] })));
}

/** The step at a place, and those that it holds: also steps that were made while the task ran. */
export function heldAt(task: Placed, place: number): HeldSteps {
  const step = stepAt(task, place);
  if (step === undefined) return joined([]);
  const flow = isParentStep(step) ? (tallyAt(task, place)?.flow ?? null) : null;
  const scopes = step.dynamic === undefined ? [] : scopesOf(task, place);
  return heldBy(step, { flow, lists: scopes.map((scope) => stepsIn(task, scope)) });
}

/** The flow of the child tasks of a step, and the steps that it made, as its task knows them. */
interface Known {
  readonly flow: ChildFlow | null;
  readonly lists: readonly (readonly StepPlan[])[];
}

function heldBy(step: StepPlan, known: Known): HeldSteps {
  const called = calledFlow(step);
  const written = called === null || hasExpression(called.name) ? null : called;
  const flow = known.flow ?? written;
  const isUnmade = step.dynamic !== undefined && known.lists.length === 0;
  const own = {
    steps: [step],
    flows: flow === null ? [] : [flow],
    isOpen: isUnmade || (called !== null && flow === null),
  };
  return joined([own, ...[...innerLists(step), ...known.lists].map(heldAsWritten)]);
}

function joined(all: readonly HeldSteps[]): HeldSteps {
  return {
    steps: all.flatMap(({ steps }) => steps),
    flows: all.flatMap(({ flows }) => flows),
    isOpen: all.some(({ isOpen }) => isOpen),
  };
}
