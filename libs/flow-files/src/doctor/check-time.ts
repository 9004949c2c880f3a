import { planValues, type StepPlan } from '#core';
import { formatDuration } from '#wording';
import type { Origin } from '../build-steps.js';
import type { Examination } from './examination.js';
import { memberOf } from './list-view.js';

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

/** The times that somebody wrote for the way forward of a step; defaults are nobody's. */
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
