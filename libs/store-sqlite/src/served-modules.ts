import {
  allOf,
  ANY_COMMAND,
  type ExecutorRecord,
  recordsOf,
  type RecordStore,
  SERVED,
  servedAsExecutor,
  type ServedRecord,
  servedWith,
} from '#ports';

/**
 * The modules that workers of this and of earlier processes have served. One is written when
 * something new is announced of it.
 */
export class ServedModules {
  readonly #records;
  #known: Promise<Map<string, ServedRecord>> | null = null;

  constructor(records: RecordStore) {
    this.#records = recordsOf(records, SERVED);
  }

  /** A worker has announced itself. Throws `StoreUnavailable`. */
  async add(record: ExecutorRecord): Promise<void> {
    const known = await this.#all();
    const next = servedWith(known.get(record.module), record);
    if (next === null) return;
    await this.#records.put(next, 'any');
    // Anything that another announcement has added meanwhile is stored by the next one.
    known.set(next.module, next);
  }

  /**
   * Workers that could do what is known and no announcement of this process tells, as ones that
   * have stopped. Throws `StoreUnavailable`.
   */
  async beside(
    announced: readonly ExecutorRecord[],
    since: number,
    module?: string,
  ): Promise<readonly ExecutorRecord[]> {
    const known = [...(await this.#all()).values()];
    const isMeant = (one: ServedRecord): boolean => module === undefined || one.module === module;
    return known
      .filter((one) => one.seenAt >= since && isMeant(one))
      .flatMap((one) => {
        const commands = untold(one, announced);
        const isMore = commands.length > 0 || Object.keys(one.secrets).length > 0;
        return isMore ? [servedAsExecutor({ ...one, commands })] : [];
      });
  }

  #all(): Promise<Map<string, ServedRecord>> {
    this.#known ??= this.#read().catch((error: unknown) => {
      this.#known = null;
      throw error;
    });
    return this.#known;
  }

  async #read(): Promise<Map<string, ServedRecord>> {
    const all = await allOf(this.#records);
    return new Map(all.map((one) => [one.module, one]));
  }
}

/** The commands of a module that nobody has announced. `ANY_COMMAND` says less than names. */
function untold(
  { commands, module }: ServedRecord,
  announced: readonly ExecutorRecord[],
): readonly string[] {
  const told = announced.filter((one) => one.module === module).flatMap((one) => one.commands);
  if (told.length === 0) return commands;
  return commands.filter((command) => command !== ANY_COMMAND && !told.includes(command));
}
