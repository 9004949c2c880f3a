import type { Entropy } from '#ports';

/** Chance that is the same in every run with the same seed, and ids that count. */
export class FakeEntropy implements Entropy {
  #state: number;
  #ids = 0;

  constructor(seed = 1) {
    this.#state = seed >>> 0;
  }

  /** Ids in the form of a UUID of version 7: 1, 2, 3 ... */
  newId(): string {
    this.#ids += 1;
    const digits = this.#ids.toString(16).padStart(24, '0');
    const [low, middle, rest] = [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12)];
    return `${low}-${middle}-7000-8000-${rest}`;
  }

  /** Readable: specs look at it. */
  idOf(text: string): string {
    return `id of ${text}`;
  }

  /** Mulberry32. */
  random(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
}
