import { childPath, isOwedTask } from '#core';
import type { TaskStore } from '#ports';

/** The place of a task in its family. */
interface TaskPlace {
  /** Id of the outermost task around. */
  readonly root: string;
  /** Flow of that task. */
  readonly flow: string;
  /** The part before the ids of its runs in their paths: `each#3/`; '' for the outermost task. */
  readonly path: string;
}

/** Finds the places of tasks in their families, by which tests and drills name their runs. */
export class TaskPaths {
  readonly #places = new Map<string, Promise<TaskPlace>>();

  constructor(private readonly store: Pick<TaskStore, 'get'>) {}

  /** The task of a failure flow is the outermost one of a family of its own. */
  placeOf(taskId: string): Promise<TaskPlace> {
    const known = this.#places.get(taskId);
    if (known !== undefined) return known;
    const place = this.#find(taskId);
    this.#places.set(taskId, place);
    return place;
  }

  async #find(taskId: string): Promise<TaskPlace> {
    const task = await this.store.get(taskId);
    const { flow = '', parent = null } = task?.plan ?? {};
    if (parent === null || isOwedTask(parent)) return { root: taskId, flow, path: '' };
    const above = await this.placeOf(parent.taskId);
    return { ...above, path: `${above.path}${childPath(parent)}` };
  }
}
