import { faultId, type FaultPlace, type FaultSwitch } from '#ports';
import type { KeptFaults } from './fault-switches.js';

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
