import type { JsonObject } from '#core';

/** One running executor process of one module, as it announces itself. */
export interface ExecutorRecord {
  /** The process instance; new with every start. */
  readonly instance: string;
  readonly module: string;
  /** Of Backstep. */
  readonly version: string;
  /** The name that its owners give to the build of their code; absent: they give none. */
  readonly build?: string;
  readonly host: string;
  readonly pid: number;
  readonly commands: readonly string[];
  /** JSON Schemas of what commands take, by their names. One that is not here does not say. */
  readonly parameters?: Readonly<Record<string, JsonObject>>;
  /** Members of outputs that commands give as secrets, by their names; absent: none does. */
  readonly secrets?: Readonly<Record<string, readonly string[]>>;
  /** Milliseconds since 1970 of its first announcement. */
  readonly since: number;
  /** Commands of the module that it ran when it announced itself last, and how many it may. */
  readonly busy: number;
  readonly slots: number;
  /** Milliseconds since 1970 of the last announcement. */
  readonly seenAt: number;
}

/** Which executors are there and what they can do. May throw `StoreUnavailable`. */
export interface ExecutorRegistry {
  /** Adds the executor or renews its record. */
  announce(record: ExecutorRecord): Promise<void>;
  /** Removes the executor: it has stopped. */
  withdraw(instance: string, module: string): Promise<void>;
  /** Executors announced at or after `since`, of one module or of all. */
  listExecutors(since: number, module?: string): Promise<readonly ExecutorRecord[]>;
}
