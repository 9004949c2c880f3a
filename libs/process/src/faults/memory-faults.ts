import type { FaultPlace, FaultSwitch } from '#ports';
import type { KeptFaults } from './fault-switches.js';

/** Switches in memory, for a process that has no others beside it: started again, it has none. */
export class MemoryFaults implements KeptFaults {
  readonly #switches = new Map<string, FaultSwitch>();

  get isEmpty(): boolean {
    return this.#switches.size === 0;
  }

  async listFaults(): Promise<readonly FaultSwitch[]> {
    return [...this.#switches.values()];
  }

  async findFault(place: FaultPlace): Promise<FaultSwitch | null> {
    return this.#switches.get(keyOf(place)) ?? null;
  }

  async putFault(one: FaultSwitch): Promise<void> {
    this.#switches.set(keyOf(one), one);
  }

  async removeFault(place: FaultPlace): Promise<boolean> {
    return this.#switches.delete(keyOf(place));
  }

  /** They are in the process that runs the commands. */
  async settled(): Promise<void> {}
}

function keyOf({ flow, step }: FaultPlace): string {
  return JSON.stringify([flow, step]);
}
