import type { Direction } from '#core';

/**
 * Borders of the ports that a process passes: what the store, the transport and the commands are
 * asked for, and commits told apart by what they decide.
 */
export type Border =
  | 'insert'
  | 'read'
  | 'scan'
  | 'claim'
  | 'outcome'
  | 'tick'
  | 'action'
  | 'publish'
  | 'delivery'
  | 'command';

/** `during`: asked for and not answered yet. */
export type Edge = 'before' | 'during' | 'after';

/** A process passes a border. */
export interface Passing {
  readonly border: Border;
  readonly edge: Edge;
  /** For claims, outcomes, commands and messages: the half of a step. */
  readonly direction?: Direction;
  /** Inserts: whether the task is of a failure flow. */
  readonly failureFlow?: boolean;
  /** Messages: what kind of write they follow. */
  readonly of?: Border;
  /** Claims: whether nothing else is decided by the same commit. */
  readonly alone?: boolean;
  /** Outcomes: whether they leave an action in a queue, so that a message has to be sent. */
  readonly queues?: boolean;
  /** Whether the process was told to stop and drains. */
  readonly draining?: boolean;
}

/** A place where a process can be told to die: all passings that have these members. */
export type Place = Pick<Passing, 'border' | 'edge'> & Partial<Passing>;

/** Whether a passing is at a place. */
export function isAt(place: Place, passing: Passing): boolean {
  const wanted = Object.entries(place) as [keyof Passing, unknown][];
  return wanted.every(([member, value]) => passing[member] === value);
}
