import type { FlowDefinition, FlowVersion } from '#core';
import { fromColumn } from './column-text.js';
import type { StoredFlow } from './protocol.js';

/** Flow versions are few; this bounds what a process remembers that meets very many. */
const VERSIONS_MAX = 2_000;

/**
 * The flow versions that this process has met, so that each of them is one object: tasks made from
 * it share its steps, and stores know steps by identity.
 */
export class FlowShelf {
  readonly #versions = new Map<string, FlowVersion>();
  readonly #newest = new Map<string, FlowVersion>();

  /** The version, or the newest one that is known to be the newest. */
  find(name: string, version: number | undefined): FlowVersion | undefined {
    return version === undefined ? this.#newest.get(name) : this.#versions.get(key(name, version));
  }

  /** The version that a stored row stands for. */
  keep(stored: StoredFlow): FlowVersion {
    const [version, hash, definitionText, createdAt] = stored;
    const definition = JSON.parse(definitionText) as FlowDefinition;
    const known = this.#versions.get(key(definition.name, version));
    if (known !== undefined) return known;
    if (this.#versions.size >= VERSIONS_MAX) this.#versions.clear();
    const flow = { definition, version, hash: fromColumn(hash), createdAt };
    this.#versions.set(key(definition.name, version), flow);
    return flow;
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
