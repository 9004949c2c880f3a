import type { Examination } from './examination.js';
import { startOf } from './flow-outline.js';
import { memberOf } from './list-view.js';
import { joinPointer } from '../json-pointer.js';

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
