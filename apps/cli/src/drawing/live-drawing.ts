import type { Output } from '../terminal/terminal.js';
import { clipText } from '../terminal/table.js';

/** Lines that are drawn over until they are right. */
export class LiveDrawing {
  #height = 0;

  constructor(private readonly output: Output) {}

  /** Draws the lines over the ones before. A terminal that is too low shows the first ones. */
  show(lines: readonly string[]): void {
    const rows = Math.max(2, (this.output.rows || 24) - 1);
    const fits = lines.length <= rows;
    const more = clipText(`… ${lines.length - rows + 1} more lines`, this.output.columns || 80);
    this.#draw(fits ? lines : [...lines.slice(0, rows - 1), more]);
  }

  /** Draws all lines for good; what comes next stands beneath. */
  finish(lines: readonly string[]): void {
    this.#draw(lines);
    this.#height = 0;
  }

  #draw(lines: readonly string[]): void {
    const up = this.#height === 0 ? '' : `\u001b[${this.#height}A`;
    const text = lines.map((line) => `\r${line}\u001b[K\n`).join('');
    this.output.write(`${up}${text}\u001b[J`);
    this.#height = lines.length;
  }
}
