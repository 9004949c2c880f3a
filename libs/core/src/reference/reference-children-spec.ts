import type { StepPlan } from '../flow/flow.js';
import type { JsonObject } from '../json/json.js';
import { childOf } from './program-spec.js';
import type { Child, Done, End, Of, Outcome, Parent } from './reference-terms-spec.js';

/** The child tasks that a step begins. */
interface Children {
  readonly count: number;
  readonly successPercent: number;
  readonly steps: readonly StepPlan[];
  /** The parameters that their conditions look at. */
  readonly given: JsonObject;
  /** The error of the step where too few succeed. */
  readonly code: 'CHILDREN_FAILED' | 'CHILD_FAILED';
}

/** A step, and the list to which what undoes it is added. */
interface Held<S> {
  readonly step: S;
  readonly done: Done;
}

/** A child task for each item. Steps that stand there see what their place sees. */
export function runEach(parent: Parent, id: string, held: Held<Of<'foreach'>>): End {
  const { in: items, parameters, steps, successPercent } = held.step.foreach;
  const { called = [] } = parent.program;
  return runChildren(parent, id, {
    ...held,
    children: {
      count: (items as readonly unknown[]).length,
      successPercent,
      steps: steps ?? called,
      given: steps === null ? ((parameters ?? {}) as JsonObject) : parent.given,
      code: 'CHILDREN_FAILED',
    },
  });
}

/** One child task, which inherits nothing. */
export function runOne(parent: Parent, id: string, held: Held<Of<'flow'>>): End {
  const given = (held.step.flow.parameters ?? {}) as JsonObject;
  const { called: steps = [] } = parent.program;
  const terms = { count: 1, successPercent: 100, code: 'CHILD_FAILED' } as const;
  return runChildren(parent, id, { ...held, children: { ...terms, steps, given } });
}

/**
 * One child task after the other, whatever became of those before. Each has undone itself where it
 * failed; where too few succeed, those that did are undone.
 */
function runChildren(
  parent: Parent,
  id: string,
  { children, done, step }: Held<StepPlan> & { readonly children: Children },
): End {
  const { code, count, given, steps, successPercent } = children;
  const ended: Outcome[] = [];
  const standing: Child[] = [];
  const undo = () => undoChildren(standing);
  done.push(undo);
  for (let index = 0; index < count; index += 1) {
    const run = `${id}#1/${index}`;
    const name = `${parent.name}${run} `;
    const child = parent.bear({ program: childOf(parent.program, run), steps, given, name });
    const outcome = child.run();
    ended.push(outcome);
    if (outcome === 'succeeded') standing.push(child);
    parent.stopIfTurned();
  }
  const needed = Math.min(100, Math.max(0, successPercent));
  if (standing.length * 100 >= count * needed) {
    parent.note(`${id} gave ${ended.join(', ')}`);
    return null;
  }
  if (code === 'CHILDREN_FAILED') parent.holdFailed(step, id, code);
  undo();
  return code;
}

/** The last first. One that passed a point of no return is not undone, and a person ends it. */
function undoChildren(standing: Child[]): void {
  for (let child = standing.pop(); child !== undefined; child = standing.pop()) {
    if (child.isBarred) child.note('terminated');
    else child.goBack();
  }
}
