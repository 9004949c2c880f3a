import type {
  DefinitionStore,
  FlowHead,
  FlowStanding,
  PutOrder,
  PutResult,
  RetireResult,
  VersionEntry,
} from '#ports';
import { fromColumn, toColumn } from './column-text.js';
import type { StoredHead, StoredRetirement } from './definition-cells.js';
import type { FlowShelf } from './flow-shelf.js';
import type { StoredPut } from './protocol.js';
import type { WorkerLink } from './worker-link.js';

/** Above every number of a version. */
const BEYOND_ALL = Number.MAX_SAFE_INTEGER;

/** Definitions that come by requests, in the file of the store. */
export class SqliteDefinitions implements DefinitionStore {
  readonly #link: WorkerLink;
  readonly #flows: FlowShelf;

  constructor(link: WorkerLink, flows: FlowShelf) {
    this.#link = link;
    this.#flows = flows;
  }

  async putFlow({ definition, expected, hash, now }: PutOrder): Promise<PutResult> {
    const name = toColumn(definition.name);
    const cells = [name, toColumn(hash), JSON.stringify(definition), now] as const;
    for (let broken = 0; ;) {
      const request = ['putFlow', [...cells, expected ?? null, broken]] as const;
      const answer = await this.#link.ask<StoredPut>(request);
      if (answer[0] === 'moved') return { kind: 'moved', version: answer[1] };
      const [kind, stored, before] = answer;
      const flow = this.#flows.newestReadable(stored);
      if (flow !== null) return { kind, flow, before: before && toHead(before) };
      [broken] = stored;
    }
  }

  async retireFlow(name: string, expected?: readonly number[]): Promise<RetireResult> {
    const request = ['retireFlow', toColumn(name), expected ?? null] as const;
    const [kind, version] = await this.#link.ask<StoredRetirement>(request);
    return kind === 'moved' ? { kind, version } : { kind };
  }

  async listHeads(): Promise<readonly FlowHead[]> {
    return Array.from(await this.#link.ask<readonly StoredHead[]>(['listHeads']), toHead);
  }

  async listVersions(
    name: string,
    limit: number,
    before = BEYOND_ALL,
  ): Promise<readonly VersionEntry[]> {
    type Entry = readonly [version: number, hash: string, createdAt: number];
    const request = ['listVersions', toColumn(name), limit, before] as const;
    const found = await this.#link.ask<readonly Entry[]>(request);
    return Array.from(found, ([version, hash, createdAt]) => {
      return { version, hash: fromColumn(hash), createdAt };
    });
  }
}

function toHead([name, version, standing]: StoredHead): FlowHead {
  return { name: fromColumn(name), version, standing: standing as FlowStanding };
}
