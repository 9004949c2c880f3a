/**
 * A job that never runs twice at a time. A call while it runs asks for one more run after it, and
 * all such calls share that run: it begins after them, so it sees whatever they were made for.
 */
export class SerialJob {
  readonly #job: () => Promise<void>;
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  /** `job` must not reject. */
  constructor(job: () => Promise<void>) {
    this.#job = job;
  }

  /** Resolves when a run that began after this call has ended. */
  run(): Promise<void> {
    this.#next ??= this.#last.then(() => {
      this.#next = null;
      return this.#job();
    });
    this.#last = this.#next;
    return this.#next;
  }

  /** Resolves when no run is going on or asked for. */
  async settled(): Promise<void> {
    let seen: Promise<void>;
    do {
      seen = this.#last;
      await seen;
    } while (seen !== this.#last);
  }
}
