import { type AttemptPlace, OUTPUT, outputId, outputPrefix } from '#ports';
import type { OutputPart, Records, StoredLine } from '#ports';
import { sizeOf } from './plain-lines.js';

/** Most bytes that are kept of one attempt. */
export const ATTEMPT_BYTES_MAX = 65_536;

/** A part that has this number of bytes is not added to. */
const PART_BYTES = 8_192;

/** Most parts of an attempt; there are many only where several processes write. */
const PARTS_MAX = 64;

/** Newest attempts of an action whose output is kept: it may be tried for months. */
export const ATTEMPTS_KEPT = 100;

/** Tries to write one part, where other processes write too. */
const TRIES_MAX = 8;

/** A line that is not stored yet. */
export interface NewLine extends Omit<StoredLine, 'number'> {
  readonly size: number;
  /** How many lines before it are missing. */
  readonly gap: number;
}

/** A part with more lines, and how many more. */
interface Grown {
  readonly next: OutputPart;
  readonly count: number;
}

/**
 * The stored output of one attempt. Lines are added to its last part, or to a new one, on the
 * condition that no other process did so meanwhile; the oldest parts go.
 */
export class StoredOutput {
  /** The last part; null: this process has not seen one. */
  private last: OutputPart | null = null;
  /** Bytes of the parts that are known, by their numbers. */
  private sizes = new Map<number, number>();
  private isCut = false;
  /** A write that may or may not have taken effect. */
  private unclear: Grown | null = null;

  constructor(
    private readonly records: Records<OutputPart, 'changed' | 'task'>,
    private readonly attempt: AttemptPlace,
    private readonly now: () => number,
  ) {}

  /** Whether lines of the attempt are missing, as far as this process knows. */
  get isTruncated(): boolean {
    return this.isCut;
  }

  /**
   * Stores the lines at the head of a list, as many as one part takes, and tells how many. Throws
   * `StoreUnavailable`; then it is called again with the same lines first.
   */
  async add(lines: readonly NewLine[]): Promise<number> {
    const settled = await this.settle();
    if (settled !== null) return settled;
    for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
      const grown = this.grown(lines, tries);
      if (await this.write(grown)) {
        this.take(grown.next);
        await this.trim();
        if (grown.next.part === 0 && grown.next.revision === 1) await this.dropOld();
        return grown.count;
      }
      await this.look();
    }
    throw new Error(`the output of an attempt could not be stored in ${TRIES_MAX} tries`);
  }

  /** How many lines an unclear write has stored; null: none. */
  private async settle(): Promise<number | null> {
    const { unclear } = this;
    if (unclear === null) return null;
    const { count, next } = unclear;
    const stored = await this.records.get(outputId(this.attempt, next.part));
    this.unclear = null;
    const isStored = stored?.revision === next.revision && stored.changedAt === next.changedAt;
    if (!isStored) return null;
    this.take(next);
    return count;
  }

  private async write(grown: Grown): Promise<boolean> {
    const { next } = grown;
    try {
      return await this.records.put(next, next.revision === 1 ? null : this.last);
    } catch (error) {
      this.unclear = grown;
      throw error;
    }
  }

  /** The last part with more lines, or a further one. */
  private grown(lines: readonly NewLine[], tries: number): Grown {
    const { last } = this;
    const now = this.now();
    const isFull = last === null || last.size + (lines[0]?.size ?? 0) > PART_BYTES;
    // Past a part that cannot be read, which no look finds.
    const part = (last?.part ?? -1) + Math.max(1, tries - 1);
    const empty = { part, revision: 0, since: now, size: 0, lines: [] };
    const base = isFull ? { ...this.attempt, ...empty } : last;
    const added: StoredLine[] = [];
    let { size } = base;
    let number = last?.lines.at(-1)?.number ?? 0;
    for (const { at, gap, level, message, size: bytes } of lines) {
      if (added.length > 0 && size + bytes > PART_BYTES) break;
      number += gap + 1;
      if (gap > 0) this.isCut = true;
      added.push({ number, at, level, message });
      size += bytes;
    }
    const all = [...base.lines, ...added];
    const next = { ...base, revision: base.revision + 1, changedAt: now, size, lines: all };
    return { next, count: added.length };
  }

  private take(part: OutputPart): void {
    this.last = part;
    this.sizes.set(part.part, part.size);
  }

  /** Another process has written: the parts as they are now. */
  private async look(): Promise<void> {
    const prefix = outputPrefix(this.attempt);
    // No number begins with it.
    const after = { id: `${prefix}~` };
    const found = await this.records.list({ isDescending: true, after, limit: PARTS_MAX });
    const own = found.filter((part) => OUTPUT.idOf(part).startsWith(prefix));
    this.sizes = new Map(own.map(({ part, size }) => [part, size]));
    this.last = own[0] ?? null;
    const first = own.at(-1);
    if (first !== undefined && (first.part > 0 || first.size === 0)) this.isCut = true;
  }

  /** Removes the oldest parts beyond the bound. The first one stays, empty: it tells of others. */
  private async trim(): Promise<void> {
    const parts = [...this.sizes.keys()].toSorted((one, other) => one - other);
    let total = [...this.sizes.values()].reduce((sum, size) => sum + size, 0);
    for (const part of parts) {
      if (total <= ATTEMPT_BYTES_MAX) return;
      total -= this.sizes.get(part) ?? 0;
      this.isCut = true;
      if (part === 0) await this.empty();
      else await this.records.remove(outputId(this.attempt, part), 'any');
      this.sizes.delete(part);
    }
  }

  /** Removes the output of attempts of the same action that are too long ago. */
  private async dropOld(): Promise<void> {
    const { attempt } = this.attempt;
    if (attempt <= ATTEMPTS_KEPT) return;
    const newest = outputPrefix({ ...this.attempt, attempt: attempt - ATTEMPTS_KEPT });
    const first = outputPrefix({ ...this.attempt, attempt: 0 });
    const query = { isDescending: true, after: { id: `${newest}~` }, limit: PARTS_MAX } as const;
    const found = await this.records.list(query);
    for (const id of found.map((part) => OUTPUT.idOf(part))) {
      if (id > first) await this.records.remove(id, 'any');
    }
  }

  private async empty(): Promise<void> {
    const first = await this.records.get(outputId(this.attempt, 0));
    if (first === null || first.size === 0) return;
    const { revision } = first;
    await this.records.put({ ...first, revision: revision + 1, size: 0, lines: [] }, first);
  }
}

/** A line as it waits to be stored. */
export function newLine(line: Omit<StoredLine, 'number'>, gap: number): NewLine {
  return { ...line, gap, size: sizeOf(line.message) };
}
