import { hash, randomBytes, randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';
import type { Entropy, IdPlace } from '#ports';

/** Bytes of an id: enough that no two meet. */
const SECRET_ID_BYTES = 8;

/** Bytes of a secret: enough that nobody guesses one. */
const SECRET_BYTES = 32;

/** Random bytes of one id. */
const ID_BYTES = 16;
/** Ids whose bytes are fetched at once: asking the machine costs more than making an id of them. */
const IDS_AT_ONCE = 256;

/** The machine's chance. Ids are UUIDs of version 7, which grow with time. */
export class SystemEntropy implements Entropy {
  readonly #pool = new Uint8Array(ID_BYTES * IDS_AT_ONCE);
  #used = this.#pool.length;
  #msecs = 0;
  #seq = 0;

  newId(): string {
    const random = this.#bytes();
    this.#step(Date.now(), random);
    return v7({ random, msecs: this.#msecs, seq: this.#seq });
  }

  idOf(text: string, place?: IdPlace): string {
    // As text from the start: to go by bytes takes several times as long.
    const hex = hash('sha256', text, 'hex');
    const [time, number] =
      place === undefined ? [hex.slice(0, 12), hex.slice(13, 18)] : digitsOf(place);
    const [high, low] = [number.slice(0, 3), Number.parseInt(number.slice(3), 16)];
    // A UUID of version 8: of whatever its maker likes.
    const variant = ((low & 0x3f) | 0x80).toString(16);
    const tail = `${variant}${hex.slice(18, 20)}-${hex.slice(20, 32)}`;
    return `${time.slice(0, 8)}-${time.slice(8)}-8${high}-${tail}`;
  }

  random(): number {
    return Math.random();
  }

  /**
   * Moves what ids are ordered by. A clock that stands still or goes back only counts, from where
   * chance began: two processes that count in the same millisecond shall not meet.
   */
  #step(now: number, random: Uint8Array): void {
    if (now > this.#msecs) {
      this.#msecs = now;
      this.#seq = new DataView(random.buffer, random.byteOffset).getUint32(0) >>> 1;
    } else {
      this.#seq += 1;
    }
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

/** 48 bits of time, as in ids of version 7, and 18 bits of the number. */
function digitsOf({ at, number = 0 }: IdPlace): readonly [time: string, number: string] {
  const time = Math.max(0, Math.floor(at)) % 2 ** 48;
  const [high, low] = [(number >>> 6) & 0x0fff, number & 0x3f];
  return [digits(time, 12), digits(high, 3) + digits(low, 2)];
}

function digits(value: number, length: number): string {
  return value.toString(16).padStart(length, '0');
}

/** A new secret in base64url, with an id in hexadecimal that names it and tells nothing of it. */
export function newSecret(): { readonly id: string; readonly secret: string } {
  return {
    id: randomBytes(SECRET_ID_BYTES).toString('hex'),
    secret: randomBytes(SECRET_BYTES).toString('base64url'),
  };
}
