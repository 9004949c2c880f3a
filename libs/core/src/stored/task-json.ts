import { isObject } from '../json/shape.js';
import type { Task } from '../task/task.js';
import { codecOf, JSON_OBJECTS } from './codec.js';
import { TASK_FORM } from './task-members.js';

const WHOLE = codecOf(TASK_FORM, JSON_OBJECTS);

/** Tasks as JSON, by the names of their members, whole but for the steps of their plans. */
export const TASK_JSON = {
  /** A task, with this in the place of its steps. */
  write(task: Task, steps: unknown): object {
    const written = WHOLE.write(task, 0);
    return { ...written, plan: { ...(written.plan as object), steps } };
  },

  /** The task of such JSON, which anybody may have written: the check of tasks judges it. */
  read(stored: unknown, stepsOf: (steps: unknown) => unknown): Task {
    const task = WHOLE.read(stored, 0);
    const { plan } = task;
    if (!isObject(stored) || !isObject(stored['plan']) || !isObject(plan)) return task;
    const steps = stepsOf(stored['plan']['steps']) as Task['plan']['steps'];
    return { ...task, plan: { ...plan, steps } };
  },
};
