import type { Task, TaskPlan } from '#core';
import type { Mutant } from '../mutant.js';
import { overriding } from '../mutated-store.js';

type Editable<T> = { -readonly [K in keyof T]: T[K] };

/** Bugs of tasks that persons have started again. */
export const ANEW_MUTANTS: readonly Mutant[] = [
  {
    name: 'anew-doubles-children',
    bug: 'if a person restarts a task, each child task of the new one is stored twice',
    store: (inner, { server }) =>
      overriding(inner, {
        insert: async (task) => {
          const { parent, taskId } = task.plan;
          const result = await inner.insert(task);
          const around = parent === null ? undefined : server.tasks.get(parent.taskId);
          if (around?.plan.restartOf) await inner.insert(renamed(task, `${taskId}:twice`));
          return result;
        },
      }),
  },
  {
    name: 'anew-as-child',
    bug: 'a child task that a person restarts becomes one more child of its parent',
    store: (inner, { server }) =>
      overriding(inner, {
        insert: (task) => {
          const { parent, restartOf } = task.plan;
          const former = server.tasks.get(restartOf ?? '')?.plan.parent;
          (task.plan as Editable<TaskPlan>).parent = former ?? parent;
          return inner.insert(task);
        },
      }),
  },
  {
    name: 'anew-twice',
    bug: 'a repeated request to restart a task restarts it once more',
    store: (inner) =>
      overriding(inner, {
        insert: (task) => {
          if (task.plan.restartOf !== null) (task.plan as Editable<TaskPlan>).idempotencyKey = null;
          return inner.insert(task);
        },
      }),
  },
];

function renamed(task: Task, taskId: string): Task {
  return { ...task, plan: { ...task.plan, taskId } };
}
