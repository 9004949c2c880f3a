import { CliError, EXIT } from '../exit.js';
import type { BackstepClient } from './backstep-client.js';
import { rest, unreachable } from './http.js';
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
  /** The connection broke and is made again. */
  readonly onBreak?: (reason: string) => void;
}

const ENDS: ReadonlySet<string> = new Set(['succeeded', 'rolled_back', 'terminated']);
const MOVING: ReadonlySet<string> = new Set(['queued', 'running', 'waiting']);

/** Pauses before a broken connection is made again, in milliseconds. */
const PAUSES = [100, 250, 500, 1_000, 2_000, 2_000, 2_000, 2_000];

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

/** Follows a task until it stands still, over broken connections. Resolves to what it came to. */
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
  #failures = 0;

  constructor(
    private readonly client: BackstepClient,
    private readonly taskId: string,
    private readonly followers: Followers,
  ) {}

  async run(): Promise<Sight> {
    for (;;) {
      const sight = await this.#look();
      if (standsStill(sight.task)) return this.#finish(sight);
      try {
        if (await this.#readStream()) this.#failures = 0;
        else await rest(EMPTY_PAUSE_MS, this.client.options.signal);
      } catch (error) {
        await this.#survive(error);
      }
    }
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
    this.#take(await this.client.events(this.taskId, this.#last()));
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

  async #survive(error: unknown): Promise<void> {
    const { signal } = this.client.options;
    signal.throwIfAborted();
    const pauseMs = PAUSES[this.#failures];
    // Only what the network does is survived; a refusal is an answer.
    if (error instanceof CliError && error.exitCode !== EXIT.unreachable) throw error;
    if (pauseMs === undefined) throw unreachable(this.client.options, error as Error);
    this.#failures += 1;
    this.followers.onBreak?.((error as Error).message);
    await rest(pauseMs, signal);
  }
}
