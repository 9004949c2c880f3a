import { SystemClock, type SkippingClock } from '#machine';
import type { ProcessContext } from '#process';
import type { AwaitedNews, Standing } from './standing.js';
import { TaskLooks } from './task-looks.js';

/** How long nothing may move until a task that should move is given up, in real milliseconds. */
const HANGS_MS = 60_000;
/** How long `advance` waits for a command, in real milliseconds. */
const COMMAND_MS = 2_000;
/** Looks while nothing moves, in real milliseconds: for what no move of a task tells. */
const LOOK_MS = 250;

/** Lets tasks settle, and time pass in between. */
export class TaskRests {
  readonly looks: TaskLooks;
  readonly #machine = new SystemClock();
  #movedAt = this.#machine.monotonic();

  constructor(
    private readonly context: ProcessContext,
    private readonly clock: SkippingClock,
  ) {
    this.looks = new TaskLooks(context);
    context.engine.watch.watchAny(() => {
      this.#movedAt = this.#machine.monotonic();
    });
  }

  /** Lets a task rest; resolves to all that it waits for then, none where it has ended. */
  async rest(taskId: string): Promise<readonly AwaitedNews[]> {
    for (;;) {
      const standing = await this.settled(taskId);
      if (standing.isMoving) return [...standing.awaited, hangs(standing)];
      const { awaited, due, limit } = standing;
      // An answer that a person might give must not come too late.
      const next = awaited.length === 0 ? Math.min(due, limit) : due;
      if (next === Infinity || next > limit) return awaited;
      this.clock.skipTo(next);
    }
  }

  /** Lets everything happen that happens now to a task and to all that it waits for. */
  settled(taskId: string): Promise<Standing> {
    return this.#settle(() => this.looks.standing(taskId), HANGS_MS);
  }

  /** Lets so much time pass, in milliseconds, with all that falls due in it. */
  async advance(ms: number): Promise<void> {
    const end = this.clock.now() + ms;
    for (;;) {
      const { due, limit } = await this.#settle(() => this.looks.all(), COMMAND_MS);
      const now = this.clock.now();
      const next = Math.min(...[due, limit].filter((at) => at > now), end);
      this.clock.skipTo(next);
      if (next === end) break;
    }
    await this.#settle(() => this.looks.all(), COMMAND_MS);
  }

  async #settle(look: () => Promise<Standing>, patienceMs: number): Promise<Standing> {
    const begunAt = this.#machine.monotonic();
    for (;;) {
      const move = this.#nextMove();
      try {
        const standing = await look();
        if (!standing.isMoving) return standing;
        const quietMs = this.#machine.monotonic() - Math.max(begunAt, this.#movedAt);
        if (quietMs >= (standing.running === null ? HANGS_MS : patienceMs)) return standing;
        await move.happened;
      } finally {
        move.ignore();
      }
    }
  }

  #nextMove(): { readonly happened: Promise<void>; readonly ignore: () => void } {
    let ignore = (): void => {};
    const happened = new Promise<void>((resolve) => {
      const timer = this.#machine.after(LOOK_MS, resolve);
      const stop = this.context.engine.watch.watchAny(resolve);
      ignore = () => {
        timer.cancel();
        stop();
      };
    });
    return { happened, ignore };
  }
}

function hangs({ running }: Standing): AwaitedNews {
  const seconds = HANGS_MS / 1_000;
  const message =
    running === null
      ? `nothing has happened for ${seconds} s`
      : `the command of step ${running} has been at work for ${seconds} s`;
  return { for: 'command', step: running, message };
}
