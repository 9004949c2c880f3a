import type { Examination } from './examination.js';
import { startOf } from './flow-outline.js';
import { memberOf } from './list-view.js';
import { joinPointer } from '../json-pointer.js';
import { planValues, type StepPlan } from '#core';
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
  if (step.normal !== undefined && written?.normal?.timeout !== undefined) {
    yield { ms: step.normal.timeoutMs, path: ['normal', 'timeout'] };
  }
  for (const { member, path, value } of planValues(step)) {
    const isTime = member.type === 'duration' || member.type === 'computedDuration';
    if (isTime && typeof value === 'number') yield { ms: value, path };
  }
}
