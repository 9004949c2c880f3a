import type { Change } from '../change/change.js';
import type { FailureName } from '../task/failure.js';
import type { StepPlan } from '../flow/flow.js';
import type { JsonValue } from '../json/json.js';
import { refusalOfSteps } from '../flow/start-limits.js';
import { innerLists } from '../flow/plan-lists.js';
import { scopeAt, scopeBelow } from '../scopes/step-at.js';
import { failStep } from '../moves/recover.js';
import { beginScope, nameAt, scopeIn } from '../moves/scope-change.js';
import { failsForRoom, holderKind, startHolder, succeedHolder } from './holder.js';
import type { StepKind } from './kind.js';

/** Most lists of steps that lie in each other below that of the flow. */
export const NESTING_MAX = 16;

/**
 * A scope whose steps are data. They are checked before the answer comes, and stand in the scope
 * from then on, so that whoever goes on with the task has the same.
 */
export const dynamic: StepKind = holderKind({
  start(change, place, { steps = [] }) {
    if (isTooDeep(change, place, steps)) return fail(change, place, TOO_DEEP);
    const refusal = refusalOfSteps(change.plan.limits, steps as unknown as readonly StepPlan[]);
    if (refusal !== null) return fail(change, place, { code: 'NOT_ALLOWED', message: refusal });
    const isNone = Array.isArray(steps) && steps.length === 0;
    const beginning = { kind: 'dynamic', values: { steps } } as const;
    if (!isNone && failsForRoom(change, place, [beginning])) return;
    startHolder(change, place);
    if (isNone) succeedHolder(change, place);
    else beginScope(change, place, beginning);
  },
  done: (change, scope) => succeedHolder(change, scopeIn(change, scope).holder),
});

function isTooDeep(change: Change, place: number, steps: JsonValue): boolean {
  const depth = depthOf(steps as unknown as readonly StepPlan[]);
  return depthAround(change, place) + depth > NESTING_MAX;
}

/** In how many lists below that of the flow a place lies. */
function depthAround(change: Change, place: number): number {
  const below = scopeBelow(change, scopeAt(change, place));
  return below === null ? 0 : 1 + depthAround(change, below.holder);
}

/** How deep the lists of steps lie in each other, this one included. */
function depthOf(steps: readonly StepPlan[]): number {
  const inner = steps.flatMap((step) => innerLists(step).map(depthOf));
  return 1 + Math.max(0, ...inner);
}

/** Why the steps that were made do not begin. */
interface StepFault {
  readonly code: FailureName;
  readonly message: string;
}

const TOO_DEEP: StepFault = {
  code: 'INVALID_STEPS',
  message: `the steps are nested too deeply: at most ${NESTING_MAX} levels of lists`,
};

function fail(change: Change, place: number, { code, message }: StepFault): void {
  const cause = { code, step: nameAt(change, place), message };
  failStep(change, place, { cause, message, isLate: false });
}
