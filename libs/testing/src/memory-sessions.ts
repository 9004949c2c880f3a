import type { SessionOrigin, SessionRecord, SessionState } from '#ports';

/** The rules of sessions, over a map; what a store does with its records. */
export class MemorySessions {
  constructor(private readonly records: Map<string, SessionRecord>) {}

  open(session: string, leaseMs: number, origin?: SessionOrigin): void {
    if (this.records.has(session)) return;
    this.records.set(session, { ...origin, session, beat: 0, leaseMs, isOver: false });
  }

  renew(session: string): SessionState {
    const record = this.records.get(session);
    if (record === undefined || record.isOver) return 'ended';
    this.records.set(session, { ...record, beat: record.beat + 1 });
    return 'alive';
  }

  end(session: string, beat: number): boolean {
    const record = this.records.get(session);
    if (record === undefined || record.isOver || record.beat !== beat) return false;
    this.records.set(session, { ...record, isOver: true });
    return true;
  }

  close(session: string): void {
    const record = this.records.get(session);
    if (record !== undefined) this.records.set(session, { ...record, isOver: true });
  }

  list(): readonly SessionRecord[] {
    return [...this.records.values()];
  }

  forget(session: string): void {
    if (this.records.get(session)?.isOver === true) this.records.delete(session);
  }
}
