import { childPath, isOwedTask, isFinal, LIVE_STATUSES, type LockTicket, type Task } from '#core';
import { childrenToTend, type ChildrenPlan } from '#core/children';
import { waitingTickets } from '#core/locks';
import { runIdOf } from '#core/scopes';
import { countHolding, isSameTicket, isUnreadable, type LockEntry } from '#ports';
import type { ProcessContext } from '#process';
import { joined, type PlacedTask, type Standing, standingOf } from './standing.js';

/** The stores in which tasks are looked at. */
type Stores = Pick<ProcessContext, 'clock' | 'locks' | 'store'>;

/**
 * Looks at tasks with all that they wait for: their child tasks, and the tasks that hold the locks
 * that they want.
 */
export class TaskLooks {
  constructor(private readonly stores: Stores) {}

  /** A task by its id. Throws where there is none. */
  async task(taskId: string): Promise<Task> {
    const task = await this.stores.store.get(taskId);
    if (task === null) throw new Error(`there is no task ${taskId}`);
    return task;
  }

  /** How a task and all that it waits for stand. */
  async standing(taskId: string): Promise<Standing> {
    return this.#standing({ task: await this.task(taskId), path: '' }, new Set());
  }

  /** How all unfinished tasks stand. */
  async all(): Promise<Standing> {
    const seen = new Set<string>();
    const standings: Standing[] = [];
    for await (const { item } of this.stores.store.walk({ statuses: LIVE_STATUSES })) {
      if (isUnreadable(item)) continue;
      standings.push(await this.#standing({ task: item, path: '' }, seen));
    }
    return joined(standings);
  }

  /** A task, and all unfinished tasks below it. */
  async family(taskId: string): Promise<readonly PlacedTask[]> {
    const family: PlacedTask[] = [{ task: await this.task(taskId), path: '' }];
    for (const placed of family) family.push(...(await this.#children(placed)));
    return family;
  }

  async #children({ path, task }: PlacedTask): Promise<readonly PlacedTask[]> {
    const children: PlacedTask[] = [];
    const query = { parent: task.plan.taskId, statuses: LIVE_STATUSES };
    for await (const { item } of this.stores.store.walk(query)) {
      if (isUnreadable(item) || item.plan.parent === null) continue;
      if (isOwedTask(item.plan.parent)) continue;
      children.push({ task: item, path: `${path}${childPath(item.plan.parent)}` });
    }
    const indexOf = (child: PlacedTask): number => child.task.plan.parent?.index ?? 0;
    return children.sort((one, other) => indexOf(one) - indexOf(other));
  }

  async #standing(placed: PlacedTask, seen: Set<string>): Promise<Standing> {
    const { task } = placed;
    const { taskId } = task.plan;
    if (seen.has(taskId)) return joined([]);
    seen.add(taskId);
    const own = standingOf(placed, this.stores.clock.now());
    if (own.isMoving || isFinal(task.status)) return own;
    const children = await this.#ofChildren(placed, seen);
    const locks = await Promise.all(
      waitingTickets(task).map((ticket) => this.#ofTicket(placed, ticket, seen)),
    );
    return joined([own, ...children, ...locks]);
  }

  async #ofChildren(placed: PlacedTask, seen: Set<string>): Promise<readonly Standing[]> {
    const plans = childrenToTend(placed.task);
    if (plans.length === 0) return [];
    const children = await this.#children(placed);
    const standings = plans.map((plan): Standing => {
      const live = children.filter(({ task }) => task.plan.parent?.run === plan.run);
      return { ...joined([]), isMoving: hasNews(plan, live.length) };
    });
    for (const child of children) standings.push(await this.#standing(child, seen));
    return standings;
  }

  async #ofTicket(
    { path, task }: PlacedTask,
    { locks, number, step }: LockTicket,
    seen: Set<string>,
  ): Promise<Standing> {
    const moving = { ...joined([]), isMoving: true };
    if (task.hold !== null || task.paused !== null) return joined([]);
    for (const { name } of locks ?? []) {
      const line = await this.stores.locks.readLine(name);
      const holders = line.slice(0, countHolding(line));
      const own = { taskId: task.plan.taskId, number };
      if (holders.some((entry) => isSameTicket(entry, own))) continue;
      // It has not entered the line so far.
      if (!line.some((entry) => isSameTicket(entry, own))) return moving;
      const run = step === null ? null : `${path}${runIdOf(task, step)}`;
      return this.#ofHolders({ name, run, holders }, seen);
    }
    return moving;
  }

  /** A task that holds a lock moves the one that waits for it. */
  async #ofHolders(
    { holders, name, run }: { name: string; run: string | null; holders: readonly LockEntry[] },
    seen: Set<string>,
  ): Promise<Standing> {
    const tasks = await Promise.all(holders.map(({ taskId }) => this.stores.store.get(taskId)));
    const standings: Standing[] = [];
    const told: string[] = [];
    for (const task of tasks) {
      if (task === null) continue;
      const standing = await this.#standing({ task, path: '' }, seen);
      // The lock is on its way to the next in its line.
      standings.push(isFinal(task.status) ? { ...standing, isMoving: true } : standing);
      told.push(toldHolder(task, standing));
    }
    const { due, isMoving, limit, running } = joined(standings);
    const who = run === null ? 'the task' : `step ${run}`;
    const message = `${who} waits for the lock ${name}, held by ${told.join(' and ')}`;
    return { due, isMoving, limit, running, awaited: [{ for: 'lock', step: run, message }] };
  }
}

/** Whether a parent has still to count its child tasks, or to start or undo more of them. */
function hasNews({ concurrency, tally, way }: ChildrenPlan, live: number): boolean {
  const { active, failed, started, succeeded } = tally;
  const known = way === 'forward' ? started - succeeded - failed : active;
  if (live === 0 || live !== known) return true;
  return way === 'back' && succeeded > 0 && active < concurrency;
}

function toldHolder({ plan }: Task, { awaited }: Standing): string {
  const why = awaited.map(({ message }) => message).join(', ');
  const waiting = why === '' ? '' : ` (${why})`;
  return `task ${plan.taskId} of flow ${plan.flow}${waiting}`;
}
