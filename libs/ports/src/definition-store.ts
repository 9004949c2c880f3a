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
import { recordCheck, storedUnder } from './record-kind.js';

/**
 * Where the newest version of a flow is from: a file, or a request that stored it. `retired`: no
 * new task of it is made until a person stores it again.
 */
export type FlowStanding = 'file' | 'stored' | 'retired';

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

/** The newest version of a flow, as far as it decides what becomes of another one. */
export interface NewestVersion {
  readonly version: number;
  readonly hash: string;
  readonly standing: FlowStanding;
}

/**
 * The decision on storing a definition. `moved`: it is not stored, as the newest version is none
 * that was expected; `kept`: it is the newest already; `taken`: the newest, which was a file's,
 * counts as stored from now on; `added`: it gets the next number.
 */
type PutVerdict = 'moved' | 'kept' | 'taken' | 'added';

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

/** The one rule that all stores follow. */
export function judgePut(
  newest: NewestVersion | null,
  { expected, hash }: Pick<PutOrder, 'expected' | 'hash'>,
): PutVerdict {
  if (expected !== undefined && !expected.includes(newest?.version ?? 0)) return 'moved';
  if (newest === null || newest.hash !== hash || newest.standing === 'retired') return 'added';
  return newest.standing === 'stored' ? 'kept' : 'taken';
}

/** The definition of a flow, under its name, if it can be one. Throws `DocumentFault`. */
export function checkFlow(value: unknown, name: string): FlowDefinition {
  const definition = checkMembers(value);
  const fault = stepsFault(definition.steps, 'steps');
  if (fault !== null) throw new DocumentFault(fault);
  return storedUnder(definition, 'name', name);
}
