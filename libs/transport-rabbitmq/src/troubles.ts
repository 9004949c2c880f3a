import type { Clock, TransportTrouble } from '#ports';

/** One queue with one kind of trouble. */
interface Entry extends TransportTrouble {
  readonly queue: string;
}

/** Queues whose troubles are kept: modules are few, and a forged name must not fill memory. */
const ENTRIES_MAX = 200;

/**
 * The queues that this process cannot send to, or cannot subscribe to, and why. Each trouble is
 * kept from when it was first met until its opposite is seen.
 */
export class Troubles {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #entries = new Map<string, Entry>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** All of them, those that were met first before the others. */
  list(): readonly TransportTrouble[] {
    return [...this.#entries.values()].map(({ queue: _queue, ...trouble }) => trouble);
  }

  /** The queue has this trouble now. */
  met(queue: string, { kind, message, module }: Omit<TransportTrouble, 'since'>): void {
    const key = `${kind} ${queue}`;
    const known = this.#entries.get(key);
    if (known === undefined && this.#entries.size >= ENTRIES_MAX) return;
    const since = known?.since ?? this.#clock.now();
    this.#entries.set(key, { queue, kind, module, message, since });
  }

  /** The queue does not have it, or not any more. */
  over(queue: string, kind: TransportTrouble['kind']): void {
    if (this.#entries.size > 0) this.#entries.delete(`${kind} ${queue}`);
  }

  /** The first trouble of a kind, or null. */
  first(kind: TransportTrouble['kind']): TransportTrouble | null {
    return this.list().find((trouble) => trouble.kind === kind) ?? null;
  }
}
