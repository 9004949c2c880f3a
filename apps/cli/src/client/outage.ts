import { CliError, EXIT } from '../exit.js';
import { type HttpOptions, rest, unreachable } from './http.js';

/** Callbacks about a connection; each of them comes once for each time that it is lost. */
export interface OutageListener {
  /** Backstep cannot be reached, and is asked again. */
  readonly lost: (reason: string) => void;
  readonly regained: () => void;
}

/** Pauses between tries, in milliseconds; the last one is that of all further ones. */
const PAUSES = [100, 250, 500, 1_000, 2_000];

/** About ten minutes: so long is tried where no time limit ends the command. */
const TRIES_MAX = 300;

/**
 * Carries a command that waits over the time in which Backstep cannot be reached, such as a restart
 * of its gateway. Of one that has reached it before, and for reads alone: they are repeated.
 */
export class Outage {
  #failures = 0;
  #isLost = false;

  constructor(
    private readonly options: HttpOptions,
    private readonly listener?: OutageListener | undefined,
    private readonly triesMax = TRIES_MAX,
  ) {}

  /** Repeats a read until it is answered. Throws what is no matter of the connection. */
  async bridge<T>(read: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        const answer = await read();
        if (this.#isLost) this.listener?.regained();
        this.#isLost = false;
        return answer;
      } catch (error) {
        await this.survive(error);
        if (!this.#isLost) this.listener?.lost((error as Error).message);
        this.#isLost = true;
      }
    }
  }

  /**
   * Waits before another try. Throws the error where it is an answer, and that nobody is there
   * after this many tries.
   */
  async survive(error: unknown): Promise<void> {
    const { hasLimit = false, signal } = this.options;
    signal.throwIfAborted();
    if (error instanceof CliError && error.exitCode !== EXIT.unreachable) throw error;
    if (!hasLimit && this.#failures >= this.triesMax) {
      throw error instanceof CliError ? error : unreachable(this.options, error as Error);
    }
    const pauseMs = PAUSES[Math.min(this.#failures, PAUSES.length - 1)] ?? 0;
    this.#failures += 1;
    await rest(pauseMs, signal);
  }

  /** The connection works: the next time that it is lost is the first one. */
  settle(): void {
    this.#failures = 0;
  }
}
