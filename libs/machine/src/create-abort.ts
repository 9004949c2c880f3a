/** A signal and the right to abort it. */
export interface Abort {
  readonly signal: AbortSignal;
  /** The first reason counts. */
  abort(reason: Error): void;
}

/**
 * A signal of the platform's own kind. It is made when it is first asked for: one costs more
 * than a command that does not wait.
 */
export function createAbort(): Abort {
  return new LazyAbort();
}

class LazyAbort implements Abort {
  #controller: AbortController | undefined;
  #reason: Error | undefined;

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  abort(reason: Error): void {
    this.#reason ??= reason;
    this.#controller?.abort(this.#reason);
  }
}
