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
  /** Of a worker that did not say which: `ANY_COMMAND`. */
  readonly commands: readonly string[];
  /** JSON Schemas of what commands take, by their names. One that is not here does not say. */
  readonly parameters?: Readonly<Record<string, JsonObject>>;
  /** JSON Schemas that outputs of commands fit, by their names. Absent: no command says. */
  readonly outputs?: Readonly<Record<string, JsonObject>>;
  /** Members of outputs that commands give as secrets, by their names; absent: none does. */
  readonly secrets?: Readonly<Record<string, readonly string[]>>;
  /** Milliseconds since 1970 of its first announcement. */
  readonly since: number;
  /** Commands of the module that it ran when it announced itself last, and how many it may. */
  readonly busy: number;
  readonly slots: number;
  /** Milliseconds since 1970 of the last announcement. */
  readonly seenAt: number;
  /** It is a worker, which asks for work over HTTP; absent: an executor. */
  readonly worker?: true;
  /** Of a worker: name and version of the library by which it speaks. */
  readonly sdk?: string;
  /** Of a worker: tells its key apart from others; absent: an older version announced it. */
  readonly keyMark?: string;
  /** Of a worker: an operator has it take nothing new. */
  readonly draining?: true;
  /** It has stopped, and nothing is known of its schemas any more; absent: it has not. */
  readonly stopped?: true;
}

/** Among the commands of a worker: it may have any. */
export const ANY_COMMAND = '*';

/** Whether an executor may have a command of its module. */
export function mayHave({ commands }: Pick<ExecutorRecord, 'commands'>, command: string): boolean {
  return commands.includes(command) || commands.includes(ANY_COMMAND);
}

/** Which executors are there and what they can do. May throw `StoreUnavailable`. */
export interface ExecutorRegistry {
  /** Adds the executor or renews its record. */
  announce(record: ExecutorRecord): Promise<void>;
  /** The executor has stopped: it is not listed any more, and what it could do stays known. */
  withdraw(instance: string, module: string): Promise<void>;
  /** Executors announced at or after `since`, of one module or of all. */
  listExecutors(since: number, module?: string): Promise<readonly ExecutorRecord[]>;
  /**
   * The same, and those that have stopped, without their schemas: until another takes their place,
   * steps wait for it. Of those that stopped with the same commands only the last is known.
   */
  listKnown(since: number, module?: string): Promise<readonly ExecutorRecord[]>;
}

/** The members of an executor that hold schemas. */
export type ExecutorSchemas = 'outputs' | 'parameters';

/** An executor as it stays known after it has stopped. */
export function stoppedRecord(running: ExecutorRecord): Omit<ExecutorRecord, ExecutorSchemas> {
  const { outputs: _, parameters: __, ...record } = running;
  return { ...record, busy: 0, stopped: true };
}

/** The same text for executors that could do the same. */
export function abilityOf({ module, commands, secrets = {} }: ExecutorRecord): string {
  const named = Object.keys(secrets).sort();
  return JSON.stringify([
    module,
    [...commands].sort(),
    named.map((command) => [command, secrets[command]]),
  ]);
}
