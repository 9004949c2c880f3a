import type { Action, ActionRef, Task } from '#core';
import { actionOf, openActions, runOf, stepAt } from '#core/scopes';
import type { Deadline } from '../estimate/estimate.js';
import { told, toldRange } from '../estimate/estimate.presenter.js';
import {
  type Cause,
  type CauseCode,
  type Explanation,
  moment,
  type Situation,
  WAIT,
} from './cause.js';
import { childReasons } from './child-causes.js';
import { lockCauses } from './lock-causes.js';
import { stepCauses } from './step-causes.js';
import { taskCauses } from './task-causes.js';

/** Causes that one answer lists. */
const CAUSES_MAX = 50;

/** Causes that pass without help, unless something else holds the task. */
const GOES_ON: ReadonlySet<CauseCode> = new Set([
  'EXPRESSION_OPEN',
  'LOOKS_AGAIN',
  'QUEUED',
  'RETRY_LATER',
  'RUNNING',
  'RUNNING_LONG',
]);

const MISSES = { likely: 'will probably', possible: 'may' } as const;

/**
 * Why a task does not move, or what it is about, from stored facts alone: of the task, of its open
 * actions, and of its child tasks.
 */
export function explainTask(situation: Situation): Explanation {
  const { task } = situation;
  const ofTask = taskCauses(situation);
  const open = task.outcome === null ? openActions(task) : [];
  const ofActions = open.flatMap((ref) => stepCauses(situation, ref));
  const ofAlert = situation.alertTask?.explained.causes ?? [];
  const ofSteps = [...ofActions, ...ofAlert, ...lockCauses(situation)];
  const ofChildren = childReasons(situation);
  const stuck = ofChildren.flatMap((reasons) => reasons.stuck);
  const waits = ofChildren.map((reasons) => reasons.waits);
  const blocking = ofSteps.filter(({ code }) => !GOES_ON.has(code));
  const going = ofSteps.filter(({ code }) => GOES_ON.has(code));
  const ofAll = [...blocking, ...stuck, ...going, ...waits];
  const causes = [...ofTask, ...deadlineCauses(situation), ...ofAll];
  const isHeld = ofTask.some(({ code }) => code !== 'STORE_SLOW');
  const isKnown = ofTask.length + ofAll.length > 0;
  const goesOn = going.length > 0 || ofChildren.some(({ moves }) => moves);
  const isRunning = going.some(({ code }) => code === 'RUNNING' || code === 'RUNNING_LONG');
  return {
    moving: isRunning || ((isKnown ? goesOn : task.outcome === null) && !isHeld),
    causes: causes.slice(0, CAUSES_MAX),
    isCut: causes.length > CAUSES_MAX || ofChildren.some(({ isCut }) => isCut),
  };
}

/** Modules of which something is queued, so that the lengths of their queues matter. */
export function queuedModules(task: Task): readonly string[] {
  if (task.outcome !== null) return [];
  const queued = openActions(task).filter((ref) => runOf(task, ref)?.state === 'queued');
  return [...new Set(queued.flatMap((ref) => actionAt(task, ref)?.module ?? []))];
}

/** Only commands have one. */
function actionAt(task: Task, ref: ActionRef): Action | undefined {
  const isCommand = ref.direction !== 'normal' || stepAt(task, ref.step)?.normal !== undefined;
  return isCommand ? actionOf(task, ref) : undefined;
}

/** The reason to worry where what is left takes longer than the task has time. */
function deadlineCauses({ estimate, now, task }: Situation): readonly Cause[] {
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
