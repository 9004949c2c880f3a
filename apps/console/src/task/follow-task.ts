import { useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../api/client.js';
import { isForGood, type Refused } from '../api/exchange.js';
import { readEvents } from '../api/events.js';
import type { Task, TaskEvent } from '../api/shapes.js';
import { now, pause } from '../browser/clock.js';
import { untilBack, untilSeen } from '../ui/rest.js';
import { isFinal } from './steps.js';

/** A task as it is now, and what happened to it. */
interface Followed {
  readonly task: Task | null;
  /** The newest of them. */
  readonly events: readonly TaskEvent[];
  readonly isAway: boolean;
  readonly refusal: Refused | null;
}

/** The state of following a task, and a way to hand it a newer task that the page has. */
interface Following extends Followed {
  readonly take: (task: Task) => void;
}

const BLANK: Followed = { task: null, events: [], isAway: false, refusal: null };
const AWAY_MS = [250, 500, 1_000, 2_000] as const;
const AGAIN_MS = 2_000;
/** A task with many steps is large: it is not fetched and drawn for each of its events. */
const GATHER_MS = { least: 150, most: 3_000 } as const;
/** How much longer than the last look took the page waits for the next one. */
const GATHER_SHARE = 8;
/** The page keeps this many events; a task that goes round for days has no end of them. */
const EVENTS_MAX = 4_000;

/**
 * Follows a task by its event stream while the page can be seen; goes on by itself when the gateway
 * was away. After the end of a task nothing is asked, until a person acts on it or comes back.
 */
export function useTask(taskId: string): Following {
  const [state, set] = useState<Followed>(BLANK);
  const current = useRef<Follower | null>(null);
  useEffect(() => {
    const controller = new AbortController();
    set(BLANK);
    const follower = new Follower(taskId, controller.signal, (change) => {
      if (!controller.signal.aborted) set((before) => changed(before, change(before)));
    });
    current.current = follower;
    void follower.run();
    return () => controller.abort();
  }, [taskId]);
  const take = (task: Task): void => {
    set((before) => ({ ...before, ...newer(before, task) }));
    current.current?.goOn();
  };
  return { ...state, take };
}

type Change = (before: Followed) => Partial<Followed>;

/** The same object where nothing differs: it is not drawn again. */
function changed(before: Followed, change: Partial<Followed>): Followed {
  const next = { ...before, ...change };
  const members = Object.keys(next) as (keyof Followed)[];
  return members.some((member) => next[member] !== before[member]) ? next : before;
}

/** Follows one task; see {@link useTask}. */
export class Follower {
  /** As it was answered last. */
  private known: Task | null = null;
  private asking: Promise<unknown> = Promise.resolve();
  private last = 0;
  private fresh: TaskEvent[] = [];
  private isGathering = false;
  private isNews = false;
  private gatherMs: number = GATHER_MS.least;
  private failures = 0;
  /** Aborted when a person acts: also on a task whose end is only being looked at. */
  private rest = new AbortController();

  constructor(
    private readonly taskId: string,
    private readonly signal: AbortSignal,
    private readonly tell: (change: Change) => void,
  ) {}

  async run(): Promise<void> {
    this.signal.addEventListener('abort', () => this.rest.abort());
    while (!this.signal.aborted) {
      this.rest = new AbortController();
      try {
        await untilSeen(this.signal);
        const [task, isEnded] = await this.look();
        const ended = await this.fetch();
        if (isEnded && isFinal(ended.status) && ended === task) await untilBack(this.rest.signal);
      } catch (error) {
        if (this.signal.aborted) return;
        if (isForGood(error)) return this.tell(() => ({ refusal: error, isAway: false }));
        this.tell(() => ({ isAway: true }));
        const wait = AWAY_MS[Math.min(this.failures, AWAY_MS.length - 1)] ?? AGAIN_MS;
        this.failures += 1;
        await pause(wait, this.signal);
      }
    }
  }

  /** A person acted on the task: it may go on after its end. */
  goOn(): void {
    this.rest.abort();
  }

  /** The task, and the stream of its events until that ends: what happened so far comes first. */
  private async look(): Promise<readonly [task: Task, isEnded: boolean]> {
    const turn = new AbortController();
    const end = (): void => turn.abort();
    this.signal.addEventListener('abort', end);
    try {
      return await Promise.all([this.fetch(), this.stream(turn)]);
    } finally {
      end();
      this.signal.removeEventListener('abort', end);
    }
  }

  /** One after the other: each answer has all that happened before it was asked for. */
  private fetch(): Promise<Task> {
    const next = this.asking.then(() => this.ask());
    this.asking = next.catch(() => {});
    return next;
  }

  /** A task with many steps is large: it is sent again only where it has changed. */
  private async ask(): Promise<Task> {
    const { known, signal, taskId } = this;
    const task =
      known === null
        ? await api.task(taskId, signal)
        : ((await api.newerTask(taskId, known.revision, signal)) ?? known);
    this.known = task;
    this.failures = 0;
    const { fresh } = this;
    this.fresh = [];
    this.tell((before) => ({
      isAway: false,
      ...newer(before, task),
      ...(fresh.length > 0 && { events: [...before.events, ...fresh].slice(-EVENTS_MAX) }),
    }));
    return task;
  }

  /** Whether the server ended it; a page that nobody sees ends it, since browsers open few. */
  private async stream(seen: AbortController): Promise<boolean> {
    const leave = (): void => {
      if (document.visibilityState !== 'visible') seen.abort();
    };
    document.addEventListener('visibilitychange', leave);
    try {
      await readEvents({
        taskId: this.taskId,
        after: this.last,
        signal: seen.signal,
        onOpen: () => this.tell(() => ({ isAway: false })),
        onEvent: (event) => this.hear(event),
      });
      return true;
    } catch (error) {
      if (seen.signal.aborted && !this.signal.aborted) return false;
      throw error;
    } finally {
      document.removeEventListener('visibilitychange', leave);
    }
  }

  private hear(event: TaskEvent): void {
    if (event.seq <= this.last) return;
    this.last = event.seq;
    this.fresh.push(event);
    this.isNews = true;
    void this.gather();
  }

  /**
   * One look at the task for all events of a moment. A look that fails is repeated, though the
   * stream goes on: it may have nothing more to tell for hours.
   */
  private async gather(): Promise<void> {
    if (this.isGathering) return;
    this.isGathering = true;
    while (this.isNews && !this.signal.aborted) {
      await pause(this.gatherMs, this.signal);
      this.isNews = false;
      const from = now();
      const isOver = this.signal.aborted || (await this.fetch().then(() => true, isForGood));
      // Behind the drawing of what was told.
      await pause(0, this.signal);
      if (!isOver) this.isNews = true;
      const wanted = isOver ? GATHER_SHARE * (now() - from) : AGAIN_MS;
      this.gatherMs = Math.min(GATHER_MS.most, Math.max(GATHER_MS.least, wanted));
    }
    this.isGathering = false;
  }
}

/** Whether it is known that there is no such task. */
export function isGone({ refusal }: Pick<Followed, 'refusal'>): boolean {
  return refusal?.problem.code === 'TASK_NOT_FOUND';
}

/** The refusal that the page has to say. That there is no task to show, its heading says. */
export function refusalToSay(followed: Pick<Followed, 'refusal' | 'task'>): Refused | null {
  return followed.task === null && isGone(followed) ? null : followed.refusal;
}

/** Answers may overtake each other. */
function newer({ task }: Followed, next: Task): Partial<Followed> {
  return task !== null && task.taskId === next.taskId && task.revision > next.revision
    ? {}
    : { task: next };
}
