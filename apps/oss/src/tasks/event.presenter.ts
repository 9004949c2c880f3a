import { hasRightsOf, type Principal } from '#access';
import type { Direction, Journal, JournalEntry, JournalKind } from '#core';
import { entryMessage } from '#platform';

/** One journal entry, as HTTP shows it. */
export interface PublicEvent {
  readonly seq: number;
  /** ISO 8601 with milliseconds. */
  readonly at: string;
  /** `left_out` stands for entries that the journal no longer has, up to and including `seq`. */
  readonly kind: JournalKind | 'left_out';
  readonly step?: string;
  /** Id of that step's run, where it is not the step's name. */
  readonly run?: string;
  readonly direction?: Direction;
  readonly attempt?: number;
  readonly actor: string;
  readonly message?: string;
  /** Of a failed attempt: where its error was thrown. Only for those who may operate tasks. */
  readonly stack?: string;
  /** Of a failed attempt: its command threw the error on purpose, and no other error caused it. */
  readonly intended?: true;
  /** Of a failed attempt: it had no effect, so there is nothing to undo. */
  readonly refused?: true;
  /** Of a skip: the step is done without the yes of people whom it, or a step in it, asks. */
  readonly unapproved?: true;
  /** Of a start by a worker: the build of its code. */
  readonly build?: string;
  /** Of an outcome of a worker: what its command has made, and what it has removed. */
  readonly creates?: JournalEntry['creates'];
  readonly released?: JournalEntry['released'];
}

/** The actor of events that nobody in particular caused. */
const ITSELF = 'backstep';

/**
 * The events of a journal after the entry `after` (0: from the beginning), as HTTP shows them.
 * Where entries are missing, an event `left_out` says how many; reading on after its `seq` gives
 * the events that follow it. `withStacks`: the caller may see the stack traces of errors.
 */
export function presentEvents(journal: Journal, after: number, withStacks = false): PublicEvent[] {
  const events: PublicEvent[] = [];
  let before = after;
  for (const entry of journal.after(after)) {
    if (entry.seq > before + 1) events.push(gapBefore(entry, before));
    events.push(presentEvent(entry, withStacks));
    before = entry.seq;
  }
  return events;
}

/**
 * Whether the caller sees the stack traces of errors: they name files of the executors, and quote
 * what other systems said, which is for those who mend it.
 */
export function seesStacks({ role }: Pick<Principal, 'role'>): boolean {
  return hasRightsOf(role, 'operator');
}

function presentEvent(entry: JournalEntry, withStacks: boolean): PublicEvent {
  const { seq, at, kind, actor, code: _, dueAt: __, stack, ...rest } = entry;
  const shown = withStacks && stack !== undefined ? { ...rest, stack } : rest;
  const event = { seq, at: new Date(at).toISOString(), kind, ...shown, actor: actor ?? ITSELF };
  const message = entryMessage(entry);
  return message === undefined ? event : { ...event, message };
}

function gapBefore({ at, seq: next }: JournalEntry, before: number): PublicEvent {
  const seq = next - 1;
  const count = seq - before;
  const range = count === 1 ? `event ${seq} is` : `${count} events (${before + 1} to ${seq}) are`;
  const message = `${range} left out: the journal grew too long`;
  return { seq, at: new Date(at).toISOString(), kind: 'left_out', actor: ITSELF, message };
}
