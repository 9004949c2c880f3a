import { announcedCommands, type KnownCommands } from '#flow-files';
import type { Clock, ExecutorRecord } from '#ports';

/**
 * After this what is known is asked for again, in milliseconds, while the old answer still does.
 */
const OLD_AFTER_MS = 5_000;

/** So young an answer is not asked for again, in milliseconds. */
const YOUNG_MS = 1_000;

const NOBODY: KnownCommands = announcedCommands([]);

/** Dependencies; `list` gives the executors that were heard of. */
interface AnnouncedCommandsOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly list: () => Promise<readonly ExecutorRecord[]>;
  /**
   * The commands of this process, where it alone has executors: of other modules there are workers
   * or none. Absent: other processes may have any.
   */
  readonly own?: KnownCommands;
}

/**
 * The commands that executors in other processes and workers have announced. A module of which none
 * was heard is not known: its executors may only be away, unless this process has them all.
 */
export class AnnouncedCommands {
  #known: KnownCommands | null = null;
  /** The announcements that `#known` was made of, as JSON. */
  #text = '';
  #askedAt = -Infinity;
  #asking: Promise<KnownCommands> | null = null;

  constructor(private readonly options: AnnouncedCommandsOptions) {}

  /** The known commands, at once if there are any. The same object while nothing has changed. */
  now(): KnownCommands | Promise<KnownCommands> {
    if (this.#known === null) return this.fresh();
    if (this.#age() > OLD_AFTER_MS) void this.#ask();
    return this.#known;
  }

  /** The commands as of a moment ago; as known before where the store does not answer. */
  async fresh(): Promise<KnownCommands> {
    const isYoung = this.options.own === undefined && this.#age() < YOUNG_MS;
    return this.#known !== null && isYoung ? this.#known : this.#ask();
  }

  #age(): number {
    return this.options.clock.monotonic() - this.#askedAt;
  }

  #ask(): Promise<KnownCommands> {
    this.#asking ??= this.#read().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #read(): Promise<KnownCommands> {
    try {
      const records = await this.options.list();
      const text = JSON.stringify(records.map(partOf).toSorted());
      if (this.#known === null || text !== this.#text) {
        this.#known = announcedCommands(records, this.options.own);
      }
      this.#text = text;
      this.#askedAt = this.options.clock.monotonic();
      return this.#known;
    } catch {
      // Code that needs the store for more than this reports that it is away.
      return this.#known ?? this.options.own ?? NOBODY;
    }
  }
}

/** The part of an announcement that says which commands there are, with their schemas. */
function partOf(record: ExecutorRecord): string {
  const { commands, module, outputs = {}, parameters = {}, stopped = false } = record;
  const schemas = commands.map((name) => [parameters[name] ?? null, outputs[name] ?? null]);
  return JSON.stringify([module, commands, schemas, stopped]);
}
