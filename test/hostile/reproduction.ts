import type { WrittenSettings } from '../stack/index.js';
import type { Stand } from './stand.js';

/** One way of hurting Backstep from outside, and what must hold when an attacker tries. */
export interface Reproduction {
  /** The rule that must hold, in plain words; unique among all. */
  readonly rule: string;
  /** The request or action that tries to break it. */
  readonly sends: string;
  /** Does it. Throws where the rule does not hold. */
  readonly play: (stand: Stand) => Promise<void>;
  /** Longest time that all of it may take, in milliseconds. Default: 20 seconds. */
  readonly limitMs?: number;
  /** Whether it stops and starts the process itself. Default: a process that ends is a finding. */
  readonly restarts?: boolean;
}

/** Reproductions that share a process. */
export interface Subject {
  readonly name: string;
  readonly settings?: WrittenSettings;
  /** Flow files besides those that come along, each in a file of its own. */
  readonly flows?: Readonly<Record<string, unknown>>;
  /**
   * Keys of callers, by name; `admin` comes besides. Each value is a body of `POST /v1/keys`
   * without the name. Absent: the process asks nobody for a key.
   */
  readonly callers?: Readonly<Record<string, object>>;
  /** How many files the process may have open at once. Default: what the machine allows. */
  readonly openFiles?: number;
  readonly reproductions: readonly Reproduction[];
}

/** The result of a reproduction. */
export interface Verdict {
  readonly id: string;
  readonly subject: string;
  readonly rule: string;
  readonly sends: string;
  /** Why the rule does not hold; null: it does. */
  readonly fault: string | null;
  readonly ms: number;
  /** Longest wait for `/livez` beside it. */
  readonly livezMs: number;
  /** Largest resident memory of the process meanwhile; null where the system does not tell. */
  readonly peakMib: number | null;
}

/** The short name of a case: its subject, and its place there. */
export function idOf({ name, reproductions }: Subject, reproduction: Reproduction): string {
  return `${name.replaceAll(' ', '-')}-${reproductions.indexOf(reproduction) + 1}`;
}
