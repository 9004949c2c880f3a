import { Inject, Injectable } from '@nestjs/common';
import { isLimited, type Principal, seesModule, seesTask } from '#access';
import {
  ALERT_RUN,
  HELD_CHILD,
  itemNumber,
  LIVE_STATUSES,
  type Task,
  TASK_STATUS,
  type TaskStatus,
} from '#core';
import { type ChildrenPlan, childrenToTend } from '#core/children';
import { waitingTickets } from '#core/locks';
import type { TaskSummary } from '#core/stored';
import {
  countHolding,
  type FoundChild,
  isUnreadable,
  type ListedTask,
  type LockEntry,
  nullWhereUnreadable,
  type QueueDepth,
} from '#ports';
import { TaskUnreadable } from '#ports';
import { hiddenAmong } from '../access/hidden-tasks.js';
import type { Estimate } from '../estimate/estimate.js';
import type { UsualTime } from '../estimate/usual-time.js';
import { type CommonParts, type ExecutorParts, type LimitParts, OSS_OPTIONS } from '../options.js';
import type {
  Explanation,
  LimitStanding,
  LookedChild,
  LookedChildren,
  Surroundings,
} from './cause.js';
import { explainTask, queuedModules } from './explain-task.js';

/** Child tasks of one step that are looked at. */
const CHILDREN_MAX = 20;

/** Holders of locks that are looked up for one task. */
const HOLDERS_MAX = 20;

/** Tasks that may wait for each other in a ring, for it to be found. */
const RING_MAX = 5;

/** Child tasks, at any depth, that one explanation reads. */
const READS_MAX = 60;

/** The facts of one task that an explanation takes from elsewhere. */
interface Told {
  readonly estimate: Estimate | null;
  readonly storeMs: number;
  readonly usual: ReadonlyMap<string, UsualTime>;
}

/** Of a child task, whose own course is not estimated. */
const UNTOLD: Told = { estimate: null, storeMs: 0, usual: new Map() };

/** A module's queue. */
interface QueueFigures {
  readonly depth: QueueDepth;
  readonly receivers: number | null;
  /** Null: the module has no limits. */
  readonly limit: LimitStanding | null;
}

/** Explains tasks with their child tasks. */
@Injectable()
export class TaskExplainer {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: CommonParts & ExecutorParts & LimitParts,
  ) {}

  /** Why a task stands where it stands, as far as the caller sees it. Throws as stores do. */
  async explain(task: Task, principal: Principal, told: Told): Promise<Explanation> {
    const { executors, sessions } = this.options;
    const isOpen = task.outcome === null;
    const [seen, listed] = await Promise.all([
      isOpen ? executors.seen() : [],
      isOpen ? sessions.listSessions() : null,
    ]);
    const look = new FamilyLook(this.options, principal, { executors: seen, sessions: listed });
    return look.explain(task, told);
  }
}

/** One look at a task and the child tasks below it. */
class FamilyLook {
  private readsLeft = READS_MAX;
  private readonly queues = new Map<string, Promise<QueueFigures>>();
  private readonly lines = new Map<string, Promise<readonly LockEntry[]>>();

  constructor(
    private readonly options: CommonParts & ExecutorParts & LimitParts,
    private readonly principal: Principal,
    private readonly processes: Pick<Surroundings, 'executors' | 'sessions'>,
  ) {}

  async explain(task: Task, told: Told): Promise<Explanation> {
    const { clock, redispatchAfterMs, transport } = this.options;
    const [queues, lines, below, alertTask, ring] = await Promise.all([
      this.queuesOf(task),
      this.linesOf(task),
      this.below(task),
      this.alertTask(task),
      this.ringOf(task),
    ]);
    const holders = [...lines.values()].flatMap((line) => line.slice(0, countHolding(line)));
    const ids = holders.map((holder) => holder.taskId);
    const named = [...ids, ...ring];
    const hiddenHolders = await hiddenAmong(named, this.principal, this.options);
    const stillHolders = await this.stillAmong(ids.filter((id) => !hiddenHolders.has(id)));
    return explainTask({
      ...{ task, ...told, ...this.processes, ...queues, lines, below, alertTask },
      ...{ hiddenHolders, ring, stillHolders },
      ...{ now: clock.now(), redispatchAfterMs },
      brokerObstacle: transport.obstacle?.message ?? null,
      seesModule: (module) => seesModule(this.principal, module),
    });
  }

  private async below(task: Task): Promise<Surroundings['below']> {
    const looked = new Map<number, LookedChildren>();
    for (const plan of childrenToTend(task)) {
      looked.set(plan.holder, await this.childrenOf(task, plan));
    }
    return looked;
  }

  private async alertTask({ alert, plan }: Task): Promise<LookedChild | null> {
    if (!alert?.taskId || alert.dueAt === null) return null;
    const of = { taskId: plan.taskId, run: ALERT_RUN };
    const [found] = await this.find(of, LIVE_STATUSES, 1);
    return found === undefined ? null : this.look(found);
  }

  private async childrenOf({ plan }: Task, { run }: ChildrenPlan): Promise<LookedChildren> {
    const room = Math.min(CHILDREN_MAX, this.readsLeft);
    const of = { taskId: plan.taskId, run };
    const held = await this.find(of, HELD_CHILD, room + 1);
    const others = await this.find(of, NOT_HELD, room + 1 - held.length);
    const found = [...held, ...others];
    const wanted = found.slice(0, room);
    this.readsLeft -= wanted.length;
    const looked = await Promise.all(wanted.map((child) => this.look(child)));
    const open = looked.filter((child) => child !== null);
    return { children: open, hasMore: open.length < found.length };
  }

