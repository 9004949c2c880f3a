import { DocumentFault, readStoredJson } from '#core/json';
import {
  placeIn,
  type Previous,
  type RecordForm,
  type RecordKind,
  type RecordQuery,
  type RecordReader,
  type RecordStore,
  RecordUnreadable,
  type Removed,
} from '#ports';
import { fromColumn, toColumn } from './column-text.js';
import type { Cell, Places, PreviousRow, RecordsAsked, StoredRecord } from './protocol.js';
import type { WorkerLink } from './worker-link.js';

/** Indexes that the table of records has room for. */
const INDEXES_MAX = 4;

/** The text of a list of all records. */
const ALL = JSON.stringify([]);

/** Records of all kinds, in the file of the store. */
export class SqliteRecords implements RecordStore {
  readonly #link: WorkerLink;
  readonly #reader: RecordReader;

  constructor(link: WorkerLink, reader: RecordReader) {
    this.#link = link;
    this.#reader = reader;
  }

  async get<T>(kind: RecordKind<T>, id: string): Promise<T | null> {
    const request = ['getRecord', kind.name, toColumn(id)] as const;
    const found = await this.#link.ask<StoredRecord | null>(request);
    return this.#reader.found(found, id, formOf(kind));
  }

  put<T>(kind: RecordKind<T>, next: T, previous: Previous<T>): Promise<boolean> {
    const id = kind.idOf(next);
    const write = this.#write([
      'putRecord',
      {
        kind: kind.name,
        id: toColumn(id),
        previous: previousRow(kind, previous),
        tag: tagOf(kind, next),
        places: placesOf(kind, next),
        text: JSON.stringify(next),
      },
    ]);
    return this.#reader.clearAfter(kind.name, id, write);
  }

  remove<T>(kind: RecordKind<T>, id: string, previous: Removed<T>): Promise<boolean> {
    const row = previousRow(kind, previous);
    const write = this.#write(['removeRecord', kind.name, toColumn(id), row]);
    return this.#reader.clearAfter(kind.name, id, write);
  }

  list<T>(kind: RecordKind<T>, query: RecordQuery): Promise<readonly T[]> {
    const asked = askedFor(kind, query);
    const first = asked.skip;
    const read = (limit: number, skip: number): Promise<readonly StoredRecord[]> =>
      this.#link.ask(['listRecords', { ...asked, limit, skip: first + skip }]);
    return this.#reader.page(query.limit, read, formOf(kind));
  }

  async removeAll<T>(kind: RecordKind<T>, query: RecordQuery): Promise<number> {
    const count = await this.#link.ask<number>(['removeRecords', askedFor(kind, query)]);
    if (count > 0) await this.#reader.lookAgain(kind.name, (id) => this.get(kind, id));
    return count;
  }

  async #write(request: Parameters<WorkerLink['ask']>[0]): Promise<boolean> {
    return (await this.#link.ask<number>(request)) === 1;
  }
}

function formOf<T>(kind: RecordKind<T>): RecordForm<StoredRecord, T> {
  return {
    kind: kind.name,
    idOf: ([id]) => fromColumn(id),
    decode: ([id, tag, text, ...places]) => {
      const record = kind.check(readStoredJson(text, 'record'), fromColumn(id));
      if (tagOf(kind, record) !== tag) throw new DocumentFault('tag is not that of the record');
      // Another place would let nobody find it, or everybody for ever.
      const isInPlace = placesOf(kind, record).every((cell, n) => cell === places[n]);
      if (isInPlace) return record;
      throw new DocumentFault('its place in lists is not that of the record');
    },
  };
}

function tagOf<T>({ version }: RecordKind<T>, record: Partial<T>): string {
  return JSON.stringify(version.map((member) => record[member as keyof T]));
}

function placesOf<T>({ indexes, name }: RecordKind<T>, record: T): Places {
  const all = Object.values(indexes);
  if (all.length > INDEXES_MAX)
    throw new RangeError(`${name} has more than ${INDEXES_MAX} indexes`);
  // By number: this is done for every record that is read.
  const places: Cell[] = [];
  for (let n = 0; n < INDEXES_MAX; n += 1) {
    const index = all[n];
    const place = index === undefined ? null : placeIn(index, record);
    if (place === null) places.push(null, null);
    else places.push(place.of.length === 0 ? ALL : JSON.stringify(place.of), place.at);
  }
  return places;
}

/** The record in whose place a write goes, as the statements know it. */
function previousRow<T>(kind: RecordKind<T>, previous: Previous<T>): PreviousRow {
  if (previous === null) return null;
  if (previous === 'any') return true;
  if (!(previous instanceof RecordUnreadable)) return tagOf(kind, previous);
  const [, , text] = previous.stored() as StoredRecord;
  const bytes = typeof text === 'string' ? Buffer.from(text) : (text as Uint8Array);
  return [Buffer.from(bytes).toString('hex').toUpperCase()];
}

function askedFor<T>(kind: RecordKind<T>, query: RecordQuery): RecordsAsked {
  const { after, anyOf, from, index, isDescending = false, limit, of = [], skip = 0, upTo } = query;
  return {
    kind: kind.name,
    index: index === undefined ? 0 : Object.keys(kind.indexes).indexOf(index) + 1,
    of: anyOf?.map((value) => JSON.stringify([value])) ?? JSON.stringify(of),
    from,
    upTo,
    after: after && { at: after.at ?? 0, id: toColumn(after.id) },
    isDescending,
    limit,
    skip,
  };
}
