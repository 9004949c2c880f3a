import type { SessionOrigin, SessionRecord, SessionState } from '#ports';

interface Entry extends SessionOrigin {
  beat: number;
  readonly leaseMs: number;
  isOver: boolean;
}

/**
 * The sessions of this process. Only this process can have the file open, so that every earlier
 * session is over: nothing of this is worth a write.
 */
export class SessionTable {
  readonly #entries = new Map<string, Entry>();

  /** Begins a session, unless there is one of that name. */
  open(session: string, leaseMs: number, origin?: SessionOrigin): void {
    if (this.#entries.has(session)) return;
    this.#entries.set(session, { ...origin, beat: 0, leaseMs, isOver: false });
  }

  /** Raises the beat of a session that lives. */
  renew(session: string): SessionState {
    const entry = this.#entries.get(session);
    if (entry === undefined || entry.isOver) return 'ended';
    entry.beat += 1;
    return 'alive';
  }

  /** Ends a session; where a beat is given, only if it is still that. */
  end(session: string, beat?: number): boolean {
    const entry = this.#entries.get(session);
    if (entry === undefined || entry.isOver || (beat ?? entry.beat) !== entry.beat) return false;
    entry.isOver = true;
    return true;
  }

  /** All that are not forgotten. */
  list(): readonly SessionRecord[] {
    return Array.from(this.#entries, ([session, entry]) => ({ session, ...entry }));
  }

  /** Removes a session that is over. */
  forget(session: string): void {
    if (this.#entries.get(session)?.isOver === true) this.#entries.delete(session);
  }
}
