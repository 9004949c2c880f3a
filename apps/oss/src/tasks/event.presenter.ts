import type { Direction, JournalEntry, JournalKind } from '#core';

/** One journal entry, as HTTP shows it. */
export interface PublicEvent {
  readonly seq: number;
  /** ISO 8601 with milliseconds. */
  readonly at: string;
  readonly kind: JournalKind;
  readonly step?: string;
  readonly direction?: Direction;
  readonly attempt?: number;
  readonly actor: string;
  readonly message?: string;
}

/** Who caused what nobody in particular caused. */
const ITSELF = 'backstep';

/** A journal entry as HTTP shows it. */
export function presentEvent({ seq, at, kind, actor, ...rest }: JournalEntry): PublicEvent {
  return { seq, at: new Date(at).toISOString(), kind, ...rest, actor: actor ?? ITSELF };
}
