import { advance } from './advance.js';
import { invariant } from '../assert.js';
import type { Change } from '../change/change.js';
import type { FlowDefinition, StepPlan } from '../flow/flow.js';
import { ancestorsOf } from '../flow/graph.js';
import { TASK } from '../scopes/step-at.js';
import { normalOf, runAt } from '../moves/scope-change.js';
import type { OnlyStep } from '../task/task.js';

/** The steps of a task that runs one step by itself: all those before it, and then that one. */
type StepsUpTo = readonly [...before: StepPlan[], only: StepPlan];

// Tasks that run the same step of one flow version share the object that their steps are.
const known = new WeakMap<StepPlan, StepsUpTo>();

/**
 * The steps of a task that runs one of a flow's own steps by itself; the same object each time.
 * Null: the flow has no such step.
 */
export function stepsUpTo(
  { steps }: Pick<FlowDefinition, 'steps'>,
  name: string,
): StepsUpTo | null {
  const place = steps.findIndex((step) => step.name === name);
  const only = steps[place];
  if (only === undefined) return null;
  let found = known.get(only);
  if (found === undefined) {
    const before = ancestorsOf(steps, place);
    const kept = (step: StepPlan): StepPlan => {
      return { ...step, needs: step.needs.map((need) => before.indexOf(need)) };
    };
    found = [...before.map((at) => kept(steps[at] as StepPlan)), kept(only)];
    known.set(only, Object.freeze(found));
  }
  return found;
}

/**
 * Starts the only step of a new task. The steps before it count as done, with the outputs that are
 * given for them: they have done nothing, so that nothing of them is undone.
 */
export function beginOnly(change: Change, { given, step: name }: OnlyStep): void {
  const { steps } = change.plan;
  invariant(steps.at(-1)?.name === name, `${name} is not the only step`);
  for (let place = 0; place < steps.length - 1; place += 1) {
    const ref = normalOf(place);
    const before = steps[place]?.name ?? '';
    const output = Object.hasOwn(given, before) ? given[before] : undefined;
    change.end(ref, runAt(change, ref), 'skipped').output = output ?? null;
    change.noteRun('passed_over', ref, { message: `the task runs only ${name}` });
  }
  change.tally.plan(TASK, 'again');
  advance(change);
}
