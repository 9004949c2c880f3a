import { hash } from 'node:crypto';

/** How the id of a line that does not fit is refused: it must be that. */
export const MARK = 'the `id` of a line';

/** Parts that an id names at most: those that were written last. */
const PARTS_MAX = 16;

/** A text that may be an id of a line. The empty one is none. */
export const MARK_FORM = '^([0-9]{1,15}([.][0-9a-f]{10}-[0-9]{1,12}){0,16})?$';

/**
 * How far a reader of a stream is. Several attempts write at once, and a line may be stored after
 * one that was written later; so the place in a stream is the last line of each part that
 * was written lately, and the time of the last write that was seen.
 */
export class LineMark {
  /** Number of the last line, by the name of its part, in the order of their writes. */
  private readonly lines = new Map<string, number>();
  private seen = 0;

  /** The place that an id names; undefined: the beginning. */
  constructor(id?: string) {
    const [at = '', ...parts] = (id ?? '').split('.');
    this.seen = Number(at);
    for (const part of parts) {
      const [name = '', line] = part.split('-');
      this.lines.set(name, Number(line));
    }
  }

  /** Time of the last write that was seen, milliseconds since 1970; 0: none was. */
  get at(): number {
    return this.seen;
  }

  /** Number of the last line of a part that the reader has; 0: it has none. */
  lineOf(part: string): number {
    return this.lines.get(nameOf(part)) ?? 0;
  }

  take(part: string, line: number, at: number): void {
    const name = nameOf(part);
    this.lines.delete(name);
    this.lines.set(name, line);
    this.seen = Math.max(this.seen, at);
  }

  /** The id of the place. */
  get id(): string {
    const parts = [...this.lines].slice(-PARTS_MAX).map(([name, line]) => `.${name}-${line}`);
    return `${this.seen}${parts.join('')}`;
  }
}

function nameOf(part: string): string {
  return hash('sha256', part, 'hex').slice(0, 10);
}
