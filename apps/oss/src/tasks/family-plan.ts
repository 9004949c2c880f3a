import { isLimited, type Principal, seesTask } from '#access';
import { DEFAULT_TIMING, LIVE_STATUSES, type Task, TASK_STATUS, type TaskStatus } from '#core';
import {
  type ChildrenUndo,
  type CommandUndo,
  type PlannedUndo,
  type RollbackPlan,
  rollbackPlan,
} from '#core/read';
import { stepAt } from '#core/scopes';
import { nextTurn } from '#http-server';
import { type ChildStore, TaskUnreadable } from '#ports';
import { UNDOS_MAX } from '../estimate/estimate.js';
import type { OssOptions } from '../options.js';

/** Child tasks that one plan reads. */
const CHILDREN_MAX = 200;

/** Of these, at a time. */
const AT_ONCE = 20;

/** One undo of a task, or of a task below it. */
export interface FamilyUndo {
  readonly task: Task;
  readonly undo: CommandUndo;
}

/** A step of a task, or of a task below it. */
export interface FamilyStep {
  readonly task: Task;
  readonly place: number;
}

/** The course of a rollback of a task and of the child tasks that go back with it. */
interface FamilyPlan {
  /** In the order in which they would run; of those that may run in parallel, the last first. */
  readonly undos: readonly FamilyUndo[];
  readonly leftOver: readonly FamilyStep[];
  /** Why not everything would be undone; null: all would. */
  readonly obstacle: string | null;
  /** There are more undos, or child tasks, than are shown. */
  readonly isCut: boolean;
}

/** The viewer of a plan, for as long as he waits. */
export interface Viewer {
  readonly principal: Principal;
  /** Aborted when the client has gone, or the time of the plan is over: the rest is not read. */
  readonly draft: AbortSignal;
}

/** The planner of a request: it sees the child tasks that whoever asks may see. */
export function plannerFor(
  { children, clock, store }: Pick<OssOptions, 'children' | 'clock' | 'store'>,
  { draft, principal }: Viewer,
): FamilyPlanner {
  const sees = (child: Task): boolean => seesTask(principal, child.plan);
  const seesAll = !isLimited(principal);
  return new FamilyPlanner({ children, draft, now: clock.now(), sees, seesAll, store });
}

/** The plan of a task, with that of its own steps alone. */
interface TaskPlan extends FamilyPlan {
  readonly own: RollbackPlan;
}

/** Where child tasks are found, and how they are seen. */
interface FamilySources {
  readonly store: Pick<OssOptions['store'], 'get'>;
  readonly children: Pick<ChildStore, 'find'>;
  readonly draft: AbortSignal;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether whoever asks may see a child task. */
  readonly sees: (task: Task) => boolean;
  /** Whether he sees all tasks, those that cannot be read as well. */
  readonly seesAll: boolean;
}

/** The order in which a parent has its child tasks go back; the last ones undid themselves. */
const ORDER: readonly (readonly TaskStatus[])[] = [
  LIVE_STATUSES,
  [TASK_STATUS.succeeded],
  [TASK_STATUS.rolled_back, TASK_STATUS.terminated],
];

/**
 * Plans the rollback of a task with those of its child tasks, which are documents of their own:
 * where child tasks go back, their own plans stand.
 */
class FamilyPlanner {
  private readsLeft = CHILDREN_MAX;

  constructor(private readonly sources: FamilySources) {}

  /** The plan of a task that nobody is the parent of here. Throws as stores do. */
  async plan(task: Task): Promise<TaskPlan> {
    return this.planOf(task, {});
  }

  /** The same of a task that is not turned: as far as it goes back by now. Throws as stores do. */
  async planAsItStands(task: Task): Promise<TaskPlan> {
    return this.planOf(task, { isAsItStands: true });
  }

  /** The same, and after that of one child task of a step. Throws as stores do. */
  async planWithChild(
    task: Task,
    { place, taskId }: { readonly place: number; readonly taskId: string },
  ): Promise<TaskPlan> {
    const plan = await this.planAsItStands(task);
    const child = await this.childPlan(task, place, await this.read(taskId));
    return { own: plan.own, ...sumOf([plan, child]) };
  }

  private async planOf(
    task: Task,
    how: { readonly isByParent?: boolean; readonly isAsItStands?: boolean },
  ): Promise<TaskPlan> {
    const moment = { now: this.sources.now, chance: 0.5, timing: DEFAULT_TIMING };
    const terms = { ...how, max: UNDOS_MAX };
    const first = rollbackPlan(task, moment, terms);
    const below = await this.childrenIn(task, first.undos);
    const stuck = [...below].filter(([, { obstacle }]) => obstacle !== null);
    if (stuck.length === 0) return { own: first, ...joined(task, first, below) };
    const barred = new Set(stuck.map(([run]) => run));
    const own = rollbackPlan(task, moment, { ...terms, barred });
    return { own, ...joined(task, own, below) };
  }

