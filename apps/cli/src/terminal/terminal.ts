import type { Clock } from '#ports';
import { clipText } from './table.js';

/** One of a process's outputs. */
export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

/** The parts of its process that a command uses; tests replace them. */
export interface Terminal {
  readonly stdout: Output;
  readonly stderr: Output;
  /** Everything that comes in, as text. */
  readonly readStdin: () => Promise<string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

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

/** Whether colours may be written there. */
export function takesColour(output: Output, env: Terminal['env']): boolean {
  if (env['NO_COLOR']) return false;
  if (env['FORCE_COLOR'] && env['FORCE_COLOR'] !== '0') return true;
  return output.isTTY === true && env['TERM'] !== 'dumb';
}

/** Whether a drawing may be drawn over there, again and again. */
export function takesRedraws(output: Output, env: Terminal['env']): boolean {
  return output.isTTY === true && env['TERM'] !== 'dumb';
}

/** How wide a line may be; a file takes any. */
export function widthOf(output: Output): number {
  return output.isTTY === true ? output.columns || 80 : Infinity;
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
