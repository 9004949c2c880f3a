import { BackstepClient } from './backstep-client.js';
import { type Followers, followTask, type Sight, standsStill } from './follow-task.js';
import { rest } from './http.js';
import type { CauseReport, ExplanationReport } from './types.js';

/** Causes that pass as a matter of course, once a person answers: the follower goes on. */
const ANSWERED: ReadonlySet<string> = new Set(['WAITS_FOR_APPROVAL', 'WAITS_FOR_SIGNAL', 'PAUSED']);

/** Default of `stillMs`. */
const STILL_MS = 3_000;

/** Callbacks while a task is followed until nothing moves in it or below it. */
export interface StillFollowers extends Followers {
  /** Nothing moves, and for another reason than was told last. */
  readonly onStill?: (explained: ExplanationReport) => void;
  /** How long nothing has to happen before it is asked why, in milliseconds. Default: 3,000. */
  readonly stillMs?: number;
}

/** A task that was followed. */
export interface Followed {
  readonly sight: Sight;
  /** Why it stands still because of its child tasks; absent: it does so by itself. */
  readonly explained?: ExplanationReport;
}

/**
 * Follows a task until it stands still, or each child task that it waits for does. Throws as
 * `followTask` does.
 */
export async function followUntilStill(
  client: BackstepClient,
  taskId: string,
  { onStill, onTask, stillMs = STILL_MS, ...followers }: StillFollowers,
): Promise<Followed> {
  const watch = new StillWatch(client, taskId, { onStill, stillMs });
  const seen = (sight: Sight): void => {
    watch.seen(sight);
    onTask?.(sight);
  };
  void watch.run();
  try {
    const sight = await followTask(watch.client, taskId, { ...followers, onTask: seen });
    return { sight };
  } catch (error) {
    const found = watch.found;
    if (found === undefined || client.options.signal.aborted) throw error;
    onTask?.(found.sight);
    return found;
  } finally {
    watch.stop();
  }
}

/** Asks why a task does not move whenever nothing was heard of it for a while. */
class StillWatch {
  /** Its requests end once it is known that nothing moves. */
  readonly client: BackstepClient;
  found: Followed | undefined;
  private readonly over = new AbortController();
  private sight: Sight | undefined;
  private told = '';
  /** The revision that was found by the look before. */
  private latest = 0;

  constructor(
    private readonly source: BackstepClient,
    private readonly taskId: string,
    private readonly terms: {
      readonly onStill: StillFollowers['onStill'] | undefined;
      readonly stillMs: number;
    },
  ) {
    const { options } = source;
    const end = (): void => this.over.abort(options.signal.reason);
    if (options.signal.aborted) end();
    options.signal.addEventListener('abort', end, { once: true });
    this.client = new BackstepClient({ ...options, signal: this.over.signal });
  }

  seen(sight: Sight): void {
    this.sight = sight;
  }

  stop(): void {
    this.over.abort(new Error('no longer followed'));
  }

  /** Never rejects: where the gateway does not answer, the follower notices. */
  async run(): Promise<void> {
    const { signal } = this.client.options;
    while (!signal.aborted) {
      const before = this.sight;
      await rest(this.terms.stillMs, signal).catch(() => {});
      if (signal.aborted || before === undefined || before !== this.sight) continue;
      await this.look(before).catch(() => {});
    }
  }

  private async look(sight: Sight): Promise<void> {
    const explained = await this.source.ask('GET /v1/tasks/{taskId}/why', {
      path: { taskId: this.taskId },
    });
    if (sight !== this.sight || explained.moving) return;
    // The follower may have lost its connection: what it has not heard of yet is no standstill. But
    // no event tells that child tasks were counted. It sees for itself that the task stands still.
    const task = await this.source.getTask(this.taskId);
    const isNew = task.revision !== sight.task.revision && task.revision !== this.latest;
    this.latest = task.revision;
    if (isNew || standsStill(task)) return;
    const about = keyOf(explained.causes[0]);
    if (about !== this.told) this.terms.onStill?.(explained);
    this.told = about;
    if (!explained.standsStill || ANSWERED.has(explained.causes[0]?.code ?? '')) return;
    this.found = { sight: { ...sight, task }, explained };
    this.stop();
  }
}

/** Tells causes apart by their subjects: messages may change by the second. */
function keyOf(cause: CauseReport | undefined): string {
  const { step, taskId } = cause?.evidence ?? {};
  return JSON.stringify([cause?.code, taskId, step]);
}