  /** The plans of the child tasks of these lines, by the lines, as far as they may be read. */
  private async childrenIn(
    task: Task,
    undos: readonly PlannedUndo[],
  ): Promise<ReadonlyMap<string, FamilyPlan>> {
    const found = new Map<string, FamilyPlan>();
    for (const undo of undos) {
      if (undo.action !== null) continue;
      const plan = await this.childrenOf(task, undo);
      found.set(undo.run, plan);
      if (plan.isCut) break;
    }
    return found;
  }

  private async childrenOf(parent: Task, line: ChildrenUndo): Promise<FamilyPlan> {
    const plans: FamilyPlan[] = [];
    for (const statuses of ORDER) {
      const ids = await this.find(parent, line.run, statuses);
      const room = this.readsLeft;
      this.readsLeft -= Math.min(room, ids.length);
      for (let from = 0; from < Math.min(room, ids.length); from += AT_ONCE) {
        const page = ids.slice(from, Math.min(room, from + AT_ONCE));
        const children = await Promise.all(page.map((taskId) => this.read(taskId)));
        for (const child of children) plans.push(await this.childPlan(parent, line.place, child));
      }
      if (ids.length > room) plans.push(HIDDEN);
    }
    return sumOf(plans);
  }

  private async find(
    { plan }: Task,
    run: string,
    statuses: readonly TaskStatus[],
  ): Promise<readonly string[]> {
    const query = { taskId: plan.taskId, run, statuses, limit: this.readsLeft + 1 };
    return (await this.sources.children.find(query)).map(({ taskId }) => taskId);
  }

  /** A text: why it cannot be read. Null: it is gone. */
  private async read(taskId: string): Promise<Task | string | null> {
    try {
      return await this.sources.store.get(taskId);
    } catch (error) {
      if (error instanceof TaskUnreadable) return `child task ${taskId} cannot be read`;
      throw error;
    }
  }

  private async childPlan(
    parent: Task,
    place: number,
    child: Task | string | null,
  ): Promise<FamilyPlan> {
    if (child === null) return NOTHING;
    const { draft, sees, seesAll } = this.sources;
    if (typeof child === 'string') return seesAll ? { ...NOTHING, obstacle: child } : HIDDEN;
    if (draft.aborted || !sees(child)) return HIDDEN;
    await nextTurn();
    const plan = await this.planOf(child, { isByParent: true });
    const why = obstacleOf(child, plan);
    if (why === null) return plan;
    const name = stepAt(parent, place)?.name ?? '';
    const obstacle = `child task ${child.plan.taskId} of step ${name} ${why}`;
    return { ...plan, undos: [], obstacle };
  }
}

const NOTHING: FamilyPlan = Object.freeze({
  undos: [],
  leftOver: [],
  obstacle: null,
  isCut: false,
});

/** There is something that is not shown. */
const HIDDEN: FamilyPlan = Object.freeze({ ...NOTHING, isCut: true });

/** Why a child task does not go back with its parent; null: it does, with those below it. */
function obstacleOf({ hold, outcome, paused }: Task, { own }: TaskPlan): string | null {
  if (outcome === 'rolled_back' || outcome === 'terminated') return null;
  if (own.obstacle !== null) return `does not go back: ${own.obstacle}`;
  if (hold?.why === 'rollback_failed') return 'waits for a person: a rollback of it failed';
  return paused === null ? null : 'is paused';
}

/** The undos of a task in their order, those of its child tasks in the places of their lines. */
function joined(task: Task, own: RollbackPlan, below: ReadonlyMap<string, FamilyPlan>): FamilyPlan {
  const leftOver = own.leftOver.map((place) => ({ task, place }));
  const plans: FamilyPlan[] = [{ ...NOTHING, leftOver }];
  for (const undo of own.undos) {
    const { action } = undo;
    const plan = action === null ? below.get(undo.run) : null;
    if (action !== null) plans.push({ ...NOTHING, undos: [{ task, undo }] });
    else plans.push(plan ?? HIDDEN);
    // Undos after a hidden one would stand in its place.
    if (action === null && plan?.isCut !== false) break;
  }
  const { isCut, obstacle, undos, ...rest } = sumOf(plans);
  const all = own.isCut || isCut || undos.length > UNDOS_MAX;
  return {
    ...rest,
    undos: undos.slice(0, UNDOS_MAX),
    obstacle: own.obstacle ?? obstacle,
    isCut: all,
  };
}

/** Several plans, one after the other. */
function sumOf(plans: readonly FamilyPlan[]): FamilyPlan {
  return {
    undos: plans.flatMap(({ undos }) => undos),
    leftOver: plans.flatMap(({ leftOver }) => leftOver),
    obstacle: plans.find(({ obstacle }) => obstacle !== null)?.obstacle ?? null,
    isCut: plans.some(({ isCut }) => isCut),
  };
}
