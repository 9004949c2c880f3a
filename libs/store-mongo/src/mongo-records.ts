import type { Collection, Db, Document, Filter, IndexDescription, Sort } from 'mongodb';
import { DocumentFault, readStoredJson } from '#core/json';
import {
  type Previous,
  type RecordForm,
  type RecordKind,
  type RecordQuery,
  type RecordReader,
  type RecordStore,
  RecordUnreadable,
  type Removed,
} from '#ports';
import { fromSafe, toDate, toSafe } from './bson-values.js';
import { durable } from './connection.js';
import { unlessDuplicate } from './failure.js';
import type { ServerCalls } from './server-calls.js';

type Records = Collection<RecordDocument>;

/**
 * A record as stored: a document of its members, as people read them. Moments are dates. Names and
 * texts that the server would not take or keep are written with marks; what lies very deep is text.
 */
export interface RecordDocument extends Document {
  /** The record's id. */
  readonly _id: string;
}

/** The member that names the format of a record, where it is not the first one. */
const FORMAT = 'v';

/** MongoDB takes a hundred levels. */
const LEVELS_MAX = 60;

/** A text that stands for a value begins with it. No other text has this mark alone. */
const DEEP = '\ufffd';

/** Characters of names that mean something to the server or its driver, or cannot be kept. */
const UNFIT = /[\p{Surrogate}\ufffd.\0]|^\$|^_(?=bsontype$)/gu;

const NO_JSON = 'a value is of a type that JSON does not have';

/** Records of all kinds, each kind in a collection of its own. */
export class MongoRecords implements RecordStore {
  constructor(
    private readonly db: Db,
    private readonly calls: ServerCalls,
    private readonly reader: RecordReader,
  ) {}

  async get<T>(kind: RecordKind<T>, id: string): Promise<T | null> {
    const read = (): Promise<RecordDocument | null> => this.of(kind).findOne({ _id: toSafe(id) });
    const found = await this.calls.ask(`reading ${kind.plural}`, read);
    return this.reader.found(found, id, formOf(kind));
  }

  put<T>(kind: RecordKind<T>, next: T, previous: Previous<T>): Promise<boolean> {
    const write = (): Promise<boolean> => this.write(kind, next, previous);
    const writing = this.calls.call(`storing in ${kind.plural}`, write);
    return this.reader.clearAfter(kind.name, kind.idOf(next), writing);
  }

  private async write<T>(kind: RecordKind<T>, next: T, previous: Previous<T>): Promise<boolean> {
    const records = this.of(kind);
    const document = toDocument(kind, next);
    const options = { writeConcern: this.durable };
    if (previous === null) {
      return records.insertOne(document, options).then(() => true, unlessDuplicate);
    }
    const { _id, ...rest } = document;
    const filter = previousFilter(kind, _id, previous);
    const replace = async (): Promise<boolean> =>
      (await records.replaceOne(filter, rest, options)).matchedCount > 0;
    if (previous !== 'any') return replace();
    const upsert = { ...options, upsert: true };
    const isDone = await records.replaceOne(filter, rest, upsert).then(() => true, unlessDuplicate);
    // Where not, another process was first to store one.
    return isDone || replace();
  }

  remove<T>(kind: RecordKind<T>, id: string, previous: Removed<T>): Promise<boolean> {
    const options = { writeConcern: this.durable };
    const filter = previousFilter(kind, toSafe(id), previous);
    const write = async (): Promise<boolean> =>
      (await this.of(kind).deleteOne(filter, options)).deletedCount === 1;
    const writing = this.calls.call(`removing from ${kind.plural}`, write);
    return this.reader.clearAfter(kind.name, id, writing);
  }

  list<T>(kind: RecordKind<T>, query: RecordQuery): Promise<readonly T[]> {
    const { filter, sort } = selection(kind, query);
    const read = (limit: number, skip: number): Promise<RecordDocument[]> =>
      this.calls.call(`reading ${kind.plural}`, () =>
        this.of(kind)
          .find(filter)
          .sort(sort)
          .skip((query.skip ?? 0) + skip)
          .limit(limit)
          .toArray(),
      );
    return this.reader.page(query.limit, read, formOf(kind));
  }

  async removeAll<T>(kind: RecordKind<T>, query: RecordQuery): Promise<number> {
    const { filter, sort } = selection(kind, query);
    const { limit, skip = 0 } = query;
    const projection = { _id: 1 };
    const find = (): Promise<RecordDocument[]> =>
      this.of(kind).find(filter, { projection }).sort(sort).skip(skip).limit(limit).toArray();
    const found = await this.calls.call(`looking through ${kind.plural}`, find);
    if (found.length === 0) return 0;
    const ids = found.map(({ _id }) => _id);
    const options = { writeConcern: this.durable };
    // One that was written again since may be in the list no more.
    const these = { $and: [filter, { _id: { $in: ids } }] };
    const remove = (): Promise<unknown> => this.of(kind).deleteMany(these, options);
    await this.calls.call(`removing from ${kind.plural}`, remove);
    for (const id of ids) this.reader.clear(kind.name, fromSafe(id));
    // Also where another process was first: a caller takes fewer than it asked for as the end.
    return ids.length;
  }

  private of<T>(kind: RecordKind<T>): Records {
    return this.db.collection<RecordDocument>(kind.plural);
  }

  private get durable(): ReturnType<typeof durable> {
    return durable(this.calls.settings.operationMs);
  }
}

/** The indexes that lists of a kind use. */
export function indexesOf({ indexes }: RecordKind): readonly IndexDescription[] {
  return Object.entries(indexes).map(([name, { by, of, where }]) => {
    const members = [...(where === undefined ? [] : [where]), ...of, by, '_id'];
    const key = Object.fromEntries(members.map((member) => [member, 1] as const));
    return { name: `by_${name}`, key };
  });
}

