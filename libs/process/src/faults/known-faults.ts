import {
  allOf,
  type Clock,
  faultId,
  type FaultPlace,
  type FaultSwitch,
  type Records,
} from '#ports';
import type { KeptFaults } from './fault-switches.js';

/** So long an executor goes by what it has read. */
const KNOWN_MS = 1_000;

/**
 * The switches of a shared store, read at most once in a second, and only while commands start: a
 * read for each attempt would be felt where no switch is on.
 */
export class KnownFaults implements KeptFaults {
  #known: Promise<readonly FaultSwitch[]> | null = null;
  #isEmpty = false;

  constructor(
    private readonly switches: Records<FaultSwitch>,
    private readonly clock: Clock,
  ) {}

  /** Whether it is known just now that no switch is on. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  list(): Promise<readonly FaultSwitch[]> {
    return allOf(this.switches);
  }

  async find({ flow, step }: FaultPlace): Promise<FaultSwitch | null> {
    const known = await (this.#known ??= this.#read());
    return known.find((one) => one.flow === flow && one.step === step) ?? null;
  }

  async put(one: FaultSwitch): Promise<void> {
    await this.switches.put(one, 'any');
  }

  remove(place: FaultPlace): Promise<boolean> {
    return this.switches.remove(faultId(place), 'any');
  }

  /** Resolves once every process has forgotten what it read before. */
  settled(): Promise<void> {
    return new Promise((resolve) => void this.clock.after(KNOWN_MS, resolve));
  }

  #read(): Promise<readonly FaultSwitch[]> {
    this.clock.after(KNOWN_MS, () => {
      this.#known = null;
      this.#isEmpty = false;
    });
    const reading = this.list();
    void this.#note(reading);
    return reading;
  }

  /** A failure is for the caller; nothing is known by it. */
  async #note(reading: Promise<readonly FaultSwitch[]>): Promise<void> {
    const all = await reading.catch(() => null);
    this.#isEmpty = this.#known === reading && all?.length === 0;
  }
}

/** Switches in memory, for a process that has no others beside it: started again, it has none. */
export class MemoryFaults implements KeptFaults {
  readonly #switches = new Map<string, FaultSwitch>();

  get isEmpty(): boolean {
    return this.#switches.size === 0;
  }

  async list(): Promise<readonly FaultSwitch[]> {
    return [...this.#switches.values()];
  }

  async find(place: FaultPlace): Promise<FaultSwitch | null> {
    return this.#switches.get(faultId(place)) ?? null;
  }

  async put(one: FaultSwitch): Promise<void> {
    this.#switches.set(faultId(one), one);
  }

  async remove(place: FaultPlace): Promise<boolean> {
    return this.#switches.delete(faultId(place));
  }

  /** They are in the process that runs the commands. */
  async settled(): Promise<void> {}
}
