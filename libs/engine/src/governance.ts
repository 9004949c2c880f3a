import type { ActionRun, EventOf, Task } from '#core';
import { ownersOf } from '#core/read';
import { openActions, runOf } from '#core/scopes';
import { propose } from '#core/transitions';
import type { EngineParts, EngineSettings } from './parts.js';
import type { AwaitedCommand, AwaitedCommands } from './awaited-commands.js';
import type { SessionWatch } from './session-watch.js';
import { Silence, type SilencedModules } from './silence.js';
import type { Pieces } from './pieces.js';
import { UnmovableTasks } from './recovery.js';

/** Tasks looked at in one go. */
const PAGE = 200;

/** Rounds within one tick, so that a great backlog does not keep a loop from stopping. */
const PAGES_MAX = 20;

/**
 * The facts of a round besides its tasks: modules that get no message, and sessions that are over.
 */
type Known = SilencedModules &
  Required<Pick<EventOf<'tick'>, 'ended'>> &
  Pick<EventOf<'tick'>, 'arrived' | 'unserved'>;

/** The result of a look at one task; `waiting`: it is due, and nothing can be done for it now. */
type Look = 'moved' | 'waiting' | 'overtaken';

/**
 * Moves tasks whose `wakeAt` has passed. It makes the protocol correct: whatever message, process
 * or timer was lost, the task is looked at again. Any number of copies may run; the revision lets
 * one of them win.
 */
export class Governance {
  /** Due tasks at the head that wait for the broker: they must not hide those behind them. */
  private passedOver = 0;
  private readonly unmovable: UnmovableTasks;

  constructor(
    private readonly parts: EngineParts,
    private readonly settings: EngineSettings,
    private readonly pieces: Pick<Pieces, 'mover' | 'state' | 'strays'>,
    private readonly others: { readonly awaited: AwaitedCommands; readonly watch: SessionWatch },
  ) {
    this.unmovable = new UnmovableTasks(parts.observer);
  }

  /**
   * Looks at everything that is due now; resolves to the number of tasks moved. Throws
   * `StoreUnavailable`.
   */
  tick(): Promise<number> {
    const { awaited } = this.others;
    return this.pieces.state.session.sight.during(async () => {
      await awaited.look();
      return (await this.lookAtDue()) + (await this.wakeArrived());
    });
  }

  /** Commands that no executor has, and that steps wait for, as far as this process has seen. */
  awaitedCommands(): readonly AwaitedCommand[] {
    return this.others.awaited.list();
  }

  /** Looks at tasks that sessions hold which are over. Throws `StoreUnavailable`. */
  async wakeHeld(tasks: readonly Task[], ended: ReadonlySet<string>): Promise<void> {
    const known = await this.knownOf(tasks, this.silence());
    await this.wakeAll(tasks, { ...known, ended });
  }

  /** Sends what waited for commands that an executor has now; resolves to the number of tasks. */
  private async wakeArrived(): Promise<number> {
    const { awaited } = this.others;
    const arrival = awaited.arrival();
    if (arrival === null) return 0;
    const { commands: arrived, taskIds } = arrival;
    const nothing = { crowded: new Map(), unreachable: [], ended: new Set<string>() };
    let moved = 0;
    for (let from = 0; from < taskIds.length; from += PAGE) {
      const page = taskIds.slice(from, from + PAGE);
      const found = await Promise.all(page.map((taskId) => this.parts.store.get(taskId)));
      const tasks = found.filter((task) => task !== null);
      const looks = await this.wakeAll(tasks, { ...nothing, arrived });
      moved += looks.filter((look) => look === 'moved').length;
    }
    awaited.settle(arrived);
    return moved;
  }

  private async knownOf(tasks: readonly Task[], silence: Silence): Promise<Omit<Known, 'ended'>> {
    return { ...(await silence.around(tasks)), unserved: this.others.awaited.among(tasks) };
  }

  private async lookAtDue(): Promise<number> {
    const { clock, store, transport } = this.parts;
    const silence = this.silence();
    if (transport.obstacle === null) this.passedOver = 0;
    let moved = 0;
    for (let page = 0; page < PAGES_MAX; page++) {
      const range = { skip: this.passedOver, share: this.others.watch.dueShare() };
      const due = await store.findDue(clock.now(), PAGE, range);
      const known = await this.knownOf(due, silence);
      const looks = await this.wakeAll(due, { ...known, ended: await this.endedAmong(due) });
      const won = looks.filter((look) => look === 'moved').length;
      const waiting = looks.filter((look) => look === 'waiting').length;
      moved += won;
      this.passedOver = due.length < PAGE ? 0 : this.passedOver + waiting;
      if (due.length < PAGE || won === 0) break;
    }
    return moved;
  }

  /**
   * Throws what one of them threw, after all were looked at; a task that is at fault itself holds
   * up no other.
   */
  private async wakeAll(due: readonly Task[], known: Known): Promise<readonly Look[]> {
    const results = await Promise.allSettled(due.map((task) => this.wake(task, known)));
    return results.map((result) => {
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    });
  }

  /** Looks at one task now if something of it is due. */
  async wakeTask(taskId: string): Promise<void> {
    const task = await this.parts.store.get(taskId);
    if (task === null || task.wakeAt === null || task.wakeAt > this.parts.clock.now()) return;
    const known = await this.knownOf([task], this.silence());
    await this.wake(task, { ...known, ended: await this.endedAmong([task]) });
  }

  /**
   * Holders of running actions that are past their deadlines, as far as their sessions are over.
   */
  private endedAmong(due: readonly Task[]): Promise<ReadonlySet<string>> {
    const now = this.parts.clock.now();
    const overdue = due.filter((task) => isOverdue(task, now));
    return this.others.watch.overAmong(new Set(overdue.flatMap((task) => ownersOf(task))));
  }

  private silence(): Silence {
    return new Silence(this.parts, this.settings.timing, this.pieces.state.admissions);
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

  private async wake(task: Task, known: Known): Promise<Look> {
    const event = { kind: 'tick', ...known } as const;
    const result = await this.pieces.mover
      .move(task, (current, moment) => propose(current, event, { moment }))
      .catch((error: unknown) => this.unmovable.tell(task, error));
    if (result === undefined) return 'waiting';
    if (result.kind === 'missing') return 'overtaken';
    if (result.kind !== 'committed') {
      this.pieces.strays.lookIn(result.task);
      return result.task === task ? 'waiting' : 'overtaken';
    }
    return 'moved';
  }
}

function isOverdue(task: Task, now: number): boolean {
  const isIt = (run: ActionRun | null): boolean =>
    run?.state === 'running' && (run.dueAt ?? 0) <= now;
  return openActions(task).some((ref) => isIt(runOf(task, ref)));
}

function hasTimer(task: Task): boolean {
  return openActions(task).some((ref) => runOf(task, ref)?.state === 'waiting');
}