function formOf<T>(kind: RecordKind<T>): RecordForm<RecordDocument, T> {
  const decode = (document: RecordDocument): T => fromDocument(kind, document);
  return { kind: kind.name, idOf: ({ _id }) => fromSafe(_id), decode };
}

/**
 * The filter for the document that was read: by its version, or, where it could not be read, by
 * all that was found in its members.
 */
function previousFilter<T>(
  kind: RecordKind<T>,
  _id: string,
  previous: Removed<T>,
): Filter<RecordDocument> {
  if (previous === 'any') return { _id };
  const isBroken = previous instanceof RecordUnreadable;
  const stored = (isBroken ? previous.stored() : previous) as Readonly<Record<string, unknown>>;
  const compared = isBroken ? [...kind.members, FORMAT] : kind.version;
  const members = compared.map((member) => {
    const found = stored[member];
    const value = isBroken ? found : toMember(kind, member, found);
    return [member, value === undefined ? { $exists: false } : { $eq: value }] as const;
  });
  return { _id, ...Object.fromEntries(members) };
}

interface Selection {
  readonly filter: Filter<RecordDocument>;
  readonly sort: Sort;
}

/** The query for the records that are asked for: each of its forms has its index. */
export function selection<T>(kind: RecordKind<T>, query: RecordQuery): Selection {
  const { after, anyOf, of: values = [] } = query;
  const direction = query.isDescending === true ? -1 : 1;
  if (query.index === undefined) {
    const behind = after && { [direction < 0 ? '$lt' : '$gt']: toSafe(after.id) };
    return { filter: behind ? { _id: behind } : {}, sort: { _id: direction } };
  }
  const { by, of, where } = kind.indexes[query.index]!;
  const isDescending = query.isDescending === true;
  const alike = of.map((member, n) => {
    return [member, anyOf === undefined ? toSafe(values[n]!) : { $in: anyOf.map(toSafe) }] as const;
  });
  const filter = {
    ...(where !== undefined && { [where]: true }),
    ...Object.fromEntries(alike),
    [by]: boundsOf(kind, by, query),
    ...(after &&
      behindPlace(toMember(kind, by, after.at ?? 0), { by, id: after.id, isDescending })),
  };
  return { filter, sort: { [by]: direction, _id: direction } };
}

/** Both ends are of the type of the member, so that others, null too, are outside. */
function boundsOf<T>(
  kind: RecordKind<T>,
  by: string,
  { after, from = -Infinity, isDescending, upTo = Infinity }: RecordQuery,
): object {
  const at = after?.at;
  const least = isDescending ? from : Math.max(from, at ?? from);
  const most = isDescending ? Math.min(upTo, at ?? upTo) : upTo;
  return { $gte: toMember(kind, by, least), $lte: toMember(kind, by, most) };
}

interface Behind {
  readonly by: string;
  readonly id: string;
  readonly isDescending: boolean;
}

function behindPlace(at: unknown, { by, id, isDescending }: Behind): Filter<RecordDocument> {
  const behind = isDescending ? '$lt' : '$gt';
  return { $or: [{ [by]: { [behind]: at } }, { _id: { [behind]: toSafe(id) } }] };
}

/** The document of a record. */
function toDocument<T>(kind: RecordKind<T>, record: T): RecordDocument {
  const entries = Object.entries(record as object).map(([member, value]) => {
    return [member, toMember(kind, member, value)] as const;
  });
  return { _id: toSafe(kind.idOf(record)), ...Object.fromEntries(entries) };
}

/** A member of a record as documents have it. */
function toMember<T>({ moments }: RecordKind<T>, member: string, value: unknown): unknown {
  const isMoment = moments.includes(member) && typeof value === 'number';
  return isMoment ? toDate(value) : toBson(value, 1);
}

/** The record of a document. Throws `DocumentFault`. */
function fromDocument<T>(kind: RecordKind<T>, document: RecordDocument): T {
  const members: Record<string, unknown> = {};
  for (const [member, value] of Object.entries(document) as [string, unknown][]) {
    if (member !== FORMAT && !kind.members.includes(member)) continue;
    const isDate = value instanceof Date && kind.moments.includes(member);
    members[member] = isDate ? value.getTime() : fromBson(value);
  }
  return kind.check(members, fromSafe(document._id));
}

function toBson(value: unknown, level: number): unknown {
  if (typeof value === 'string') return toSafe(value);
  if (typeof value !== 'object' || value === null) return value;
  if (level > LEVELS_MAX) return DEEP + JSON.stringify(value);
  if (Array.isArray(value)) return value.map((each) => toBson(each, level + 1));
  const entries = Object.entries(value).map(([name, each]) => {
    return [name.replace(UNFIT, marked), toBson(each, level + 1)] as const;
  });
  return Object.fromEntries(entries);
}

function marked(unit: string): string {
  return `\ufffd${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function fromBson(value: unknown): unknown {
  if (typeof value === 'string') return textOf(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(fromBson);
  if (Object.getPrototypeOf(value) !== Object.prototype) throw new DocumentFault(NO_JSON);
  const entries = Object.entries(value).map(([name, each]) => [fromSafe(name), fromBson(each)]);
  return Object.fromEntries(entries) as unknown;
}

function textOf(text: string): unknown {
  const isValue = text.startsWith(`${DEEP}{`) || text.startsWith(`${DEEP}[`);
  return isValue ? readStoredJson(text.slice(1), 'a value') : fromSafe(text);
}
