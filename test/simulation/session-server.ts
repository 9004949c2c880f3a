import type { SessionOrigin, SessionRecord, SessionState } from '#ports';
import type { World } from './world.js';

/** A session as the store has it. */
interface Kept extends SessionOrigin {
  beat: number;
  readonly leaseMs: number;
  isOver: boolean;
  /** When its last renewal was stored, in true time. */
  renewedAt: number;
  /** Ended by its own process, which stops. */
  isClosed: boolean;
}

/**
 * Name of the life of a process that a session belongs to: the part that all its sessions share.
 */
export function lifeOf(session: string | undefined): string | undefined {
  return session?.split('~')[0];
}

/** The sessions of all processes, as the store has them, and whether their rules hold. */
export class SessionServer {
  private readonly sessions = new Map<string, Kept>();

  constructor(private readonly world: World) {}

  open(session: string, leaseMs: number, origin?: SessionOrigin): void {
    if (this.sessions.has(session)) return;
    const kept = { ...origin, beat: 0, leaseMs, isOver: false };
    this.sessions.set(session, { ...kept, renewedAt: this.world.now, isClosed: false });
  }

  renew(session: string): SessionState {
    const kept = this.sessions.get(session);
    const isFree = this.world.mutant?.server === 'revives_sessions';
    if (kept === undefined || (kept.isOver && !isFree)) return 'ended';
    if (kept.isOver) this.world.violate('I21', `session ${session} was renewed after its end`);
    kept.isOver = false;
    kept.beat += 1;
    kept.renewedAt = this.world.now;
    return 'alive';
  }

  end(session: string, beat: number): boolean {
    const { mutant, now } = this.world;
    const kept = this.sessions.get(session);
    if (kept === undefined || kept.isOver) return false;
    if (kept.beat !== beat && mutant?.server !== 'ends_sessions_anyway') {
      this.world.see('session renewed before it was ended');
      return false;
    }
    const agoMs = now - kept.renewedAt;
    if (agoMs < kept.leaseMs) {
      this.world.violate('I20', `session ${session} was renewed ${agoMs} ms before its end`);
    }
    this.world.tell(`session ${session} ended`);
    this.world.see('session ended');
    kept.isOver = true;
    return true;
  }

  close(session: string): void {
    const kept = this.sessions.get(session);
    if (kept === undefined) return;
    kept.isOver = true;
    kept.isClosed = true;
    this.world.see('session closed');
  }

  list(): readonly SessionRecord[] {
    return Array.from(this.sessions, ([session, { beat, governs, isOver, leaseMs }]) => {
      return { session, beat, isOver, leaseMs, ...(governs !== undefined && { governs }) };
    });
  }

  forget(session: string): void {
    if (this.sessions.get(session)?.isOver !== true) return;
    this.sessions.delete(session);
    this.world.see('session forgotten');
  }

  /** Whether the session has ended, or never was. */
  isOver(session: string): boolean {
    return this.sessions.get(session)?.isOver !== false;
  }
}
