import { type Collection, type Db, type DeleteResult, MongoServerError } from 'mongodb';
import { DocumentFault } from '#core';
import { checkKey, type RecordForm, type RecordReader } from '#ports';
import type { KeyRecord, KeyStore } from '#ports';
import { toDate, toMs, toMsOrNull } from './bson-values.js';
import { durable } from './connection.js';
import { DUPLICATE_KEY } from './failure.js';
import { COLLECTIONS } from './migrations.js';
import type { ServerCalls } from './server-calls.js';

/** An API key as stored. Labels are pairs: their names may be any text. */
interface KeyDocument {
  /** The key's id. */
  readonly _id: string;
  readonly hash: string;
  readonly name: string;
  readonly role: KeyRecord['role'];
  readonly flows: readonly string[] | null;
  readonly labels: readonly (readonly [name: string, value: string])[] | null;
  readonly modules: readonly string[] | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly madeBy?: string;
  readonly usedAt: Date | null;
}

const FORM: RecordForm<KeyDocument, KeyRecord> = {
  kind: 'key',
  idOf: ({ _id }) => _id,
  decode: toRecord,
};

/** A secret that processes share, as stored. */
interface SecretDocument {
  /** Its name. */
  readonly _id: string;
  readonly text: string;
}

/** Keeps API keys, and secrets that processes share. */
export class KeyRecords implements KeyStore {
  private readonly keys: Collection<KeyDocument>;
  private readonly secrets: Collection<SecretDocument>;

  constructor(
    db: Db,
    private readonly calls: ServerCalls,
    private readonly records: RecordReader,
  ) {
    this.keys = db.collection<KeyDocument>(COLLECTIONS.keys);
    this.secrets = db.collection<SecretDocument>(COLLECTIONS.secrets);
  }

  async addKey(record: KeyRecord): Promise<void> {
    const options = { writeConcern: this.durable };
    const write = (): Promise<unknown> =>
      this.keys.insertOne(toDocument(record), options).catch(unlessDuplicate);
    await this.calls.call('storing a key', write);
  }

  async findKey(id: string): Promise<KeyRecord | null> {
    const found = await this.calls.ask('reading a key', () => this.keys.findOne({ _id: id }));
    return this.records.found(found, id, FORM);
  }

  async listKeys(): Promise<readonly KeyRecord[]> {
    const read = (): Promise<KeyDocument[]> =>
      this.keys.find().sort({ createdAt: 1, _id: 1 }).toArray();
    return this.records.all(await this.calls.call('listing keys', read), FORM);
  }

  async removeKey(id: string): Promise<boolean> {
    const options = { writeConcern: this.durable };
    const write = (): Promise<DeleteResult> => this.keys.deleteOne({ _id: id }, options);
    const isRemoved = (await this.calls.call('removing a key', write)).deletedCount === 1;
    if (isRemoved) this.records.clear('key', id);
    return isRemoved;
  }

  async noteKeyUse(id: string, at: number): Promise<void> {
    const update = { $max: { usedAt: toDate(at) } };
    await this.calls.call('noting a key', () => this.keys.updateOne({ _id: id }, update));
  }

  async sharedSecret(name: string, fresh: string): Promise<string> {
    const options = { writeConcern: this.durable };
    const write = (): Promise<unknown> =>
      this.secrets.insertOne({ _id: name, text: fresh }, options).catch(unlessDuplicate);
    await this.calls.call('keeping a secret', write);
    const read = (): Promise<SecretDocument | null> => this.secrets.findOne({ _id: name });
    return (await this.calls.ask('reading a secret', read))?.text ?? fresh;
  }

  private get durable(): ReturnType<typeof durable> {
    return durable(this.calls.settings.operationMs);
  }
}

function toDocument({ id, ...record }: KeyRecord): KeyDocument {
  const { createdAt, expiresAt, labels, usedAt } = record;
  return {
    ...record,
    _id: id,
    labels: labels === null ? null : Object.entries(labels),
    createdAt: toDate(createdAt),
    expiresAt: expiresAt === null ? null : toDate(expiresAt),
    usedAt: usedAt === null ? null : toDate(usedAt),
  };
}

function toRecord({ _id: id, ...document }: KeyDocument): KeyRecord {
  const { createdAt, expiresAt, labels, usedAt } = document;
  return checkKey({
    ...document,
    id,
    labels: labels === null ? null : labelsOf(labels),
    createdAt: toMs(createdAt),
    expiresAt: toMsOrNull(expiresAt),
    usedAt: toMsOrNull(usedAt),
  });
}

function labelsOf(labels: NonNullable<KeyDocument['labels']>): Readonly<Record<string, string>> {
  const isPairs = Array.isArray(labels) && labels.every((pair) => Array.isArray(pair));
  if (!isPairs) throw new DocumentFault('labels is not a list of pairs');
  return Object.fromEntries(labels);
}

function unlessDuplicate(error: unknown): void {
  if (error instanceof MongoServerError && error.code === DUPLICATE_KEY) return;
  throw error;
}
