import { growingDelay, spreadDelay } from '#core';
import type { Clock, Entropy, Timer } from '#ports';

const GROWTH = { firstMs: 100, maxMs: 5_000 };
/** After it worked for so long, its next failure counts as the first. */
const STABLE_MS = 10_000;

/** The wait after a number of failures, spread by chance so that clients do not come in step. */
export function brokerDelay(failures: number, entropy: Entropy): number {
  return spreadDelay(growingDelay(GROWTH, failures), entropy.random());
}

/** The dependencies of a back-off. */
export interface BackOffParts {
  readonly clock: Clock;
  readonly entropy: Entropy;
}

/** Counts the failures of one thing that is tried again and again, and waits in between. */
export class BackOff {
  readonly #parts: BackOffParts;
  #failures = 0;
  #aliveSince: number | null = null;
  #timer: Timer | null = null;

  constructor(parts: BackOffParts) {
    this.#parts = parts;
  }

  /** It works now. */
  succeeded(): void {
    this.#aliveSince = this.#parts.clock.monotonic();
  }

  /** It broke, or did not start to work: calls `again` after a while. */
  failed(again: () => void): void {
    const { clock, entropy } = this.#parts;
    const stable = this.#aliveSince !== null && clock.monotonic() - this.#aliveSince >= STABLE_MS;
    if (stable) this.#failures = 0;
    this.#aliveSince = null;
    this.cancel();
    this.#failures += 1;
    this.#timer = clock.after(brokerDelay(this.#failures, entropy), again);
  }

  /** Calls off what `failed` asked for. */
  cancel(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }
}