  private async find(
    of: { readonly taskId: string; readonly run: string },
    statuses: typeof LIVE_STATUSES,
    limit: number,
  ): Promise<readonly FoundChild[]> {
    return limit > 0 ? this.options.children.find({ ...of, statuses, limit }) : [];
  }

  /** Null: it is gone, or the caller does not see it. */
  private async look({ index, status, taskId }: FoundChild): Promise<LookedChild | null> {
    try {
      const task = await this.options.store.get(taskId);
      if (task === null || !seesTask(this.principal, task.plan)) return null;
      const { flow, parent } = task.plan;
      const explained = await this.explain(task, UNTOLD);
      return { taskId, flow, item: itemNumber(parent), status: task.status, explained };
    } catch (error) {
      if (!(error instanceof TaskUnreadable)) throw error;
      if (isLimited(this.principal)) return null;
      return { taskId, flow: '', item: index, status, explained: unreadable(error) };
    }
  }

  private async queuesOf(
    task: Task,
  ): Promise<Pick<Surroundings, 'depths' | 'limits' | 'receivers' | 'refusals'>> {
    const modules = queuedModules(task);
    const queues = await Promise.all(modules.map((module) => this.queueOf(module)));
    const by = <K extends keyof QueueFigures>(figure: K): Map<string, QueueFigures[K]> => {
      return new Map(modules.map((module, n) => [module, queues[n]?.[figure] ?? null] as const));
    };
    const refused = this.options.transport.troubles().filter(({ kind }) => kind === 'not_sent');
    const refusals = new Map(refused.map((trouble) => [trouble.module ?? '', trouble]));
    const limits = new Map(
      [...by('limit')].flatMap(([module, limit]) => {
        return limit === null ? [] : [[module, limit] as const];
      }),
    );
    return { depths: by('depth'), limits, receivers: by('receivers'), refusals };
  }

  /** Many child tasks wait for the same module, which is asked for once. */
  private queueOf(module: string): Promise<QueueFigures> {
    const known = this.queues.get(module) ?? this.readQueue(module);
    this.queues.set(module, known);
    return known;
  }

  private async readQueue(module: string): Promise<QueueFigures> {
    const { admissions, moduleLimits, transport } = this.options;
    const [depth, receivers, limit, admission] = await Promise.all([
      transport.depth(module),
      transport.receivers(module),
      moduleLimits.get(module).catch(nullWhereUnreadable),
      admissions.get(module).catch(nullWhereUnreadable),
    ]);
    return { depth, receivers, limit: limit && { limit, admission } };
  }

  private async stillAmong(ids: readonly string[]): Promise<ReadonlyMap<string, TaskSummary>> {
    const few = ids.slice(0, HOLDERS_MAX);
    const found = few.length === 0 ? [] : await this.options.changes.summaries(few);
    return new Map(found.flatMap((item) => (isStill(item) ? [[item.taskId, item] as const] : [])));
  }

  /** See `Surroundings.ring`. `from`: the task that is looked at, `over`: those before it. */
  private async ringOf(task: Task, from = task, over: readonly string[] = []): Promise<string[]> {
    for (const { name, slots } of waitingTickets(from).flatMap(({ locks }) => locks ?? [])) {
      const line = slots === 1 ? await this.lineOf(name) : [];
      const holder = countHolding(line) === 0 ? undefined : line[0]?.taskId;
      if (holder === undefined || holder === from.plan.taskId) continue;
      if (holder === task.plan.taskId) return [...over];
      if (over.length === RING_MAX || over.includes(holder)) continue;
      const next = await this.options.store.get(holder).catch(nullWhereUnreadable);
      const ring = next === null ? [] : await this.ringOf(task, next, [...over, holder]);
      if (ring.length > 0) return ring;
    }
    return [];
  }

  /** Tasks of a family, and of a ring, wait for the same locks, whose lines are asked for once. */
  private lineOf(name: string): Promise<readonly LockEntry[]> {
    const known = this.lines.get(name) ?? this.options.locks.readLine(name);
    this.lines.set(name, known);
    return known;
  }

  private async linesOf(task: Task): Promise<ReadonlyMap<string, readonly LockEntry[]>> {
    const lines = new Map<string, readonly LockEntry[]>();
    for (const { locks } of waitingTickets(task)) {
      for (const { name } of locks ?? []) {
        lines.set(name, await this.lineOf(name));
      }
    }
    return lines;
  }
}

/** Statuses in which a task lets go of no lock until a person acts. */
const STILL: readonly TaskStatus[] = [...HELD_CHILD, TASK_STATUS.paused];

const NOT_HELD = LIVE_STATUSES.filter((status) => !HELD_CHILD.includes(status));

function isStill(item: ListedTask): item is TaskSummary {
  return !isUnreadable(item) && STILL.includes(item.status);
}

function unreadable({ message }: TaskUnreadable): LookedChild['explained'] {
  const cause = { code: 'UNREADABLE', message, since: null, evidence: {}, next: [] } as const;
  return { moving: false, causes: [cause] };
}
