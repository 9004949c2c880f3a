import { FAILURE_RUN, type Task } from '#core';
import { failureKey } from '#core/children';
import type { Mutant } from '../mutant.js';
import { overriding } from '../mutated-store.js';

type Editable<T> = { -readonly [K in keyof T]: T[K] };

/** Bugs of failure flows: forgotten, started again, started for what has not ended. */
export const FAILURE_MUTANTS: readonly Mutant[] = [
  {
    name: 'failure-flow-forgotten',
    bug: 'a lost start of a failure flow is never repeated',
    edit: (previous, next) => {
      const { failureTask, outcome } = next;
      if (failureTask === null || failureTask.dueAt === null || outcome === null) return;
      if (previous.outcome !== null) return;
      (next as Editable<Task>).failureTask = { ...failureTask, dueAt: null };
      (next as Editable<Task>).wakeAt = null;
    },
  },
  {
    name: 'failure-flow-twice',
    bug: 'every look starts the failure flow again',
    store: (inner, { process }) =>
      overriding(inner, {
        insert: (task) => {
          const { parent } = task.plan;
          if (parent === null || parent.run !== FAILURE_RUN) return inner.insert(task);
          const taskId = `${task.plan.taskId}:${process.owner}`;
          return inner.insert({ ...task, plan: { ...task.plan, taskId } });
        },
      }),
  },
  {
    name: 'failure-flow-untold',
    bug: 'a failure flow counts as started before its task is stored',
    edit: (previous, next, { process }) => {
      const { failureTask, outcome } = next;
      if (outcome === null || previous.outcome !== null) return;
      if (failureTask === null || failureTask.dueAt === null) return;
      const taskId = failureKey(next).replaceAll(' ', ':');
      if (process.world.random.next() < 0.5) return;
      (next as Editable<Task>).failureTask = { ...failureTask, taskId, dueAt: null };
      (next as Editable<Task>).wakeAt = null;
    },
  },
];
