import type { Clock } from '#ports';
import { clipText } from './text-width.js';
import type { Output } from './terminal.js';

/** How often it is drawn at most, in milliseconds. */
const EVERY_MS = 100;

/** Goes to the start of the line and empties it. */
const EMPTY = '\r\x1b[K';

/** Parts of a progress line. */
interface ProgressParts {
  /** Standard error of a terminal; null: nobody looks. */
  readonly output: Output | null;
  readonly width: number;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** How far a long command has come: a line that is drawn over, and gone before anything else. */
export class ProgressLine {
  #drawnAt: number | null = null;

  constructor(private readonly parts: ProgressParts) {}

  show(text: string): void {
    const { clock, output, width } = this.parts;
    if (output === null) return;
    const now = clock.monotonic();
    if (this.#drawnAt !== null && now - this.#drawnAt < EVERY_MS) return;
    output.write(`${EMPTY}${clipText(text, width - 1)}`);
    this.#drawnAt = now;
  }

  clear(): void {
    if (this.#drawnAt !== null) this.parts.output?.write(EMPTY);
    this.#drawnAt = null;
  }
}
