import type { BackstepClient } from './backstep-client.js';
import { rest } from './http.js';
import { Outage, type OutageListener } from './outage.js';
import type { StepReport, TaskEvent, TaskReport } from './types.js';

/** A task and all that was seen to happen to it. */
export interface Sight {
  readonly task: TaskReport;
  readonly events: readonly TaskEvent[];
}

/** Callbacks while a task is followed. */
export interface Followers {
  /** Each event once, in order. */
  readonly onEvents?: (events: readonly TaskEvent[], task: TaskReport) => void;
  /** The task as it is now, after it changed. */
  readonly onTask?: (sight: Sight) => void;
  /** The connection to Backstep is lost, and there again. */
  readonly onOutage?: OutageListener;
}

const ENDS: ReadonlySet<string> = new Set(['succeeded', 'rolled_back', 'terminated']);
const MOVING: ReadonlySet<string> = new Set(['queued', 'running', 'waiting']);

/** Before a stream that ended without an event is asked for again, in milliseconds. */
const EMPTY_PAUSE_MS = 1_000;

/**
 * Nothing moves any more without a person. Where one rollback has failed, those that run beside it
 * still come to their ends.
 */
export function standsStill({
  hold,
  status,
  steps,
}: Pick<TaskReport, 'hold' | 'status' | 'steps'>): boolean {
  const isHeld = status === 'on_hold' && hold?.until === null;
  if (status !== 'rollback_failed' && !isHeld) return ENDS.has(status);
  return !commandsIn(steps).some(({ rollback, state }) => {
    return MOVING.has(state) || MOVING.has(rollback?.state ?? '');
  });
}

/** The steps that are commands or wait, also those in steps that hold steps. */
export function commandsIn(steps: readonly StepReport[]): readonly StepReport[] {
  return steps.flatMap((step) => {
    if (step.children !== undefined) return [];
    if (step.scopes === undefined) return [step];
    return step.scopes.flatMap((scope) => commandsIn(scope.steps));
  });
}

/**
 * Follows a task until it stands still, over broken connections. Resolves to what it came to. The
 * first look is not repeated: where nobody is there, that is known at once.
 */
export async function followTask(
  client: BackstepClient,
  taskId: string,
  followers: Followers,
): Promise<Sight> {
  const following = new Following(client, taskId, followers);
  return following.run();
}

class Following {
  readonly #events: TaskEvent[] = [];
  #task: TaskReport | undefined;
  readonly #outage: Outage;

  constructor(
    private readonly client: BackstepClient,
    private readonly taskId: string,
    private readonly followers: Followers,
  ) {
    this.#outage = new Outage(client.options, followers.onOutage);
  }

  async run(): Promise<Sight> {
    let sight = await this.#look();
    while (!standsStill(sight.task)) {
      try {
        const hasEvents = await this.#readStream();
        this.#outage.settle();
        if (!hasEvents) await rest(EMPTY_PAUSE_MS, this.client.options.signal);
      } catch (error) {
        await this.#outage.survive(error);
      }
      sight = await this.#outage.bridge(() => this.#look());
    }
    return this.#finish(sight);
  }

  /** Reads events until the stream ends or the task stands still; whether there were any. */
  async #readStream(): Promise<boolean> {
    let some = false;
    for await (const events of this.client.stream(this.taskId, this.#last())) {
      some = true;
      this.#take(events);
      const { task } = await this.#look();
      if (standsStill(task)) return true;
    }
    return some;
  }

  async #look(): Promise<Sight> {
    const before = this.#task?.revision;
    const task = await this.client.getTask(this.taskId);
    this.#task = task;
    const sight = { task, events: this.#events };
    if (task.revision !== before) this.followers.onTask?.(sight);
    return sight;
  }

  /** The stream may have been behind the task: its last events are asked for. */
  async #finish(sight: Sight): Promise<Sight> {
    const read = () => this.client.events(this.taskId, this.#last());
    this.#take(await this.#outage.bridge(read));
    this.followers.onTask?.(sight);
    return sight;
  }

  #take(events: readonly TaskEvent[]): void {
    const last = this.#last();
    const news = events.filter(({ seq }) => seq > last);
    this.#events.push(...news);
    if (news.length > 0 && this.#task) this.followers.onEvents?.(news, this.#task);
  }

  #last(): number {
    return this.#events.at(-1)?.seq ?? 0;
  }
}
