import { useEffect, useState } from 'preact/hooks';
import { api } from '../api/client.js';
import { Refused } from '../api/exchange.js';
import { readEvents } from '../api/events.js';
import type { Task, TaskEvent } from '../api/shapes.js';
import { pause } from '../browser/clock.js';
import { isFinal } from './steps.js';

/** A task as it is now, and what happened to it. */
interface Followed {
  readonly task: Task | null;
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
const ENDED_MS = 2_000;
/** A task with many steps is large: it is not fetched for each of its events. */
const GATHER_MS = 150;

/** Follows a task by its event stream; goes on by itself when the gateway was away. */
export function useTask(taskId: string): Following {
  const [state, set] = useState<Followed>(BLANK);
  useEffect(() => {
    const controller = new AbortController();
    set(BLANK);
    const follower = new Follower(taskId, controller.signal, (change) => {
      if (!controller.signal.aborted) set((before) => ({ ...before, ...change(before) }));
    });
    void follower.run();
    return () => controller.abort();
  }, [taskId]);
  return { ...state, take: (task) => set((before) => ({ ...before, ...newer(before, task) })) };
}

type Change = (before: Followed) => Partial<Followed>;

class Follower {
  private last = 0;
  private isGathering = false;
  private failures = 0;

  constructor(
    private readonly taskId: string,
    private readonly signal: AbortSignal,
    private readonly tell: (change: Change) => void,
  ) {}

  async run(): Promise<void> {
    while (!this.signal.aborted) {
      try {
        const task = await this.fetch();
        await this.stream();
        const ended = await this.fetch();
        const isQuiet = isFinal(ended.status) && ended.revision === task.revision;
        if (isQuiet) await pause(ENDED_MS, this.signal);
      } catch (error) {
        if (this.signal.aborted) return;
        if (error instanceof Refused && error.problem.status !== 429) {
          return this.tell(() => ({ refusal: error, isAway: false }));
        }
        this.tell(() => ({ isAway: true }));
        const wait = AWAY_MS[Math.min(this.failures, AWAY_MS.length - 1)] ?? ENDED_MS;
        this.failures += 1;
        await pause(wait, this.signal);
      }
    }
  }

  private async fetch(): Promise<Task> {
    const task = await api.task(this.taskId, this.signal);
    this.failures = 0;
    this.tell((before) => ({ isAway: false, ...newer(before, task) }));
    return task;
  }

  private stream(): Promise<void> {
    return readEvents({
      taskId: this.taskId,
      after: this.last,
      signal: this.signal,
      onOpen: () => this.tell(() => ({ isAway: false })),
      onEvent: (event) => {
        if (event.seq <= this.last) return;
        this.last = event.seq;
        this.tell(({ events }) => ({ events: [...events, event] }));
        void this.gather();
      },
    });
  }

  /** One look at the task for all events of a moment; errors show in the stream too. */
  private async gather(): Promise<void> {
    if (this.isGathering) return;
    this.isGathering = true;
    await pause(GATHER_MS, this.signal);
    this.isGathering = false;
    if (!this.signal.aborted) await this.fetch().catch(() => {});
  }
}

/** Answers may overtake each other. */
function newer({ task }: Followed, next: Task): Partial<Followed> {
  return task !== null && task.taskId === next.taskId && task.revision > next.revision
    ? {}
    : { task: next };
}
