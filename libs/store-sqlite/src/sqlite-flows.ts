import type { FlowDefinition, FlowVersion } from '#core';
import { toColumn } from './column-text.js';
import type { FlowShelf } from './flow-shelf.js';
import type { StoredFlow } from './protocol.js';
import type { WorkerLink } from './worker-link.js';

/** The versions of flows, in the file of the store. */
export class SqliteFlows {
  readonly #link: WorkerLink;
  readonly #shelf: FlowShelf;

  constructor(link: WorkerLink, shelf: FlowShelf) {
    this.#link = link;
    this.#shelf = shelf;
  }

  /** The version of this hash where it is the newest and can be read, else a new one. */
  async save(definition: FlowDefinition, hash: string, now: number): Promise<FlowVersion> {
    const cells = [toColumn(definition.name), toColumn(hash), JSON.stringify(definition)] as const;
    for (let broken = 0; ;) {
      const stored = await this.#link.ask<StoredFlow>(['saveFlow', ...cells, now, broken]);
      const flow = this.#shelf.newestReadable(stored);
      if (flow !== null) return flow;
      [broken] = stored;
    }
  }

  /** A version, or the newest one; null: there is none. Throws `RecordUnreadable`. */
  async get(name: string, version?: number): Promise<FlowVersion | null> {
    this.#link.assertOpen();
    const known = this.#shelf.find(name, version);
    if (known !== undefined) return known;
    if (version !== undefined && version < 1) return null;
    const request = ['getFlow', toColumn(name), version ?? 0] as const;
    const stored = await this.#link.ask<StoredFlow | null>(request);
    if (stored === null) return null;
    return version === undefined ? this.#shelf.keepNewest(stored) : this.#shelf.keep(stored);
  }

  /** The newest version of each flow that can be read. */
  async list(): Promise<readonly FlowVersion[]> {
    const stored = await this.#link.ask<readonly StoredFlow[]>(['listFlows']);
    const found = Array.from(stored, (flow) => this.#shelf.newestReadable(flow));
    return found.filter((flow) => flow !== null);
  }
}
