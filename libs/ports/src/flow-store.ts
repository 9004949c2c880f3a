import type { FlowDefinition, FlowVersion } from '#core';

/** Where flow definitions are kept, every version for ever. May throw `StoreUnavailable`. */
export interface FlowStore {
  /**
   * Stores a definition: the version that has this hash already if it is the newest of its name,
   * else a new one. Several processes saving the same definition at once get the same version.
   */
  saveFlow(definition: FlowDefinition, hash: string, now: number): Promise<FlowVersion>;
  /** One version, or the newest one where `version` is absent; null where there is none. */
  getFlow(name: string, version?: number): Promise<FlowVersion | null>;
  /** The newest version of every flow, by name. */
  listFlows(): Promise<readonly FlowVersion[]>;
}
