import type { SessionRecord } from '#ports';
import type { EngineParts, EngineSettings } from './parts.js';
import { instanceOf, type Session } from './session.js';

/**
 * How long the record of a session that is over is kept after it held nothing, in milliseconds: a
 * claim that was on its way when it ended may land until then. One that lands later is found when
 * its action is past its deadline.
 */
const KEPT_MS = 60_000;

/**
 * First wait between two looks at what a session holds that is over, in milliseconds; then doubled.
 */
const LOOK_AFTER_MS = 1_000;

/** Part of a lease without a renewal after which a session is silent: it should have had one. */
const SILENT_FROM = 1 / 2;

/** What was seen of a process in the last look at its sessions. */
export interface Standing {
  /** Its session is over, and no later one has begun. */
  readonly isOver: boolean;
  /** For how long it has owed a renewal of its session, in milliseconds; null: it owes none. */
  readonly silentMs: number | null;
}

/** The last sighting of a session. Times are of the monotonic clock. */
interface Sighting {
  readonly leaseMs: number;
  beat: number;
  /** When its beat was first seen to be this. */
  since: number;
  /** Set: it is over, and what it holds is to be looked for from then on. */
  look: { from: number; waitMs: number; emptySince: number } | null;
}

/**
 * Judges which sessions have ended. No time of day is compared: a session whose beat stays the same
 * for its lease, while this process could see the renewals of others, is ended on the condition
 * that its beat is still that one.
 */
export class SessionWatch {
  private readonly sightings = new Map<string, Sighting>();
  private lookedAt: number | null = null;

  constructor(
    private readonly parts: Pick<EngineParts, 'clock' | 'observer' | 'sessions'>,
    private readonly settings: Pick<EngineSettings, 'governanceIntervalMs' | 'leaseMs'>,
    private readonly session: Session,
  ) {}

  /**
   * Looks at all sessions and ends those whose time is over; resolves to those that are over and
   * whose held tasks are to be looked at now. Throws `StoreUnavailable`.
   */
  async look(): Promise<readonly string[]> {
    const { clock } = this.parts;
    this.noticeStall();
    const records = await this.list();
    this.lookedAt = clock.monotonic();
    const listed = new Set(records.map(({ session }) => session));
    for (const name of this.sightings.keys()) if (!listed.has(name)) this.sightings.delete(name);
    const over: string[] = [];
    for (const record of records) {
      if (await this.isOver(record)) over.push(record.session);
    }
    return over.filter((name) => this.isToBeLookedAt(name));
  }

  /** Of these sessions, those that are over. They must have been read before this is called. */
  async overAmong(sessions: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    if (sessions.size === 0) return sessions;
    const records = await this.list();
    const living = new Set(records.filter(({ isOver }) => !isOver).map(({ session }) => session));
    return new Set([...sessions].filter((name) => !living.has(name)));
  }

  /** By the instances of processes, what the last look saw of those that have begun a session. */
  standings(): ReadonlyMap<string, Standing> {
    const found = new Map<string, Standing>();
    for (const [session, { leaseMs, look, since }] of this.sightings) {
      const instance = instanceOf(session);
      const isOver = look !== null;
      // A process whose session has ended goes on under the next name.
      if (isOver && found.has(instance)) continue;
      const quietMs = (this.lookedAt ?? since) - Math.max(since, this.session.sight.since);
      const isSilent = session !== this.session.name && quietMs >= leaseMs * SILENT_FROM;
      found.set(instance, { isOver, silentMs: isSilent ? quietMs : null });
    }
    return found;
  }

  /** Tells whether a session that is over was found to hold something; forgets it in time. */
  async held(name: string, isHolding: boolean): Promise<void> {
    const now = this.parts.clock.monotonic();
    const look = this.sightings.get(name)?.look;
    if (look === null || look === undefined) return;
    if (isHolding) {
      look.waitMs = 0;
      look.emptySince = now;
    } else if (now - look.emptySince >= KEPT_MS) {
      await this.parts.sessions.forgetSession(name);
      this.sightings.delete(name);
      return;
    }
    look.waitMs = Math.max(LOOK_AFTER_MS, 2 * look.waitMs);
    look.from = isHolding ? now : now + look.waitMs;
  }

  private async list(): Promise<readonly SessionRecord[]> {
    const { clock, sessions } = this.parts;
    const { sight } = this.session;
    const askedAt = clock.monotonic();
    try {
      const records = await sessions.listSessions();
      sight.answered(askedAt);
      return records;
    } catch (error) {
      sight.lose();
      throw error;
    }
  }

  private async isOver(record: SessionRecord): Promise<boolean> {
    const { beat, isOver, leaseMs, session } = record;
    const now = this.parts.clock.monotonic();
    const seen = this.sightings.get(session);
    if (seen === undefined || seen.beat !== beat) {
      this.sightings.set(session, { leaseMs, beat, since: now, look: seen?.look ?? null });
    } else if (!isOver && session !== this.session.name) {
      const since = Math.max(seen.since, this.session.sight.since);
      if (now - since >= leaseMs) return this.end(record);
    }
    if (isOver) this.noteOver(session);
    return isOver;
  }

  private async end({ beat, session }: SessionRecord): Promise<boolean> {
    const { observer, sessions } = this.parts;
    try {
      if (!(await sessions.endSession(session, beat))) return false;
    } catch (error) {
      this.session.sight.lose();
      throw error;
    }
    const message = `session ${session} was not renewed for its lease and has ended`;
    observer.noticed({ level: 'warn', name: 'session_over', message });
    this.noteOver(session);
    return true;
  }

  private noteOver(name: string): void {
    const seen = this.sightings.get(name);
    if (seen === undefined || seen.look !== null) return;
    const now = this.parts.clock.monotonic();
    seen.look = { from: now, waitMs: 0, emptySince: now };
  }

  private isToBeLookedAt(name: string): boolean {
    const look = this.sightings.get(name)?.look;
    return look !== null && look !== undefined && look.from <= this.parts.clock.monotonic();
  }

  /** A process that stood still for long (stopped, starved, asleep) has not seen others renew. */
  private noticeStall(): void {
    if (this.lookedAt === null) return;
    const { governanceIntervalMs, leaseMs } = this.settings;
    const late = this.parts.clock.monotonic() - this.lookedAt - governanceIntervalMs;
    if (late > leaseMs / 2) this.session.sight.lose();
  }
}
