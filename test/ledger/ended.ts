import { waitUntil } from '../servers/wait-until.js';
import type { Api, TaskView } from '../load/index.js';

const WITHIN_MS = 90_000;
const LIVE = 'not_started,running,rolling_back,rollback_failed';
const FINAL = new Set(['succeeded', 'rolled_back', 'terminated']);

/** Until when all tasks have to have ended, and which. */
export interface EndWait {
  readonly withinMs: number;
  /** Only tasks created before this moment. Default: all. */
  readonly createdBefore?: number;
}

/** Whether a task will never move again. */
export function hasEnded({ status }: Pick<TaskView, 'status'>): boolean {
  return FINAL.has(status);
}

/** Resolves to the task as soon as it is as wanted. */
export async function untilTask(
  api: Api,
  taskId: string,
  isEnough: (task: TaskView) => boolean = hasEnded,
): Promise<TaskView> {
  let task = await api.task(taskId);
  const probe = async (): Promise<void> => {
    task = await api.task(taskId);
    if (!isEnough(task)) throw new Error(`it is ${JSON.stringify(task)}`);
  };
  const what = `task ${taskId} is not as it should be`;
  await waitUntil(probe, { what, deadlineMs: WITHIN_MS });
  return task;
}

const STARTED = new Set(['running', 'waiting']);

/** Whether a task has started a step that has not ended: its command runs, or waits outside. */
export function isAt(step: string): (task: TaskView) => boolean {
  return ({ steps }) => steps.some(({ name, state }) => name === step && STARTED.has(state));
}

/** Resolves to the milliseconds that it took until no task was left that can still move. */
export async function untilAllEnded(api: Api, wait: EndWait): Promise<number> {
  const { createdBefore, withinMs } = wait;
  const started = performance.now();
  const until =
    createdBefore === undefined ? '' : `&createdBefore=${new Date(createdBefore).toISOString()}`;
  const path = `/v1/tasks?limit=1&status=${LIVE}${until}`;
  const probe = async (): Promise<void> => {
    const { items } = await api.get<{ items: TaskView[] }>(path);
    const [task] = items;
    if (task) throw new Error(`task ${task.taskId} is ${task.status}: ${JSON.stringify(task)}`);
  };
  await waitUntil(probe, { what: 'tasks are left that have not ended', deadlineMs: withinMs });
  return Math.round(performance.now() - started);
}
