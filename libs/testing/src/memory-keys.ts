import type { KeyRecord, KeyStore } from '#ports';

/** The contents of a store of keys; they outlive a "restart". */
interface KeyContents {
  readonly accessKeys: Map<string, KeyRecord>;
  readonly secrets: Map<string, string>;
}

/** API keys in memory. */
export class MemoryKeys implements KeyStore {
  constructor(private readonly open: () => KeyContents) {}

  async addKey(record: KeyRecord): Promise<void> {
    const keys = this.open().accessKeys;
    if (!keys.has(record.id)) keys.set(record.id, { ...record, usedAt: null });
  }

  async findKey(id: string): Promise<KeyRecord | null> {
    return this.open().accessKeys.get(id) ?? null;
  }

  async listKeys(): Promise<readonly KeyRecord[]> {
    return [...this.open().accessKeys.values()].sort((a, b) => a.createdAt - b.createdAt);
  }

  async removeKey(id: string): Promise<boolean> {
    return this.open().accessKeys.delete(id);
  }

  async noteKeyUse(id: string, at: number): Promise<void> {
    const keys = this.open().accessKeys;
    const found = keys.get(id);
    if (found !== undefined && (found.usedAt ?? 0) < at) keys.set(id, { ...found, usedAt: at });
  }

  async sharedSecret(name: string, fresh: string): Promise<string> {
    const { secrets } = this.open();
    if (!secrets.has(name)) secrets.set(name, fresh);
    return secrets.get(name) ?? fresh;
  }
}
