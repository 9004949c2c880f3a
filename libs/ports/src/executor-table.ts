import { abilityOf, stoppedRecord, type ExecutorRecord } from './executor-registry.js';

/** An executor that was silent for so long counts as one that has stopped, in milliseconds. */
const STOPPED_AFTER_MS = 2 * 3_600_000;

/** The register of executors in memory: what an `ExecutorRegistry` that stores nothing keeps. */
export class ExecutorTable {
  /** In the order in which they were announced last. */
  readonly #records = new Map<string, ExecutorRecord>();
  readonly #stopped = new Map<string, ExecutorRecord>();

  /** Adds the executor or renews its record. */
  announce(record: ExecutorRecord): void {
    const key = keyOf(record.instance, record.module);
    this.#records.delete(key);
    this.#records.set(key, record);
    // The silent ones come first: to look at all of them would cost the square of a fleet.
    for (const { instance, module, seenAt } of this.#records.values()) {
      if (record.seenAt - seenAt <= STOPPED_AFTER_MS) break;
      this.withdraw(instance, module);
    }
  }

  /** The executor has stopped. */
  withdraw(instance: string, module: string): void {
    const key = keyOf(instance, module);
    const record = this.#records.get(key);
    if (record !== undefined) this.#stopped.set(abilityOf(record), stoppedRecord(record));
    this.#records.delete(key);
  }

  /** Executors announced at or after `since`, of one module or of all. */
  list(since: number, module?: string): readonly ExecutorRecord[] {
    return within(this.#records, since, module);
  }

  /** The same, and those that have stopped. */
  listKnown(since: number, module?: string): readonly ExecutorRecord[] {
    return [...this.list(since, module), ...within(this.#stopped, since, module)];
  }
}

function within(
  records: ReadonlyMap<string, ExecutorRecord>,
  since: number,
  module: string | undefined,
): readonly ExecutorRecord[] {
  return [...records.values()].filter(
    (record) => record.seenAt >= since && (module === undefined || record.module === module),
  );
}

function keyOf(instance: string, module: string): string {
  return JSON.stringify([instance, module]);
}
