/** Shares out the time of one turn of the event loop, so that no turn gets too long. */
export class TurnBudget {
  readonly #max: number;
  #left: number;

  /** `max`: most work of a turn, in any unit. */
  constructor(max: number) {
    this.#max = max;
    this.#left = max;
  }

  /** Takes work from this turn; false where it is used up. */
  take(work: number): boolean {
    if (work > this.#left) return false;
    if (this.#left === this.#max) {
      setImmediate(() => {
        this.#left = this.#max;
      });
    }
    this.#left -= work;
    return true;
  }

  /** Resolves in the next turn. */
  nextTurn(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }
}
