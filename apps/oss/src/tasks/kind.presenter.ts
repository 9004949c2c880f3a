import { type JsonObject, type JsonValue, publicRetry, type StepPlan, type Wait } from '#core';
import { presentAction } from './action.presenter.js';

/** How the steps of an inner list are shown; in a task they stand in its scopes, so not here. */
type PresentList = (steps: readonly StepPlan[]) => readonly object[];

/** The members that a step of any kind may have, as people wrote them. */
export function commonMembers(step: StepPlan, present: PresentList | null): object {
  const clauses = step.catch?.map(({ as, errors, steps }) => ({
    errors,
    ...(as !== null && { as }),
    ...(present !== null && { steps: present(steps) }),
  }));
  return {
    ...(step.if !== undefined && { if: step.if }),
    ...(step.optional === true && { optional: true }),
    ...(step.pivot === true && { pivot: true }),
    ...(clauses !== undefined && { catch: clauses }),
    ...(step.locks !== undefined && { locks: step.locks }),
  };
}

/** The members that make a step, a rollback aside, as people wrote them; times in seconds. */
export function kindMembers(step: StepPlan, present: PresentList | null): object {
  if (step.normal !== undefined) return { normal: presentAction(step.normal) };
  return holderMembers(step, present) ?? leafMembers(step);
}

function holderMembers(step: StepPlan, present: PresentList | null): object | null {
  const list = (member: string, steps: readonly StepPlan[]): object => {
    return present === null ? {} : { [member]: present(steps) };
  };
  if (step.group !== undefined) {
    const { forEach, group, retry, timeoutMs } = step;
    const policy =
      forEach === undefined ? publicRetry(retry) : { forEach: forEach.in, as: forEach.as };
    return { ...list('group', group), retry: policy, timeout: seconds(timeoutMs) };
  }
  if (step.choice !== undefined) {
    const choice = step.choice.map(({ name, steps, when }) => {
      return { name, when, ...list('steps', steps) };
    });
    return { choice, ...(step.otherwise !== null && list('otherwise', step.otherwise)) };
  }
  if (step.parallel !== undefined) {
    const branches = step.parallel.map(({ name, steps }) => [name, present?.(steps) ?? []]);
    return { parallel: Object.fromEntries(branches), onBranchFailure: step.onBranchFailure };
  }
  if (step.foreach !== undefined) return { foreach: foreachMembers(step.foreach, list) };
  if (step.loop === undefined) return null;
  const { delay, max, steps, until, while: again } = step.loop;
  const condition = until === null ? { while: again } : { until };
  const wait = delay === null ? {} : { delay: duration(delay) };
  return { loop: { ...list('steps', steps), ...condition, max, ...wait } };
}

function foreachMembers(
  each: NonNullable<StepPlan['foreach']>,
  list: (member: string, steps: readonly StepPlan[]) => object,
): object {
  const { as, concurrency, flow, in: items, parameters, steps, successPercent } = each;
  return {
    in: items,
    as,
    concurrency,
    successPercent,
    ...(steps !== null && list('steps', steps)),
    ...(flow !== null && { flow }),
    ...(parameters !== null && { parameters }),
  };
}

function leafMembers(step: StepPlan): JsonObject {
  if (step.set !== undefined) return { set: step.set };
  if (step.flow !== undefined) {
    const { name, parameters, version } = step.flow;
    const rest = {
      ...(version !== null && { version }),
      ...(parameters !== null && { parameters }),
    };
    return { flow: { name, ...rest } };
  }
  if (step.dynamic !== undefined) return { dynamic: { steps: step.dynamic.steps } };
  if (step.wait !== undefined) return { wait: waitMembers(step.wait) };
  if (step.fail !== undefined) return { fail: { ...step.fail } };
  if (step.succeed !== undefined) {
    const { output } = step.succeed;
    return { succeed: output === null ? true : { output } };
  }
  const {
    notBy,
    onTimeout = 'fail',
    roles = [],
    timeoutMs = null,
    title = '',
  } = step.approve ?? {};
  const asked = { title, roles, ...(notBy !== undefined && { notBy }) };
  return { approve: { ...asked, timeout: seconds(timeoutMs), onTimeout } };
}

function waitMembers(wait: Wait): JsonObject {
  if ('for' in wait) return { for: duration(wait.for) };
  if ('until' in wait) return { until: duration(wait.until) };
  const { onTimeout, signal, timeoutMs } = wait;
  return { signal, timeout: seconds(timeoutMs), onTimeout };
}

/** Milliseconds as seconds; an expression as it is. */
function duration(value: number | string): JsonValue {
  return typeof value === 'number' ? value / 1_000 : value;
}

function seconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1_000;
}
