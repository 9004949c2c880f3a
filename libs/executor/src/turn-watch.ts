/** Something that needs watching if it is still there when the turn is over. */
interface Watched {
  watch(): void;
}

/**
 * Looks at what was begun once the present turn of the event loop is over. A command that does no
 * waiting has ended by then and has cost no timer.
 */
export class TurnWatch {
  #begun: Watched[] = [];

  add(watched: Watched): void {
    if (this.#begun.push(watched) === 1) setImmediate(() => this.#look());
  }

  #look(): void {
    const begun = this.#begun;
    this.#begun = [];
    for (const watched of begun) watched.watch();
  }
}
