import { readStoredJson } from '#core';
import { checkKey, type RecordForm, type RecordReader, storedUnder } from '#ports';
import type { KeyRecord, KeyStore } from '#ports';
import type { StoredKey } from './protocol.js';
import type { WorkerLink } from './worker-link.js';

const FORM: RecordForm<StoredKey, KeyRecord> = {
  kind: 'key',
  idOf: ([id]) => id,
  decode: ([id, text, usedAt]) => {
    return storedUnder(checkKey(membersOf(readStoredJson(text, 'record'), usedAt)), 'id', id);
  },
};

function membersOf(record: unknown, usedAt: unknown): object {
  return { ...(record as object), usedAt };
}

/** API keys, in the file of the store. */
export class SqliteKeys implements KeyStore {
  readonly #link: WorkerLink;
  readonly #records: RecordReader;

  constructor(link: WorkerLink, records: RecordReader) {
    this.#link = link;
    this.#records = records;
  }

  async addKey({ usedAt: _usedAt, ...record }: KeyRecord): Promise<void> {
    const { createdAt, id } = record;
    await this.#link.ask(['changeKeys', ['add', id, createdAt, JSON.stringify(record)]]);
  }

  async findKey(id: string): Promise<KeyRecord | null> {
    const found = await this.#link.ask<StoredKey | null>(['getKey', id]);
    return this.#records.found(found, id, FORM);
  }

  async listKeys(): Promise<readonly KeyRecord[]> {
    const found = await this.#link.ask<readonly StoredKey[]>(['listKeys']);
    return this.#records.all(Array.from(found), FORM);
  }

  async removeKey(id: string): Promise<boolean> {
    const isRemoved = (await this.#link.ask<number>(['changeKeys', ['remove', id]])) === 1;
    if (isRemoved) this.#records.clear('key', id);
    return isRemoved;
  }

  async noteKeyUse(id: string, at: number): Promise<void> {
    await this.#link.ask(['changeKeys', ['used', id, at]]);
  }

  sharedSecret(name: string, fresh: string): Promise<string> {
    return this.#link.ask<string>(['keepSecret', name, fresh]);
  }
}
