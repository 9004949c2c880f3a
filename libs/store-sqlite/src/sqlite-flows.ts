import type { FlowDefinition, FlowVersion } from '#core';
import { readStoredJson } from '#core/json';
import { type FlowStanding } from '#core/task';
import {
  checkFlow,
  type DefinitionStore,
  type FlowHead,
  nullWhereUnreadable,
  type PutOrder,
  type PutResult,
  type RecordForm,
  type RecordReader,
  type RetireResult,
  type VersionEntry,
} from '#ports';
import { fromColumn, toColumn } from './column-text.js';
import type { StoredFlow, StoredHead, StoredPut, StoredRetirement } from './protocol.js';
import type { WorkerLink } from './worker-link.js';

/** Flow versions are few; this bounds what a process remembers that meets very many. */
const VERSIONS_MAX = 2_000;

const FORM: RecordForm<StoredFlow, FlowVersion> = {
  kind: 'flow',
  idOf: ([version, , , , name]) => `${fromColumn(name)}@${version}`,
  decode: ([version, hash, text, createdAt, name]) => {
    const definition = checkFlow(readStoredJson(text, 'definition'), fromColumn(name));
    return { definition, version, hash: fromColumn(hash), createdAt };
  },
};

/** Above every number of a version. */
const BEYOND_ALL = Number.MAX_SAFE_INTEGER;

/**
 * The flow versions that this process has met, so that each of them is one object: tasks made from
 * it share its steps, and stores know steps by identity.
 */
export class FlowShelf {
  readonly #versions = new Map<string, FlowVersion>();
  readonly #newest = new Map<string, FlowVersion>();
  readonly #records: RecordReader;

  constructor(records: RecordReader) {
    this.#records = records;
  }

  /** The version, or the newest one that is known to be the newest. */
  find(name: string, version: number | undefined): FlowVersion | undefined {
    return version === undefined ? this.#newest.get(name) : this.#versions.get(key(name, version));
  }

  /** The version that a stored row stands for. Throws `RecordUnreadable`. */
  keep(stored: StoredFlow): FlowVersion {
    const [version, , , , column] = stored;
    const at = key(fromColumn(column), version);
    const known = this.#versions.get(at);
    if (known !== undefined) return known;
    if (this.#versions.size >= VERSIONS_MAX) this.#versions.clear();
    const flow = this.#records.one(stored, FORM);
    this.#versions.set(at, flow);
    return flow;
  }

  /** The same of the newest version of its name; null: it cannot be read. */
  newestReadable(stored: StoredFlow): FlowVersion | null {
    try {
      return this.keepNewest(stored);
    } catch (error) {
      return nullWhereUnreadable(error);
    }
  }

  /** The same, of the newest version of its name. */
  keepNewest(stored: StoredFlow): FlowVersion {
    const flow = this.keep(stored);
    const { name } = flow.definition;
    const before = this.#newest.get(name);
    if (before !== undefined && before.version > flow.version) return before;
    if (this.#newest.size >= VERSIONS_MAX) this.#newest.clear();
    this.#newest.set(name, flow);
    return flow;
  }
}

function key(name: string, version: number): string {
  return `${version} ${name}`;
}

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
