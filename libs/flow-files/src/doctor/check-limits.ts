import { nearNameHint } from '../near-name-hint.js';
import type { Words } from '../problem.js';
import { clip } from '../read-json.js';
import type { Examination } from './examination.js';
import { type KnownFlows, ringFrom, startOf } from './flow-outline.js';
import { memberOf } from './list-view.js';
import { joinPointer } from '../json-pointer.js';
import { type FlowDefinition, planValues, type StepPlan } from '#core';
import { formatDuration } from '#wording';
import type { Origin } from '../build-steps.js';

/** From here on a bound for all tasks serves better: each start counts the tasks of the flow. */
const SENSIBLE_MAX = 10_000;

/** Warns of a bound on the live tasks of a flow that does not do what it seems to. */
export function checkMaxLive({ definition, lists, origins, pointer, warnings }: Examination): void {
  const { maxLive, name } = definition;
  if (maxLive === undefined) return;
  if (maxLive > SENSIBLE_MAX) {
    const message = `Each start of a task counts up to ${maxLive} tasks.`;
    const hint = `Lower it to ${SENSIBLE_MAX} or less, or set BACKSTEP_MAX_LIVE_TASKS instead.`;
    const at = joinPointer(pointer, 'maxLive');
    warnings.add({ pointer: at, code: 'MAX_LIVE_TOO_HIGH', message, hint });
  }
  for (const { steps } of lists) {
    for (const step of steps) {
      const start = startOf(step);
      if (start?.name !== name) continue;
      const message = `These child tasks are neither refused nor counted by \`maxLive\`.`;
      const hint = 'Bound them by `concurrency` of the step, or by a lock.';
      const at = memberOf(step, origins, ...start.path);
      warnings.add({ pointer: at, code: 'MAX_LIVE_PASSED_BY', message, hint });
    }
  }
}

/** Warns of steps that may take longer than what is around them leaves them. */
export function checkTime({ lists, origins, warnings }: Examination): void {
  for (const { limitMs, steps } of lists) {
    if (limitMs === Infinity) continue;
    for (const step of steps) {
      for (const { ms, path } of timesOf(step, origins.get(step)?.written)) {
        if (ms <= limitMs) continue;
        const message =
          `This is ${formatDuration(ms)}, but what is around the step ends after` +
          ` ${formatDuration(limitMs)}.`;
        const hint = 'Raise the `timeout` of the flow or group, or lower this one.';
        const pointer = memberOf(step, origins, ...path);
        warnings.add({ pointer, code: 'TIMEOUT_TOO_LONG', message, hint });
      }
    }
  }
}

/** The times that the author wrote for the way forward of a step, without defaults. */
function* timesOf(
  step: StepPlan,
  written: Origin['written'] | undefined,
): Generator<{ readonly ms: number; readonly path: readonly (string | number)[] }> {
  for (const name of ['timeout', 'attemptTimeout'] as const) {
    if (written?.normal?.[name] === undefined) continue;
    yield { ms: step.normal?.[`${name}Ms`] ?? 0, path: ['normal', name] };
  }
  for (const { member, path, value } of planValues(step)) {
    const isTime = member.type === 'duration' || member.type === 'computedDuration';
    if (isTime && typeof value === 'number') yield { ms: value, path };
  }
}

/** Refuses a flow that is its own failure flow, and warns of one that is not there or in a ring. */
export function checkFailureFlow(examination: Examination): void {
  const { definition, known, pointer, problems, warnings } = examination;
  const at = joinPointer(pointer, 'failureFlow');
  if (definition.failureFlow === definition.name) {
    const message = 'The flow is its own failure flow: its failure would start it again and again.';
    const hint = 'Name another flow, one that reports or cleans up.';
    problems.add({ pointer: at, code: 'OWN_FAILURE_FLOW', message, hint });
    return;
  }
  const words = failureFlowWarning(definition, known);
  if (words !== null) warnings.add({ pointer: at, ...words });
}

/** The warning to the author of a flow about its failure flow; null: none. */
export function failureFlowWarning(
  { failureFlow, name }: FlowDefinition,
  known: KnownFlows,
): Words | null {
  if (failureFlow === undefined) return null;
  if (known.isComplete && !known.outlines.has(failureFlow)) {
    const message = `There is no flow \`${clip(failureFlow)}\` so far.`;
    const hint = nearNameHint(failureFlow, [...known.outlines.keys()]);
    return { code: 'UNKNOWN_FAILURE_FLOW', message, hint };
  }
  // A child task that fails starts its own failure flow, before its parent fails.
  const ring = ringFrom(name, failureFlow, (flow) => {
    const { always = [], failureFlow: next = null } = known.outlines.get(flow) ?? {};
    return next === null ? always : [next, ...always];
  });
  if (ring === null) return null;
  const names = ring.map((each) => `\`${clip(each)}\``).join(' starts ');
  const message = `Where these flows fail, they start each other in a ring: ${names}.`;
  const hint = 'It ends when the tasks lie too deep: end it before.';
  return { code: 'FAILURE_FLOW_RING', message, hint };
}
