import { allOf, type Clock, MODULE_LIMIT, type ModuleLimit, recordsOf } from '#ports';
import type { EngineParts } from './parts.js';

/** For how long what was read of the limits may be gone by, in milliseconds. */
export const LIMITS_KNOWN_FOR_MS = 10_000;

/**
 * The limits of modules, as this process knows them: it reads them again and again, and before it
 * goes by something older.
 */
export class ModuleLimits {
  private known: ReadonlyMap<string, ModuleLimit> = new Map();
  private readAt = -Infinity;
  private readonly clock: Clock;

  constructor(private readonly parts: Pick<EngineParts, 'clock' | 'records'>) {
    this.clock = parts.clock;
  }

  /** Whether what is known is new enough to go by. */
  get isFresh(): boolean {
    if (this.parts.records === undefined) return true;
    return this.clock.monotonic() - this.readAt <= LIMITS_KNOWN_FOR_MS;
  }

  /** Whether any module has limits. */
  get hasAny(): boolean {
    return this.known.size > 0;
  }

  /** The limits of a module; undefined: it has none. */
  of(module: string): ModuleLimit | undefined {
    return this.known.get(module);
  }

  all(): readonly ModuleLimit[] {
    return [...this.known.values()];
  }

  /** Throws `StoreUnavailable`. */
  async refresh(): Promise<void> {
    const { records } = this.parts;
    if (records === undefined) return;
    const askedAt = this.clock.monotonic();
    const found = await allOf(recordsOf(records, MODULE_LIMIT));
    this.known = new Map(found.map((limit) => [limit.module, limit]));
    this.readAt = askedAt;
  }
}
