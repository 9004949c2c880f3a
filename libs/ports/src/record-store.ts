import { placeIn, type RecordKind } from './record-kind.js';
import type { RecordUnreadable } from './errors.js';

/**
 * The stored record that a write goes in the place of: the one that was read, of which the members
 * of its version count, or the very one that could not be read. Null: there is none of this id.
 * `any`: whatever is there.
 */
export type Previous<T> = Partial<T> | RecordUnreadable | null | 'any';

/** The record that a removal is of; see `Previous`. */
export type Removed<T> = Exclude<Previous<T>, null>;

/** A place in a list: behind it a page goes on. */
export interface RecordPlace {
  readonly id: string;
  /** The number that orders the list; absent in the list by ids. */
  readonly at?: number;
}

/** Which records are meant, and in which order. */
export interface RecordQuery<Index extends string = string> {
  /** Absent: all records, by the code units of their ids. */
  readonly index?: Index;
  /** Values of the members that the index is of, in their order. Default: none. */
  readonly of?: readonly string[];
  /** In place of `of`, where that is one member: each of these values. */
  readonly anyOf?: readonly string[];
  /** The greatest number comes first, and of the same the greatest id. */
  readonly isDescending?: true;
  /** Bounds of the number, both inclusive. */
  readonly from?: number | undefined;
  readonly upTo?: number | undefined;
  /** Only those behind this place. */
  readonly after?: RecordPlace | undefined;
  /** Without this many at the beginning. */
  readonly skip?: number;
  /** At least 1. */
  readonly limit: number;
}

/**
 * Where all records are kept that are declared by a kind. Each is read by itself: one that cannot
 * be read takes the place of no other, is left as it is, and is reported once. Every method may
 * throw `StoreUnavailable`, which says nothing about whether a write took effect.
 */
export interface RecordStore {
  /** The record as it is stored now, or null. Throws `RecordUnreadable`. */
  get<T>(kind: RecordKind<T>, id: string): Promise<T | null>;
  /**
   * Stores a record durably in the place of the previous one. False: that is not the one that is
   * stored, and nothing was changed.
   */
  put<T>(kind: RecordKind<T>, next: T, previous: Previous<T>): Promise<boolean>;
  /** Removes the record that was read. False: it is another one by now, or gone. */
  remove<T>(kind: RecordKind<T>, id: string, previous: Removed<T>): Promise<boolean>;
  /** Those that can be read, up to the limit. Work grows with these, and not with all others. */
  list<T>(kind: RecordKind<T>, query: RecordQuery): Promise<readonly T[]>;
  /** Removes those that a list would have, those too that cannot be read. Tells how many. */
  removeAll<T>(kind: RecordKind<T>, query: RecordQuery): Promise<number>;
}

/** The records of one kind in a store. Methods are those of `RecordStore`. */
export interface Records<T, Index extends string = never> {
  readonly kind: RecordKind<T, Index>;
  get(id: string): Promise<T | null>;
  put(next: T, previous: Previous<T>): Promise<boolean>;
  remove(id: string, previous: Removed<T>): Promise<boolean>;
  list(query: RecordQuery<Index>): Promise<readonly T[]>;
  removeAll(query: RecordQuery<Index>): Promise<number>;
}

/** The records of a kind in a store. */
export function recordsOf<T, Index extends string>(
  store: RecordStore,
  kind: RecordKind<T, Index>,
): Records<T, Index> {
  return {
    kind,
    get: (id) => store.get(kind, id),
    put: (next, previous) => store.put(kind, next, previous),
    remove: (id, previous) => store.remove(kind, id, previous),
    list: (query) => store.list(kind, query),
    removeAll: (query) => store.removeAll(kind, query),
  };
}

/** Records of one page, where all are read. */
const PAGE = 200;

/** All records of a list. Default: all of the kind, by their ids. */
export async function allOf<T, Index extends string>(
  records: Listed<T, Index>,
  query?: ListQuery<Index>,
): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const page of pagesOf(records, query)) all.push(...page);
  return all;
}

/** The same, page by page, so that not all are in memory at a time. `size`: records of a page. */
export async function* pagesOf<T, Index extends string>(
  { kind, list }: Listed<T, Index>,
  query: ListQuery<Index> = {},
  size = PAGE,
): AsyncGenerator<readonly T[], void, undefined> {
  let after: RecordPlace | undefined;
  for (;;) {
    const page: readonly T[] = await list({ ...query, after, limit: size });
    yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < size) return;
    after = placeOf(kind, last, query.index);
  }
}

type Listed<T, Index extends string> = Pick<Records<T, Index>, 'kind' | 'list'>;

type ListQuery<Index extends string> = Pick<RecordQuery<Index>, 'anyOf' | 'index' | 'of'>;

/** The place of a record in a list. Default: in that by ids. */
export function placeOf<T, Index extends string>(
  kind: RecordKind<T, Index>,
  record: T,
  index?: Index,
): RecordPlace {
  const place = index === undefined ? null : placeIn(kind.indexes[index], record);
  return { id: kind.idOf(record), ...(place !== null && { at: place.at }) };
}
