import type { FlowVersion } from '#core';
import {
  allOf,
  type Clock,
  type CommandRecord,
  type DefinitionStore,
  type FlowHead,
  type FlowStore,
  nullWhereUnreadable,
  type Observer,
  type Records,
  type Timer,
} from '#ports';
import { freeze } from './parse-flow-file.js';
import { SerialJob } from './serial-job.js';

/** Where stored flows are, and who hears that they cannot be read. */
interface StoredFlowsOptions {
  readonly store: Pick<FlowStore, 'getFlow'>;
  readonly definitions: Pick<DefinitionStore, 'listHeads'>;
  readonly commandDefaults: Records<CommandRecord>;
  readonly clock: Pick<Clock, 'after'>;
  readonly observer: Pick<Observer, 'noticed'>;
  /** Called when the stored defaults of commands change, or are known for the first time. */
  readonly onDefaults?: () => void;
}

/** Interval at which the store is polled for changes by other processes, in milliseconds. */
const LOOK_MS = 2_000;

/** Older versions that are kept; a task of one more costs a read. */
const OLDER_MAX = 200;

/** The flows that requests have stored, in whatever process, as they are to be started now. */
export class StoredFlows {
  readonly #options: StoredFlowsOptions;
  readonly #looks = new SerialJob(() => this.#look());
  readonly #older = new Map<string, FlowVersion>();
  #current: ReadonlyMap<string, FlowVersion> = new Map();
  #retired: ReadonlySet<string> = new Set();
  #defaults: readonly CommandRecord[] | null = null;
  #isStarted = false;
  #isAway = false;
  #timer: Timer | null = null;

  constructor(options: StoredFlowsOptions) {
    this.#options = options;
  }

  /** Looks, and goes on looking. Resolves after the first look. */
  async start(): Promise<void> {
    this.#isStarted = true;
    await this.look();
  }

  /** Waits for a look in hand. Safe to call twice. */
  async stop(): Promise<void> {
    this.#isStarted = false;
    await this.#looks.settled();
    this.#timer?.cancel();
    this.#timer = null;
  }

  /** Looks now: what was stored before is known afterwards. Never rejects. */
  look(): Promise<void> {
    return this.#looks.run();
  }

  /** The version that a new task of this flow gets; the same object until it is another one. */
  find(name: string): FlowVersion | undefined {
    return this.#current.get(name);
  }

  /** All that can be started. */
  list(): readonly FlowVersion[] {
    return [...this.#current.values()];
  }

  /** Whether nothing new is to be started of a flow. */
  isRetired(name: string): boolean {
    return this.#retired.has(name);
  }

  /** Stored defaults of commands, for flows to inherit; null: not known so far. */
  get defaults(): readonly CommandRecord[] | null {
    return this.#defaults;
  }

  /** Any version there ever was; the same object for one that was asked for lately. */
  async findVersion(name: string, version: number): Promise<FlowVersion | null> {
    const key = `${name}@${version}`;
    const known = this.#older.get(key);
    if (known !== undefined) return known;
    const found = await this.#options.store.getFlow(name, version);
    if (found === null) return null;
    freeze(found);
    if (this.#older.size >= OLDER_MAX) this.#older.clear();
    this.#older.set(key, found);
    return found;
  }

  async #look(): Promise<void> {
    this.#timer?.cancel();
    try {
      await this.#read();
      this.#isAway = false;
    } catch (error) {
      if (!this.#isAway) this.#tell(error);
      this.#isAway = true;
    }
    const { clock } = this.#options;
    if (this.#isStarted) this.#timer = clock.after(LOOK_MS, () => void this.look());
  }

  async #read(): Promise<void> {
    const { commandDefaults, definitions } = this.#options;
    this.#takeDefaults(await allOf(commandDefaults));
    const heads = await definitions.listHeads();
    const current = new Map<string, FlowVersion>();
    for (const head of heads) {
      const found = head.standing === 'stored' ? await this.#readOne(head) : null;
      if (found !== null) current.set(head.name, found);
    }
    this.#current = current;
    const retired = heads.filter(({ standing }) => standing === 'retired');
    this.#retired = new Set(retired.map(({ name }) => name));
  }

  /** The same object for as long as it says the same. */
  #takeDefaults(found: readonly CommandRecord[]): void {
    if (JSON.stringify(found) === JSON.stringify(this.#defaults)) return;
    this.#defaults = found;
    this.#options.onDefaults?.();
  }

  async #readOne({ name, version }: FlowHead): Promise<FlowVersion | null> {
    const known = this.#current.get(name);
    if (known?.version === version) return known;
    // The store has told of one that cannot be read; all others are there.
    return this.findVersion(name, version).catch(nullWhereUnreadable);
  }

  #tell(error: unknown): void {
    const message = 'The stored flows cannot be read now; those read before can still be started.';
    this.#options.observer.noticed({ level: 'warn', name: 'flow_look_failed', message, error });
  }
}
