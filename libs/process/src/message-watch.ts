import { type Dispatch, growingDelay, type Task } from '#core';
import { actionOf, dispatchFor, runOf } from '#core/scopes';
import { Loop } from '#engine';
import { SystemClock } from '#machine';
import {
  type Clock,
  type Observer,
  type StepTransport,
  TaskUnreadable,
  type TaskStore,
} from '#ports';
import type { ProcessContext } from './process-context.js';
import { queuedRefs, type UnclaimedTask, type UnclaimedTasks } from './unclaimed-tasks.js';

const ROUND_MS = 2_000;

/** Tasks whose messages one round sends at most. */
const TASKS_PER_ROUND = 200;

/** The pause before a message that was taken is sent again. */
const PAUSE = { firstMs: 5_000, maxMs: 60_000 };

/** The pause after a module's message was refused again. */
const REFUSED_PAUSE = { firstMs: ROUND_MS, maxMs: 10_000 };

/** The parts that a watch works with. */
interface MessageWatchParts {
  readonly clock: Clock;
  readonly observer: Observer;
  readonly store: Pick<TaskStore, 'get'>;
  readonly tasks: UnclaimedTasks;
  readonly transport: Pick<StepTransport, 'depth' | 'obstacle' | 'publish' | 'receivers'>;
}

type WatchedContext = Pick<
  ProcessContext,
  'observer' | 'settings' | 'store' | 'transport' | 'unclaimed'
>;

/**
 * Sends messages again as soon as they can arrive. Governance does so too, and waits longer each
 * time: it cannot tell a message that the broker refused or dropped from one that waits. A message
 * that was refused is tried every few seconds. One that was taken is sent again when its module has
 * nothing in its queue, and a receiver: then it was lost. Messages are hints, so one
 * that was sent in vain does no harm, and the task is not written to.
 */
export class MessageWatch {
  private readonly loop: Loop;
  /** Of modules whose messages were refused: how often in a row, and until when none is tried. */
  private readonly refusals = new Map<string, { failures: number; until: number }>();

  constructor(private readonly parts: MessageWatchParts) {
    const work = { name: 'message_watch', intervalMs: ROUND_MS, tick: () => this.tick() };
    this.loop = new Loop(work, parts.clock, parts.observer);
  }

  async start(): Promise<void> {
    this.loop.start();
  }

  /** Waits for the round in hand. Safe to call twice and before start. */
  stop(): Promise<void> {
    return this.loop.stop();
  }

  /** One round; resolves to the number of tasks whose message was sent. */
  async tick(): Promise<number> {
    const { tasks, transport } = this.parts;
    if (tasks.size === 0 || transport.obstacle !== null) return 0;
    const due = tasks.list().filter((task) => this.isDue(task));
    const modules = new Set(due.flatMap((task) => task.modules ?? []));
    const idle = new Set<string>();
    await Promise.all(
      [...modules].map(async (module) => {
        if (await this.isIdle(module)) idle.add(module);
      }),
    );
    let sent = 0;
    for (const task of due) {
      if (sent >= TASKS_PER_ROUND) break;
      if (this.isPossible(task, idle) && (await this.send(task, idle))) sent += 1;
    }
    return sent;
  }

  private isDue({ isRefused, sentAt, tries }: UnclaimedTask): boolean {
    return isRefused || this.now - sentAt >= growingDelay(PAUSE, tries + 1);
  }

  /** Whether its queue is empty and a process receives: what was sent to it is not on its way. */
  private async isIdle(module: string): Promise<boolean> {
    const { transport } = this.parts;
    const [depth, receivers] = await Promise.all([
      transport.depth(module),
      transport.receivers(module),
    ]);
    return depth === 0 && receivers !== null && receivers > 0;
  }

  private isPossible(task: UnclaimedTask, idle: ReadonlySet<string>): boolean {
    return task.modules === null || task.modules.some((module) => this.isOpen(module, task, idle));
  }

  private isOpen(module: string, { isRefused }: UnclaimedTask, idle: ReadonlySet<string>): boolean {
    const { until = -Infinity } = this.refusals.get(module) ?? {};
    return this.now >= until && (isRefused || idle.has(module));
  }

  private async send(unclaimed: UnclaimedTask, idle: ReadonlySet<string>): Promise<boolean> {
    const { tasks, transport } = this.parts;
    const task = await this.read(unclaimed.taskId);
    const wanted = task === null ? [] : messagesOf(task);
    if (wanted.length === 0) tasks.forget(unclaimed.taskId);
    unclaimed.modules = wanted.map(({ message }) => message.module);
    for (const dispatch of wanted) {
      const { module } = dispatch.message;
      if (!this.isOpen(module, unclaimed, idle)) continue;
      try {
        await transport.publish([dispatch]);
        this.refusals.delete(module);
      } catch {
        // The transport tells of it, and governance sends it as well.
        unclaimed.isRefused = true;
        this.refused(module);
        return false;
      }
    }
    unclaimed.isRefused = false;
    unclaimed.sentAt = this.now;
    unclaimed.tries += 1;
    return wanted.length > 0;
  }

  /** Null: it is not there, or cannot be read. */
  private async read(taskId: string): Promise<Task | null> {
    try {
      return await this.parts.store.get(taskId);
    } catch (error) {
      if (error instanceof TaskUnreadable) return null;
      throw error;
    }
  }

  private refused(module: string): void {
    const failures = (this.refusals.get(module)?.failures ?? 0) + 1;
    const until = this.now + growingDelay(REFUSED_PAUSE, failures);
    this.refusals.set(module, { failures, until });
  }

  private get now(): number {
    return this.parts.clock.monotonic();
  }
}

/** The watch of a process; null: its messages stay in memory, where none is lost or refused. */
export function makeMessageWatch(context: WatchedContext): MessageWatch | null {
  const { observer, settings, store, transport, unclaimed: tasks } = context;
  if (settings.transport.kind === 'memory') return null;
  return new MessageWatch({ clock: new SystemClock(), observer, store, tasks, transport });
}

function messagesOf(task: Task): readonly Dispatch[] {
  return queuedRefs(task).flatMap((ref) => {
    const run = runOf(task, ref);
    const isAction = run !== null && actionOf(task, ref) !== undefined;
    return isAction ? [dispatchFor(task, ref, run)] : [];
  });
}
