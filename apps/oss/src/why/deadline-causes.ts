import type { Deadline } from '../estimate/estimate.js';
import { told, toldRange } from '../estimate/estimate.presenter.js';
import { type Cause, moment, type Situation, WAIT } from './cause.js';

/** The reason to worry where what is left takes longer than the task has time. */
export function deadlineCauses({ estimate, now, task }: Situation): readonly Cause[] {
  const { deadline = null, p50Ms = null, p95Ms = null } = estimate ?? {};
  if (deadline === null || (deadline.risk !== 'likely' && deadline.risk !== 'possible')) return [];
  const left = told(Math.max(0, deadline.at - now));
  const needs =
    p50Ms === null || p95Ms === null ? 'work is left' : `the rest takes ${toldRange(p50Ms, p95Ms)}`;
  const { risk } = deadline;
  return [
    {
      code: 'DEADLINE_AT_RISK',
      message: `The task times out in ${left}, and ${needs}: it ${MISSES[risk]} be late.${tellAbort(deadline, now)}`,
      since: null,
      evidence: {
        deadline: moment(deadline.at),
        abortBy: moment(deadline.abortBy),
        risk,
        p50: p50Ms === null ? null : p50Ms / 1_000,
        p95: p95Ms === null ? null : p95Ms / 1_000,
        tasks: estimate?.tasks ?? 0,
        flowVersion: task.plan.flowVersion,
      },
      next: [{ action: 'rollback', label: 'Roll the task back now' }, WAIT],
    },
  ];
}

/** Until when a rollback still ends in time, where that is known. */
function tellAbort({ abortBy }: Deadline, now: number): string {
  if (abortBy === null) return '';
  return abortBy > now
    ? ` To end in time, a rollback has to start within ${told(abortBy - now)}.`
    : ' A rollback would be late as well.';
}

const MISSES = { likely: 'will probably', possible: 'may' } as const;
