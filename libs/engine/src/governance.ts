import { type ActionRun, type Task, transition } from '#core';
import { moveTask } from './move-task.js';
import { toMonotonic } from './claim.js';
import type { EngineParts, EngineSettings } from './parts.js';
import { Silence, type SilencedModules } from './silence.js';
import type { StepRunner } from './step-runner.js';

/** Tasks looked at in one go. */
const PAGE = 200;

/** Rounds within one tick, so that a great backlog does not keep a loop from stopping. */
const PAGES_MAX = 20;

/** What looking at one task came to; `waiting`: it is due, and nothing can be done for it now. */
type Look = 'moved' | 'waiting' | 'overtaken';

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
  /** How far the monotonic clock was from the time of day then. */
  private shift = 0;
  /** Due tasks at the head that wait for the broker: they must not hide those behind them. */
  private passedOver = 0;

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
      const { clock } = this.parts;
      this.lookedAt = clock.monotonic();
      this.shift = toMonotonic(clock);
    }
  }

  private async lookAtDue(): Promise<number> {
    const { clock, store, transport } = this.parts;
    const silence = new Silence(this.parts, this.settings.timing);
    if (transport.obstacle === null) this.passedOver = 0;
    let moved = 0;
    for (let page = 0; page < PAGES_MAX; page++) {
      const due = await store.findDue(clock.now(), PAGE, this.passedOver);
      const silenced = await silence.around(due);
      const looks = await this.wakeAll(due, silenced);
      const won = looks.filter((look) => look === 'moved').length;
      const waiting = looks.filter((look) => look === 'waiting').length;
      moved += won;
      this.passedOver = due.length < PAGE ? 0 : this.passedOver + waiting;
      if (due.length < PAGE || won === 0) break;
    }
    return moved;
  }

  /** Throws what one of them threw, after all were looked at. */
  private async wakeAll(due: readonly Task[], silenced: SilencedModules): Promise<readonly Look[]> {
    const results = await Promise.allSettled(due.map((task) => this.wake(task, silenced)));
    return results.map((result) => {
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    });
  }

  /**
   * A process that stood still for long (stopped, starved, asleep) has not seen others renew. Where
   * its clock was set meanwhile, leases seem to have ended that have not.
   */
  private noticeStall(): void {
    const { clock } = this.parts;
    const { governanceIntervalMs, leaseMs } = this.settings;
    if (this.lookedAt === null) return;
    const now = clock.monotonic();
    const late = now - this.lookedAt - governanceIntervalMs;
    const set = Math.abs(toMonotonic(clock) - this.shift);
    if (Math.max(late, set) > leaseMs / 2) this.blindUntil = now;
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
    await this.wake(task, await new Silence(this.parts, this.settings.timing).around([task]));
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

  private async wake(task: Task, silenced: SilencedModules): Promise<Look> {
    const { runner } = this;
    const result = await moveTask(runner, task, (current, options) => {
      const event = { kind: 'tick', ...silenced, sparesLeases: this.sparesLeases() } as const;
      return transition(current, event, options);
    });
    if (result.kind === 'missing') return 'overtaken';
    if (result.kind !== 'committed') return result.task === task ? 'waiting' : 'overtaken';
    this.wakeSoon(result.task);
    await runner.sender.send(result.dispatches);
    return 'moved';
  }
}

function hasTimer(task: Task): boolean {
  const waits = (run: ActionRun | null): boolean => run?.state === 'waiting';
  return waits(task.alert) || task.runs.some((r) => waits(r.normal) || waits(r.rollback));
}
