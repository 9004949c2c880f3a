import type { KeyRecord, KeyStore } from '#ports';

/** API keys in memory. */
export class MemoryKeys implements KeyStore {
  private readonly secrets = new Map<string, string>();

  constructor(private readonly open: () => Map<string, KeyRecord>) {}

  async addKey(record: KeyRecord): Promise<void> {
    const keys = this.open();
    if (!keys.has(record.id)) keys.set(record.id, { ...record, usedAt: null });
  }

  async findKey(id: string): Promise<KeyRecord | null> {
    return this.open().get(id) ?? null;
  }

  async listKeys(): Promise<readonly KeyRecord[]> {
    return [...this.open().values()].sort((a, b) => a.createdAt - b.createdAt);
  }

  async removeKey(id: string): Promise<boolean> {
    return this.open().delete(id);
  }

  async noteKeyUse(id: string, at: number): Promise<void> {
    const keys = this.open();
    const found = keys.get(id);
    if (found !== undefined && (found.usedAt ?? 0) < at) keys.set(id, { ...found, usedAt: at });
  }

  async sharedSecret(name: string, fresh: string): Promise<string> {
    this.open();
    if (!this.secrets.has(name)) this.secrets.set(name, fresh);
    return this.secrets.get(name) ?? fresh;
  }
}
