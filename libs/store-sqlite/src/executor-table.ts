import type { ExecutorRecord } from '#ports';

/**
 * The executors of this process. Only this process can have the file open, so no other can announce
 * itself, and none of those before it is there any more: nothing of this is worth a write.
 */
export class ExecutorTable {
  readonly #records = new Map<string, ExecutorRecord>();

  /** Adds the executor or renews its record. */
  announce(record: ExecutorRecord): void {
    this.#records.set(keyOf(record.instance, record.module), record);
  }

  /** Removes the executor. */
  withdraw(instance: string, module: string): void {
    this.#records.delete(keyOf(instance, module));
  }

  /** Executors announced at or after `since`, of one module or of all. */
  list(since: number, module?: string): readonly ExecutorRecord[] {
    return [...this.#records.values()].filter(
      (record) => record.seenAt >= since && (module === undefined || record.module === module),
    );
  }
}

function keyOf(instance: string, module: string): string {
  return JSON.stringify([instance, module]);
}
