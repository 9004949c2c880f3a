import type { LineLevel, SentLog } from './protocol.js';

/** The bytes that the gateway keeps of an attempt. */
const BYTES_MAX = 65_536;
/** The bytes that it keeps of a line. */
const LINE_BYTES_MAX = 8_192;
const CUT = '...';

interface Line {
  readonly message: string;
  readonly level: LineLevel | undefined;
  /** On the monotonic clock. */
  readonly at: number;
  readonly bytes: number;
}

/** Lines on their way to the gateway, and how many were left out before them. */
export interface LogParcel {
  readonly lines: readonly Line[];
  readonly dropped: number;
  /** Of the lines. */
  readonly bytes: number;
}

/** The newest lines of an attempt that no request has carried yet, up to 64 KiB. */
export class AttemptLog {
  #lines: Line[] = [];
  #bytes = 0;
  #dropped = 0;

  add(text: string, at: number, level?: LineLevel): void {
    const message = clipped(text, LINE_BYTES_MAX);
    this.#push({ message, level, at, bytes: Buffer.byteLength(message) + 1 });
    this.#trim();
  }

  /** Takes the oldest lines out, up to `mostBytes`. */
  take(mostBytes = BYTES_MAX): LogParcel {
    let [bytes, taken] = [0, 0];
    for (const line of this.#lines) {
      if (bytes + line.bytes > mostBytes) break;
      bytes += line.bytes;
      taken += 1;
    }
    const parcel = { lines: this.#lines.splice(0, taken), dropped: this.#dropped, bytes };
    this.#bytes -= bytes;
    this.#dropped = 0;
    return parcel;
  }

  /** Puts lines back that a request did not deliver, before those that came since. */
  putBack({ dropped, lines }: LogParcel): void {
    const since = this.#lines;
    [this.#lines, this.#bytes] = [[], 0];
    this.#dropped += dropped;
    for (const line of [...lines, ...since]) this.#push(line);
    this.#trim();
  }

  #push(line: Line): void {
    this.#lines.push(line);
    this.#bytes += line.bytes;
  }

  #trim(): void {
    let cut = 0;
    while (this.#bytes > BYTES_MAX && cut < this.#lines.length - 1) {
      this.#bytes -= this.#lines[cut]?.bytes ?? 0;
      cut += 1;
    }
    if (cut === 0) return;
    this.#lines.splice(0, cut);
    this.#dropped += cut;
  }
}

/** The parcel as a request carries it that is sent now. */
export function sentLog({ dropped, lines }: LogParcel, now: number): SentLog {
  const log = lines.map(({ at, level, message }) => ({
    message,
    ...(level !== undefined && { level }),
    agoMs: Math.max(0, Math.round(now - at)),
  }));
  return { ...(log.length > 0 && { log }), ...(dropped > 0 && { logDropped: dropped }) };
}

/** A text of at most `bytesMax` bytes that UTF-8 can write, with a sign where its end was cut. */
export function clipped(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return bytes.toString('utf8');
  const kept = bytes.subarray(0, bytesMax - CUT.length);
  // A character that was cut in two would be replaced by a longer one.
  return `${kept.toString('utf8').replace(/\uFFFD+$/, '')}${CUT}`;
}
