import type { FlowVersion } from '#core';
import { readStoredJson } from '#core/json';
import { checkFlow, type RecordForm, type RecordReader, nullWhereUnreadable } from '#ports';
import { fromColumn } from './column-text.js';
import type { StoredFlow } from './protocol.js';

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
