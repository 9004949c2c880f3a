import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';
import type { Entropy } from '#ports';

/** Random bytes of one id. */
const ID_BYTES = 16;
/** Ids whose bytes are fetched at once: asking the machine costs more than making an id of them. */
const IDS_AT_ONCE = 256;

/** The machine's chance. Ids are UUIDs of version 7, which grow with time. */
export class SystemEntropy implements Entropy {
  readonly #pool = new Uint8Array(ID_BYTES * IDS_AT_ONCE);
  #used = this.#pool.length;

  newId(): string {
    return v7({ random: this.#bytes() });
  }

  random(): number {
    return Math.random();
  }

  /** Bytes that no other id has. */
  #bytes(): Uint8Array {
    if (this.#used === this.#pool.length) {
      randomFillSync(this.#pool);
      this.#used = 0;
    }
    const from = this.#used;
    this.#used += ID_BYTES;
    return this.#pool.subarray(from, this.#used);
  }
}
