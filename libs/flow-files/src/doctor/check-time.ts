import type { StepPlan } from '#core';
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
): Generator<{ readonly ms: number; readonly path: readonly string[] }> {
  if (step.normal !== undefined && written?.normal?.timeout !== undefined) {
    yield { ms: step.normal.timeoutMs, path: ['normal', 'timeout'] };
  }
  if (step.group !== undefined) yield { ms: step.timeoutMs ?? 0, path: ['timeout'] };
  if (step.approve !== undefined) {
    yield { ms: step.approve.timeoutMs ?? 0, path: ['approve', 'timeout'] };
  }
  const { loop, wait } = step;
  if (typeof loop?.delay === 'number') yield { ms: loop.delay, path: ['loop', 'delay'] };
  if (wait === undefined) return;
  if ('signal' in wait) yield { ms: wait.timeoutMs ?? 0, path: ['wait', 'timeout'] };
  else if ('for' in wait && typeof wait.for === 'number') {
    yield { ms: wait.for, path: ['wait', 'for'] };
  }
}
