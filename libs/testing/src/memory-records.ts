import { placeIn, type Previous, RecordUnreadable } from '#ports';
import type { RecordKind, RecordPlace, RecordQuery, RecordStore, Removed } from '#ports';

/** Records by the names of their kinds and their ids. */
export type RecordContents = Map<string, Map<string, unknown>>;

/** Records of all kinds in memory. */
export class MemoryRecords implements RecordStore {
  /** Names of kinds and ids of what cannot be read, `schedule a`; a write in the place mends it. */
  readonly unreadable = new Set<string>();

  /** `answer`: called after a write took effect, and throws where its answer is lost. */
  constructor(
    private readonly open: () => RecordContents,
    private readonly answer: () => void,
  ) {}

  async get<T>(kind: RecordKind<T>, id: string): Promise<T | null> {
    const found = this.of(kind).get(id) ?? null;
    if (!this.isBroken(kind, id)) return found;
    throw new RecordUnreadable(kind.name, id, 'a member is missing', found);
  }

  async put<T>(kind: RecordKind<T>, next: T, previous: Previous<T>): Promise<boolean> {
    const id = kind.idOf(next);
    const records = this.of(kind);
    if (!isSame(kind, records.get(id), previous)) return false;
    records.set(id, next);
    this.settle(kind, id);
    return true;
  }

  async remove<T>(kind: RecordKind<T>, id: string, previous: Removed<T>): Promise<boolean> {
    const records = this.of(kind);
    if (!records.has(id) || !isSame(kind, records.get(id), previous)) return false;
    records.delete(id);
    this.settle(kind, id);
    return true;
  }

  async list<T>(kind: RecordKind<T>, query: RecordQuery): Promise<readonly T[]> {
    const { limit, skip = 0 } = query;
    const readable = this.matching(kind, query).filter(({ id }) => !this.isBroken(kind, id));
    return readable.slice(skip, skip + limit).map(({ record }) => record);
  }

  async removeAll<T>(kind: RecordKind<T>, query: RecordQuery): Promise<number> {
    const { limit, skip = 0 } = query;
    const found = this.matching(kind, query).slice(skip, skip + limit);
    for (const { id } of found) {
      this.of(kind).delete(id);
      this.unreadable.delete(`${kind.name} ${id}`);
    }
    this.answer();
    return found.length;
  }

  private matching<T>(kind: RecordKind<T>, query: RecordQuery): readonly Found<T>[] {
    const { after, anyOf, from = -Infinity, index, isDescending, of = [], upTo = Infinity } = query;
    const found = [...this.of(kind)].flatMap(([id, record]): readonly Found<T>[] => {
      if (index === undefined) return [{ id, at: 0, record }];
      const place = placeIn(kind.indexes[index]!, record);
      if (place === null || place.at < from || place.at > upTo) return [];
      const isAlike = anyOf?.includes(place.of[0]!) ?? isEqual(place.of, of);
      return isAlike ? [{ id, at: place.at, record }] : [];
    });
    const sign = isDescending ? -1 : 1;
    const sorted = found.sort((a, b) => sign * compare(a, b));
    return after === undefined ? sorted : sorted.filter((one) => sign * compare(one, after) > 0);
  }

  private isBroken({ name }: Named, id: string): boolean {
    return this.unreadable.has(`${name} ${id}`);
  }

  private settle({ name }: Named, id: string): void {
    this.unreadable.delete(`${name} ${id}`);
    this.answer();
  }

  private of<T>(kind: RecordKind<T>): Map<string, T> {
    const all = this.open();
    const records = all.get(kind.name) ?? new Map<string, unknown>();
    all.set(kind.name, records);
    return records as Map<string, T>;
  }
}

type Named = Pick<RecordKind, 'name'>;

interface Found<T> extends RecordPlace {
  readonly record: T;
}

function isSame<T>(
  { version }: RecordKind<T>,
  stored: T | undefined,
  previous: Previous<T>,
): boolean {
  if (previous === 'any') return true;
  if (previous === null) return stored === undefined;
  if (stored === undefined || stored === null) return false;
  if (previous instanceof RecordUnreadable) return previous.stored() === stored;
  return (version as readonly (keyof T)[]).every((member) => stored[member] === previous[member]);
}

function isEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value, n) => value === other[n]);
}

function compare(a: RecordPlace, b: RecordPlace): number {
  return (a.at ?? 0) - (b.at ?? 0) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
