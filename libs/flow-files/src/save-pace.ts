import type { Clock } from '#ports';

/** Versions that one flow may get within `SPAN_MS`. */
const SAVES_MAX = 10;
const SPAN_MS = 60_000;

/**
 * How fast flows may get new versions. The store keeps every version for ever, so a file that is
 * written over and over must not make one each time: of edits that come too fast the newest wins.
 */
export class SavePace {
  /** By flow: when its last versions were saved, the oldest first. */
  readonly #saves = new Map<string, number[]>();

  constructor(private readonly clock: Clock) {}

  /** Milliseconds until the flow may get another version. */
  waitBefore(name: string): number {
    const saves = this.#saves.get(name) ?? [];
    if (saves.length < SAVES_MAX) return 0;
    return Math.max(0, (saves[0] ?? 0) + SPAN_MS - this.clock.monotonic());
  }

  /** The flow was saved now. Flows that were left alone for long enough are forgotten. */
  saved(name: string): void {
    const now = this.clock.monotonic();
    const saves = this.#saves.get(name) ?? [];
    for (const [other, times] of this.#saves) {
      if ((times.at(-1) ?? 0) <= now - SPAN_MS) this.#saves.delete(other);
    }
    this.#saves.set(name, [...saves, now].slice(-SAVES_MAX));
  }
}
