/** The handlers that may be busy at one time, whichever channel their messages came by. */
export class Slots {
  readonly #count: number;
  #busy = 0;
  #whenIdle: (() => void)[] = [];

  constructor(count: number) {
    this.#count = count;
  }

  /** Takes a slot; false when all are busy. */
  take(): boolean {
    if (this.#busy >= this.#count) return false;
    this.#busy += 1;
    return true;
  }

  free(): void {
    this.#busy -= 1;
    if (this.#busy === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  /** Resolves when no slot is taken. */
  idle(): Promise<void> {
    if (this.#busy === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }
}
