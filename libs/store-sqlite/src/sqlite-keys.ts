import type { KeyRecord, KeyStore } from '#ports';
import type { StoredKey } from './protocol.js';
import type { WorkerLink } from './worker-link.js';

/** API keys, in the file of the store. */
export class SqliteKeys implements KeyStore {
  readonly #link: WorkerLink;

  constructor(link: WorkerLink) {
    this.#link = link;
  }

  async addKey({ usedAt: _usedAt, ...record }: KeyRecord): Promise<void> {
    const { createdAt, id } = record;
    await this.#link.ask(['changeKeys', ['add', id, createdAt, JSON.stringify(record)]]);
  }

  async findKey(id: string): Promise<KeyRecord | null> {
    const found = await this.#link.ask<StoredKey | null>(['getKey', id]);
    return found === null ? null : toRecord(found);
  }

  async listKeys(): Promise<readonly KeyRecord[]> {
    const found = await this.#link.ask<readonly StoredKey[]>(['listKeys']);
    return Array.from(found, toRecord);
  }

  async removeKey(id: string): Promise<boolean> {
    return (await this.#link.ask<number>(['changeKeys', ['remove', id]])) === 1;
  }

  async noteKeyUse(id: string, at: number): Promise<void> {
    await this.#link.ask(['changeKeys', ['used', id, at]]);
  }

  sharedSecret(name: string, fresh: string): Promise<string> {
    return this.#link.ask<string>(['keepSecret', name, fresh]);
  }
}

function toRecord([text, usedAt]: StoredKey): KeyRecord {
  return { ...(JSON.parse(text) as Omit<KeyRecord, 'usedAt'>), usedAt };
}
