import { type ActionRun, actionOf, type Direction, type Task, transition } from '#core';
import { moveTask } from './move-task.js';
import type { EngineParts, EngineSettings } from './parts.js';
import type { StepRunner } from './step-runner.js';

/** Tasks looked at in one go. */
const PAGE = 200;

/** Rounds within one tick, so that a great backlog does not keep a loop from stopping. */
const PAGES_MAX = 20;

/**
 * A queue with more messages than this is not sent to again: the lost message is probably just
 * waiting.
 */
const CROWDED_FROM = 50;

/**
 * Moves tasks whose `wakeAt` has passed. It makes the protocol correct: whatever message, process
 * or timer was lost, the task is looked at again. Any number of copies may run; the revision lets
 * one of them win.
 */
export class Governance {
  /**
   * Last moment at which renewals could not have been seen; by the monotonic clock, because the
   * other may be set back.
   */
  private blindUntil: number | null = null;
  private lookedAt: number | null = null;

  constructor(
    private readonly parts: EngineParts,
    private readonly settings: EngineSettings,
    private readonly runner: StepRunner,
  ) {}

  /**
   * Looks at everything that is due now; resolves to the number of tasks moved. Throws
   * `StoreUnavailable`.
   */
  async tick(): Promise<number> {
    this.noticeStall();
    try {
      return await this.lookAtDue();
    } catch (error) {
      this.blindUntil = this.parts.clock.monotonic();
      throw error;
    } finally {
      this.lookedAt = this.parts.clock.monotonic();
    }
  }

  private async lookAtDue(): Promise<number> {
    let moved = 0;
    for (let page = 0; page < PAGES_MAX; page++) {
      const due = await this.parts.store.findDue(this.parts.clock.now(), PAGE);
      const silenced = await this.silencedModules(due);
      const results = await Promise.allSettled(due.map((task) => this.wake(task, silenced)));
      const won = results.filter((r) => r.status === 'fulfilled' && r.value).length;
      const failed = results.find((r) => r.status === 'rejected');
      moved += won;
      if (failed?.status === 'rejected') throw failed.reason;
      if (due.length < PAGE || won === 0) break;
    }
    return moved;
  }

  /** A process that stood still for long (stopped, starved, asleep) has not seen others renew. */
  private noticeStall(): void {
    const { clock } = this.parts;
    const { governanceIntervalMs, leaseMs } = this.settings;
    if (this.lookedAt === null) return;
    const late = clock.monotonic() - this.lookedAt - governanceIntervalMs;
    if (late > leaseMs / 2) this.blindUntil = clock.monotonic();
  }

  /**
   * For one lease after it could not see, governance does not judge leases: their holders get the
   * time to renew them or to report. Trouble of the store is so never taken for the death of an
   * executor.
   */
  private sparesLeases(): boolean {
    const { blindUntil } = this;
    if (blindUntil === null) return false;
    return this.parts.clock.monotonic() < blindUntil + this.settings.leaseMs;
  }

  /** Looks at one task now if something of it is due. */
  async wakeTask(taskId: string): Promise<void> {
    const task = await this.parts.store.get(taskId);
    if (task === null || task.wakeAt === null || task.wakeAt > this.parts.clock.now()) return;
    await this.wake(task, await this.silencedModules([task]));
  }

  /**
   * A retry or a look that is due before the next round gets a timer of its own; the round covers a
   * lost one.
   */
  wakeSoon(task: Task): void {
    if (task.wakeAt === null) return;
    const waitMs = task.wakeAt - this.parts.clock.now();
    if (waitMs > this.settings.governanceIntervalMs || !hasTimer(task)) return;
    this.parts.clock.after(Math.max(0, waitMs), () => {
      this.wakeTask(task.plan.taskId).catch(() => {
        // The next round finds it.
      });
    });
  }

  private async wake(task: Task, silenced: SilencedModules): Promise<boolean> {
    const { runner } = this;
    const result = await moveTask(runner, task, (current, options) => {
      const event = { kind: 'tick', ...silenced, sparesLeases: this.sparesLeases() } as const;
      return transition(current, event, options);
    });
    if (result.kind !== 'committed') return false;
    this.wakeSoon(result.task);
    await runner.sender.send(result.dispatches);
    return true;
  }

  /**
   * While the broker is away, what waits for a message is left alone: it stays due, and the first
   * round after the broker came back sends it. Modules served here need no message.
   */
  private async silencedModules(tasks: readonly Task[]): Promise<SilencedModules> {
    const { catalogue, transport } = this.parts;
    const modules = [...new Set(tasks.flatMap(queuedModules))];
    if (transport.obstacle === null) {
      return { crowded: await this.crowdedModules(modules), unreachable: [] };
    }
    const served = catalogue.modules();
    return { crowded: [], unreachable: modules.filter((module) => !served.includes(module)) };
  }

  private async crowdedModules(modules: readonly string[]): Promise<readonly string[]> {
    const checks = modules.map(async (module) => {
      const depth = await this.parts.transport.depth(module);
      return (depth ?? 0) > CROWDED_FROM ? [module] : [];
    });
    return (await Promise.all(checks)).flat();
  }
}

/** Modules that get no message now; see `Tick`. */
interface SilencedModules {
  readonly crowded: readonly string[];
  readonly unreachable: readonly string[];
}

function queuedModules(task: Task): readonly string[] {
  const modules: string[] = [];
  const add = (run: ActionRun | null, direction: Direction, step: number): void => {
    const module = actionOf(task.plan, { direction, step })?.module;
    if (run?.state === 'queued' && module !== undefined) modules.push(module);
  };
  task.runs.forEach(({ normal, rollback }, step) => {
    add(normal, 'normal', step);
    add(rollback, 'rollback', step);
  });
  add(task.alert, 'alert', task.alertStep ?? 0);
  return modules;
}

function hasTimer(task: Task): boolean {
  const waits = (run: ActionRun | null): boolean => run?.state === 'waiting';
  return waits(task.alert) || task.runs.some((r) => waits(r.normal) || waits(r.rollback));
}
