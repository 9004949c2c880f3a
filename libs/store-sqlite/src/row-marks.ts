/** Which rows have a mark: one bit for each, because a file may have very many. */
export class RowMarks {
  #bits = new Uint8Array(1_024);

  /** Marks a row. */
  add(row: number): void {
    const place = row >>> 3;
    if (place >= this.#bits.length) {
      const larger = new Uint8Array(Math.max(place + 1, this.#bits.length * 2));
      larger.set(this.#bits);
      this.#bits = larger;
    }
    this.#bits[place]! |= 1 << (row & 7);
  }

  /** Whether the row has the mark. */
  has(row: number): boolean {
    return ((this.#bits[row >>> 3] ?? 0) & (1 << (row & 7))) !== 0;
  }
}
