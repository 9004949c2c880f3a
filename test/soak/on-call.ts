import type { Api, TaskView } from '../load/index.js';

const EVERY_MS = 1_000;
/** Code of a run whose time was over. */
const TIMED_OUT = 2;

/**
 * The person who is called when a rollback has failed. Where tasks live by the machine's clock, one
 * that is wrong by an hour can end the time of a rollback, and then a person has to say that it
 * shall be tried again. Any other failed rollback is left for the verdict: nothing in a soak makes
 * one fail.
 */
export class OnCall {
  /** Calls that the person came for: for each rollback tried again, its task and the reason. */
  readonly calls: string[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(private readonly api: Api) {
    this.#timer = setInterval(() => {
      // A gateway that does not answer is asked again.
      this.#look().catch(() => undefined);
    }, EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    for (const { steps, taskId } of await this.api.list('&status=rollback_failed')) {
      if (!steps.some(isOutOfTime)) continue;
      const reason = 'a wrong clock ended its time';
      const { status } = await this.api.act(taskId, 'retry', { reason });
      if (status < 300) this.calls.push(`task ${taskId}: ${reason}`);
    }
  }
}

function isOutOfTime({ rollback }: TaskView['steps'][number]): boolean {
  return rollback?.state === 'failed' && rollback.code === TIMED_OUT;
}
