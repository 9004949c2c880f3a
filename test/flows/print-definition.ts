import type { Action, FlowDefinition, RetryPolicy, StepPlan } from '#core';
import { formatDuration } from '#wording';

/** A definition the way its author would write it. */
export function printDefinition(flow: FlowDefinition): string {
  const { constants, description, input, output, timeoutMs } = flow;
  const written = {
    ...(description !== null && { description }),
    ...(input !== null && { input }),
    ...(timeoutMs !== null && { timeout: formatDuration(timeoutMs) }),
    ...(constants !== undefined && { constants }),
    ...(output !== undefined && { output }),
    steps: printSteps(flow.steps),
  };
  return JSON.stringify({ [flow.name]: written });
}

function printSteps(steps: readonly StepPlan[]): unknown {
  return steps.map((step) => ({
    name: step.name,
    needs: step.needs.map((position) => steps[position]?.name),
    ...(step.if !== undefined && { if: step.if }),
    ...(step.optional && { optional: true }),
    ...(step.pivot && { pivot: true }),
    ...(step.catch && { catch: step.catch.map(printClause) }),
    ...printContent(step),
    ...(step.rollback !== undefined && { rollback: step.rollback && printAction(step.rollback) }),
  }));
}

function printClause({ as, errors, steps }: NonNullable<StepPlan['catch']>[number]): unknown {
  return { errors, ...(as !== null && { as }), steps: printSteps(steps) };
}

function printContent(step: StepPlan): object {
  if (step.normal !== undefined) {
    const { expiresAfterMs, priority } = step;
    const expiry =
      expiresAfterMs === undefined ? {} : { expiresAfter: formatDuration(expiresAfterMs) };
    const headStart = priority === undefined ? {} : { priority };
    return { normal: printAction(step.normal), ...expiry, ...headStart };
  }
  if (step.group !== undefined) return printGroup(step);
  if (step.choice !== undefined) {
    const { choice, otherwise } = step;
    const cases = choice.map(({ steps, ...rest }) => ({ ...rest, steps: printSteps(steps) }));
    return { choice: cases, ...(otherwise && { otherwise: printSteps(otherwise) }) };
  }
  if (step.parallel !== undefined) {
    const branches = step.parallel.map(({ name, steps }) => [name, printSteps(steps)] as const);
    return { parallel: Object.fromEntries(branches), onBranchFailure: step.onBranchFailure };
  }
  if (step.loop !== undefined) return { loop: printLoop(step.loop) };
  if (step.set !== undefined) return { set: step.set };
  if (step.wait !== undefined) return { wait: printWait(step.wait) };
  if (step.approve !== undefined) {
    const { onTimeout, roles, timeoutMs, title } = step.approve;
    return { approve: { title, roles, onTimeout, ...printTimeout(timeoutMs) } };
  }
  return step.succeed === undefined ? { fail: step.fail } : { succeed: step.succeed };
}

function printGroup(step: Extract<StepPlan, { readonly group: readonly StepPlan[] }>): object {
  const { group, retry, timeoutMs } = step;
  return {
    group: printSteps(group),
    retry: 'forEach' in retry ? retry : printRetry(retry),
    ...printTimeout(timeoutMs),
  };
}

function printLoop({ delay, steps, ...rest }: NonNullable<StepPlan['loop']>): object {
  const { max, until, while: again } = rest;
  return {
    steps: printSteps(steps),
    max,
    ...(until === null ? { while: again } : { until }),
    ...(delay !== null && { delay: printDuration(delay) }),
  };
}

function printWait(wait: NonNullable<StepPlan['wait']>): object {
  if ('for' in wait) return { for: printDuration(wait.for) };
  if ('until' in wait) {
    return { until: typeof wait.until === 'number' ? wait.until / 1_000 : wait.until };
  }
  const { onTimeout, signal, timeoutMs } = wait;
  return { signal, onTimeout, ...printTimeout(timeoutMs) };
}

function printTimeout(timeoutMs: number | null): object {
  return timeoutMs === null ? {} : { timeout: formatDuration(timeoutMs) };
}

function printDuration(duration: number | string): string {
  return typeof duration === 'number' ? formatDuration(duration) : duration;
}

function printAction({ module, command, ...rest }: Action): unknown {
  const { timeoutMs, attemptTimeoutMs, retry, onCrash, parameters } = rest;
  return {
    module,
    command,
    timeout: timeoutMs / 1_000,
    ...(attemptTimeoutMs !== null && { attemptTimeout: formatDuration(attemptTimeoutMs) }),
    retry: printRetry(retry),
    onCrash,
    ...(parameters !== null && { parameters }),
  };
}

function printRetry({ attempts, backoff, delayMs, maxDelayMs, jitter, ...errors }: RetryPolicy) {
  if (backoff === 'none') return attempts - 1;
  const maxDelay = maxDelayMs === null ? null : formatDuration(maxDelayMs);
  return { attempts, backoff, delay: formatDuration(delayMs), maxDelay, jitter, ...errors };
}
