/**
 * Entries that wait for their turn, first in, first out for each asker, and turn by turn over all
 * askers: nobody waits for everything that another one has asked for.
 */
export class FairLine<Asker, Entry> {
  /** In the order of turns; none of the lists is empty. */
  readonly #lines = new Map<Asker, Entry[]>();
  #size = 0;

  /** How many entries wait. */
  get size(): number {
    return this.#size;
  }

  /** How many entries of an asker wait. */
  sizeOf(asker: Asker): number {
    return this.#lines.get(asker)?.length ?? 0;
  }

  /** Puts an entry behind those of the same asker. */
  add(asker: Asker, entry: Entry): void {
    const line = this.#lines.get(asker);
    if (line === undefined) this.#lines.set(asker, [entry]);
    else line.push(entry);
    this.#size += 1;
  }

  /** Takes the next entry out; undefined: nobody waits that may have a turn now. */
  next(mayHaveTurn: (asker: Asker) => boolean = () => true): Entry | undefined {
    for (const [asker, line] of this.#lines) {
      if (!mayHaveTurn(asker)) continue;
      const entry = line.shift();
      this.#size -= 1;
      this.#lines.delete(asker);
      if (line.length > 0) this.#lines.set(asker, line);
      return entry;
    }
    return undefined;
  }

  /** Takes one entry out; false: it does not wait. */
  remove(asker: Asker, entry: Entry): boolean {
    const line = this.#lines.get(asker);
    const place = line?.indexOf(entry) ?? -1;
    if (line === undefined || place < 0) return false;
    line.splice(place, 1);
    this.#size -= 1;
    if (line.length === 0) this.#lines.delete(asker);
    return true;
  }

  /** Takes out everything that an asker waits for, the first one first. */
  removeAllOf(asker: Asker): readonly Entry[] {
    const line = this.#lines.get(asker) ?? [];
    this.#lines.delete(asker);
    this.#size -= line.length;
    return line;
  }

  /** Takes everything out. */
  removeAll(): readonly Entry[] {
    const all = [...this.#lines.values()].flat();
    this.#lines.clear();
    this.#size = 0;
    return all;
  }

  /** Takes out the newest entry of the asker that has the most of them. */
  removeFromLongest(): Entry | undefined {
    let longest: Entry[] = [];
    let owner: Asker | undefined;
    for (const [asker, line] of this.#lines) {
      if (line.length > longest.length) [longest, owner] = [line, asker];
    }
    const entry = longest.at(-1);
    if (entry !== undefined) this.remove(owner as Asker, entry);
    return entry;
  }
}
