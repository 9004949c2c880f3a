import { type Standing, statusOf, type StepRuns, type Task } from '#core';
import { overriding } from '../mutated-store.js';
import type { Mutant } from '../mutant.js';

type Editable<T> = { -readonly [K in keyof T]: T[K] };

/** Bugs of a task's direction, its hold and its outcome. */
export const STANDING_MUTANTS: readonly Mutant[] = [
  {
    name: 'way-lost',
    bug: 'a finished rollback turns the task forward again',
    edit: (previous, next) => {
      if (next.way === 'forward' || next.outcome !== null || next.hold !== null) return;
      const undone = next.runs.some(({ rollback }, step) => {
        return rollback?.state === 'succeeded' && rollback !== previous.runs[step]?.rollback;
      });
      if (undone) stand(next, { way: 'forward' });
    },
  },
  {
    name: 'hold-forgotten',
    bug: 'a task whose rollback failed is not put on hold',
    edit: (previous, next) => {
      if (previous.hold === null && next.hold !== null) stand(next, { hold: null });
    },
  },
  {
    name: 'hold-outlives-retry',
    bug: 'a person retries the failed rollbacks, and the task stays on hold',
    edit: (previous, next) => {
      if (next.outcome === null && next.hold === null) stand(next, { hold: previous.hold });
    },
  },
  {
    name: 'hold-ignored',
    bug: 'a task on hold still starts the next rollback',
    edit: (previous, next, { process }) => {
      if (next.hold === null || previous.hold !== null) return;
      const step = next.runs.findIndex(({ rollback }) => rollback?.state === 'pending');
      const both = next.runs[step];
      if (both === undefined || both.rollback === null) return;
      const dueAt = process.clock.now();
      const rollback = { ...both.rollback, state: 'queued', dispatches: 1, dueAt } as const;
      (next.runs as StepRuns[])[step] = { ...both, rollback };
      (next as Editable<Task>).wakeAt = dueAt;
    },
  },
  {
    name: 'outcome-too-soon',
    bug: 'a task counts as rolled back while a rollback is still to come',
    edit: (_, next) => {
      const isLeft = next.runs.some(({ rollback }) => rollback?.state === 'pending');
      if (!isLeft || next.way === 'forward' || next.outcome !== null || next.hold !== null) return;
      stand(next, { outcome: 'rolled_back' });
      (next as Editable<Task>).wakeAt = null;
    },
  },
  {
    name: 'pause-forgotten',
    bug: 'a task whose running step ends is no longer paused',
    edit: (previous, next) => {
      if (previous.paused !== null && next.paused !== null) stand(next, { paused: null });
    },
  },
  {
    name: 'pause-outlives-resume',
    bug: 'a person resumes a task, and it stays paused',
    edit: (previous, next) => {
      if (next.outcome === null && next.paused === null) stand(next, { paused: previous.paused });
    },
  },
  {
    name: 'resume-wakes-nobody',
    bug: 'a resumed task sets no wakeAt',
    edit: (previous, next) => {
      if (previous.paused !== null && next.paused === null) (next as Editable<Task>).wakeAt = null;
    },
  },
  {
    name: 'claimed-while-paused',
    bug: 'a queued step starts although its task is paused',
    store: (inner) =>
      overriding(inner, {
        get: async (taskId) => {
          const task = await inner.get(taskId);
          return task?.paused === undefined || task.paused === null
            ? task
            : { ...task, paused: null, status: statusOf({ ...task, paused: null }) };
        },
      }),
  },
  {
    name: 'status-left-behind',
    bug: 'the stored status does not change when a task turns back',
    edit: (previous, next) => {
      if (previous.way !== next.way) (next as Editable<Task>).status = previous.status;
    },
  },
];

/** Gives a document another direction, hold, pause or outcome, and the status of that. */
export function stand(task: Task, fields: Partial<Standing>): void {
  const editable: Editable<Task> = task;
  Object.assign(editable, fields);
  if (editable.way === 'forward') editable.turned = null;
  editable.status = statusOf(task);
}
