import type { FlowDefinition, FlowVersion } from '#core';
import {
  ANYTHING,
  DocumentFault,
  FINITE,
  LIST,
  NUMBERED,
  OBJECT,
  orAbsent,
  orNull,
  TEXT,
} from '#core/json';
import { stepsFault } from '#core/stored';
import type { FlowStanding } from '#core/task';
import { recordCheck, storedUnder } from './record-kind.js';

/** The newest version of a flow. */
export interface FlowHead {
  readonly name: string;
  readonly version: number;
  readonly standing: FlowStanding;
}

/** A definition that is to become the newest of its name. */
export interface PutOrder {
  readonly definition: FlowDefinition;
  readonly hash: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Only if the newest version is one of these; 0: if there is none. Absent: in any case. */
  readonly expected?: readonly number[] | undefined;
}

/** The result of storing a definition. */
export type PutResult =
  /** `before`: what was the newest until then; null: the name is new. */
  | { readonly kind: 'stored'; readonly flow: FlowVersion; readonly before: FlowHead | null }
  /** The newest version is none that was expected; 0: there is none. */
  | { readonly kind: 'moved'; readonly version: number };

/** The result of retiring a flow. */
export type RetireResult =
  | { readonly kind: 'retired' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'moved'; readonly version: number };

/** A version without its definition. */
export interface VersionEntry {
  readonly version: number;
  readonly hash: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/**
 * Definitions that come by requests. Versions are those of `FlowStore`: both share one history. May
 * throw `StoreUnavailable`.
 */
export interface DefinitionStore {
  /**
   * Stores a definition as the newest of its name: under the version that has this hash if that is
   * the newest and not retired, else under the next number.
   */
  putFlow(order: PutOrder): Promise<PutResult>;
  /** Repeated, it changes nothing. `expected`: as in `PutOrder`. */
  retireFlow(name: string, expected?: readonly number[]): Promise<RetireResult>;
  /** The newest version of every flow, by name. */
  listHeads(): Promise<readonly FlowHead[]>;
  /** Versions of a flow from the newest on, at most this many; `before`: only older ones. */
  listVersions(name: string, limit: number, before?: number): Promise<readonly VersionEntry[]>;
}

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

const checkMembers = recordCheck<FlowDefinition>({
  name: TEXT,
  description: orNull(TEXT),
  input: orNull(OBJECT),
  timeoutMs: orNull(FINITE),
  onFailure: ANYTHING,
  onTimeout: ANYTHING,
  constants: orAbsent(OBJECT),
  output: ANYTHING,
  labels: orAbsent(OBJECT),
  locks: orAbsent(LIST),
  failureFlow: orAbsent(TEXT),
  maxLive: orAbsent(NUMBERED),
  steps: LIST,
});

/** The definition of a flow, under its name, if it can be one. Throws `DocumentFault`. */
export function checkFlow(value: unknown, name: string): FlowDefinition {
  const definition = checkMembers(value);
  const fault = stepsFault(definition.steps, 'steps');
  if (fault !== null) throw new DocumentFault(fault);
  return storedUnder(definition, 'name', name);
}
