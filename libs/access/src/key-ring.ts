import { hash, timingSafeEqual } from 'node:crypto';
import {
  type Clock,
  type KeyRecord,
  nullWhereUnreadable,
  type Records,
  StoreUnavailable,
} from '#ports';
import type { Principal } from './principal.js';

/** The parts that keys are checked with. */
interface KeyRingOptions {
  readonly keys: Records<KeyRecord, 'age'>;
  /** Keys expire by its time of day. */
  readonly clock: Clock;
}

/** A key that was read is believed for so long: a revoked one is taken no longer than that. */
const BELIEVED_MS = 2_000;

/** And for so long while the store does not answer. */
const BELIEVED_UNANSWERED_MS = 60_000;

/** The use of a key is noted at most so often. */
const NOTE_EVERY_MS = 60_000;

/** Keys that are kept in memory. */
const KEPT_MAX = 10_000;

interface Entry {
  readonly record: KeyRecord;
  readonly principal: Principal;
  /** By the monotonic clock. */
  readAt: number;
  notedAt: number;
}

/** A key as its owner has it, in its two parts. */
export interface ApiKey {
  /** Names the key; no secret. */
  readonly id: string;
  /** 256 random bits, in base64url. */
  readonly secret: string;
}

const WRITTEN = /^bsk_([0-9a-f]{16})_([\w-]{43})$/;

/** Tells of API keys whose they are. Those that were shown lately are not read again. */
export class KeyRing {
  private readonly entries = new Map<string, Entry>();
  private readonly reading = new Map<string, Promise<Entry | null>>();

  constructor(private readonly options: KeyRingOptions) {}

  /**
   * Returns the owner of the key; null: nobody owns it, or not any more. Answers at once where the
   * key was shown lately. Throws `StoreUnavailable` where it cannot be known.
   */
  find(text: string): Principal | null | Promise<Principal | null> {
    const key = readKey(text);
    if (key === null) return null;
    const known = this.entries.get(key.id);
    if (known !== undefined && this.ageOf(known) < BELIEVED_MS)
      return this.judge(known, key.secret);
    return this.read(key.id).then((entry) => this.judge(entry, key.secret));
  }

  /** Whether a caller who was let in would be let in again. */
  async isGood({ keyId }: Principal): Promise<boolean> {
    if (keyId === null) return true;
    const entry = await this.read(keyId);
    return entry !== null && !this.isOver(entry);
  }

  /** Believes nothing of a key any more. */
  forget(id: string): void {
    this.entries.delete(id);
  }

  private judge(entry: Entry | null, secret: string): Principal | null {
    if (entry === null || this.isOver(entry)) return null;
    if (!isSecretOf(entry.record.hash, secret)) return null;
    this.noteUse(entry);
    return entry.principal;
  }

  private isOver({ record: { expiresAt } }: Entry): boolean {
    return expiresAt !== null && this.options.clock.now() >= expiresAt;
  }

  /** One read at a time for each key. */
  private read(id: string): Promise<Entry | null> {
    const pending = this.reading.get(id);
    if (pending !== undefined) return pending;
    const started = this.readStored(id).finally(() => this.reading.delete(id));
    this.reading.set(id, started);
    return started;
  }

  private async readStored(id: string): Promise<Entry | null> {
    const { clock, keys } = this.options;
    const known = this.entries.get(id);
    const readAt = clock.monotonic();
    try {
      // Nobody knows what a key may do that cannot be read, so nobody gets in with it.
      const record = await keys.get(id).catch(nullWhereUnreadable);
      if (record === null) {
        this.entries.delete(id);
        return null;
      }
      const entry = { record, principal: principalOf(record), readAt, notedAt: notedAt(known) };
      if (this.entries.size >= KEPT_MAX) this.entries.clear();
      this.entries.set(id, entry);
      return entry;
    } catch (error) {
      const isBelieved = known !== undefined && this.ageOf(known) < BELIEVED_UNANSWERED_MS;
      if (error instanceof StoreUnavailable && isBelieved) return known;
      throw error;
    }
  }

  private ageOf({ readAt }: Entry): number {
    return this.options.clock.monotonic() - readAt;
  }

  /** Nobody waits for it, and a note that is lost is no harm. */
  private noteUse(entry: Entry): void {
    const now = this.options.clock.monotonic();
    if (now - entry.notedAt < NOTE_EVERY_MS) return;
    entry.notedAt = now;
    void this.storeUse(entry.record.id).catch(() => undefined);
  }

  /** The latest use stays: a process that noted one meanwhile has noted this one as well. */
  private async storeUse(id: string): Promise<void> {
    const { clock, keys } = this.options;
    const stored = await keys.get(id);
    const usedAt = clock.now();
    if (stored !== null && (stored.usedAt ?? 0) < usedAt) {
      await keys.put({ ...stored, usedAt }, stored);
    }
  }
}

function notedAt(known: Entry | undefined): number {
  return known?.notedAt ?? -Infinity;
}

function principalOf(record: KeyRecord): Principal {
  const { flows, id, labels, madeBy, modules, name, role } = record;
  const maker = madeBy === undefined ? {} : { madeBy };
  return { name, role, flows, labels, modules, keyId: id, ...maker };
}

/** The key as it is shown, once: `bsk_<id>_<secret>`. */
export function keyText({ id, secret }: ApiKey): string {
  return `bsk_${id}_${secret}`;
}

/** The parts of a key; null: it is none. */
export function readKey(text: string): ApiKey | null {
  const [, id, secret] = WRITTEN.exec(text) ?? [];
  return id === undefined || secret === undefined ? null : { id, secret };
}

/**
 * The hash that is stored of a secret. One round of SHA-256 is enough: there is nothing to guess in
 * 256 random bits.
 */
export function hashOf(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** Whether a secret is the one of a hash, in the same time wherever the two differ. */
export function isSecretOf(hash: string, secret: string): boolean {
  const [stored, shown] = [Buffer.from(hash, 'hex'), Buffer.from(hashOf(secret), 'hex')];
  return stored.length === shown.length && timingSafeEqual(stored, shown);
}
