import type { LineLevel, SentLog } from './protocol.js';

/** The bytes that the gateway keeps of an attempt. */
const BYTES_MAX = 65_536;

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
}

/** The newest lines of an attempt that no request has carried yet, up to 64 KiB. */
export class AttemptLog {
  #lines: Line[] = [];
  #bytes = 0;
  #dropped = 0;

  add(message: string, at: number, level?: LineLevel): void {
    this.#push({ message, level, at, bytes: Buffer.byteLength(message) + 1 });
    this.#trim();
  }

  /** Takes all lines out. */
  take(): LogParcel {
    const parcel = { lines: this.#lines, dropped: this.#dropped };
    [this.#lines, this.#bytes, this.#dropped] = [[], 0, 0];
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
