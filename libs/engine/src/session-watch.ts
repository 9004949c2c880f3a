import { growingDelay } from '#core';
import type { DueShare, SessionRecord } from '#ports';
import type { EngineParts, EngineSettings } from './parts.js';
import { instanceOf, type Session } from './session.js';

/**
 * How long the record of a session that is over is kept after it held nothing, in milliseconds: a
 * claim that was on its way when it ended may land until then. One that lands later is found when
 * its action is past its deadline.
 */
const KEPT_MS = 60_000;

/** The waits between two looks at what a session holds that is over, in milliseconds. */
const WAITS = { firstMs: 1_000, maxMs: KEPT_MS };

/** Part of a lease in which a session is renewed. */
const RENEWED_IN = 1 / 3;

/**
 * How late a renewal may be before its session is silent, in milliseconds, and as part of a lease
 * where that is shorter. With the default lease and looks a second apart, a process is known to be
 * silent within five seconds of its last sign of life.
 */
const LATE_MS = 500;
const LATE_PART = 1 / 6;

/** Rounds of governance after which a due task is no longer left to one gateway. */
const LATE_ROUNDS = 2;

/** Why a session was ended. */
const SILENT = 'it was not renewed within its lease';
const GONE = 'its process is gone';

/** The state of a process by its sessions. */
interface Standing {
  /** Its session is over, and no later one has begun. */
  readonly isOver: boolean;
  /** For how long its session was not renewed, in milliseconds; null: it owes no renewal. */
  readonly silentMs: number | null;
}

/** The last sighting of a session. Times are of the monotonic clock. */
interface Sighting {
  readonly leaseMs: number;
  beat: number;
  /** When its beat was first seen to be this. */
  since: number;
  /** Set: it is over, and what it holds is to be looked for from then on. */
  look: { from: number; looks: number; emptySince: number } | null;
}

/**
 * Judges which sessions have ended. No time of day is compared: a session whose beat stays the same
 * for its lease, while this process could see the renewals of others, is ended on the condition
 * that its beat is still that one. One whose process is known to have ended need not be waited for.
 */
export class SessionWatch {
  private readonly sightings = new Map<string, Sighting>();
  private lookedAt: number | null = null;
  /** The sessions of living gateways, in their order, as of the last look. */
  private gateways: readonly string[] = [];

  constructor(
    private readonly parts: Pick<EngineParts, 'clock' | 'homes' | 'observer' | 'sessions'>,
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
    this.gateways = governing(records);
    const listed = new Set(records.map(({ session }) => session));
    for (const name of this.sightings.keys()) if (!listed.has(name)) this.sightings.delete(name);
    const over: string[] = [];
    for (const record of records) {
      if (await this.isOver(record)) over.push(record.session);
    }
    return over.filter((name) => this.isToBeLookedAt(name));
  }

  /**
   * Ends the sessions of processes that have ended on this machine: a process that is started again
   * does so first, for nobody elsewhere can tell. Throws `StoreUnavailable`.
   */
  async endGone(): Promise<void> {
    if (this.parts.homes === undefined) return;
    for (const record of await this.list()) {
      if (!record.isOver && this.isGone(record)) await this.end(record, GONE);
    }
  }

  /**
   * The share of due tasks that is this gateway's; undefined: all of them, as no other gateway is
   * known to live. A share only saves work: a task that is due for two rounds, as its gateway has
   * died or is slow, is in every share, and two gateways may look at one task at any time.
   */
  dueShare(): DueShare | undefined {
    const { clock } = this.parts;
    const part = this.gateways.indexOf(this.session.name);
    const parts = this.gateways.length;
    if (part < 0 || parts < 2) return undefined;
    const allUpTo = clock.now() - LATE_ROUNDS * this.settings.governanceIntervalMs;
    return { part, parts, allUpTo };
  }

  /** Of these sessions, those that are over. They must have been read before this is called. */
  async overAmong(sessions: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    if (sessions.size === 0) return sessions;
    const records = await this.list();
    const living = new Set(records.filter(({ isOver }) => !isOver).map(({ session }) => session));
    return new Set([...sessions].filter((name) => !living.has(name)));
  }

  /**
   * By the instances of processes, how those stand that have begun a session which was seen. The
   * sessions are read for it, so that a silence is known before the next look. Throws
   * `StoreUnavailable`.
   */
  async standings(): Promise<ReadonlyMap<string, Standing>> {
    this.noticeStall();
    const beats = new Map((await this.list()).map(({ beat, session }) => [session, beat]));
    const now = this.parts.clock.monotonic();
    const found = new Map<string, Standing>();
    for (const [session, { beat, leaseMs, look, since }] of this.sightings) {
      const instance = instanceOf(session);
      const isOver = look !== null;
      // A process whose session has ended goes on under the next name.
      if (isOver && found.has(instance)) continue;
      const quietMs = now - Math.max(since, this.session.sight.since);
      const isQuiet = session !== this.session.name && beats.get(session) === beat;
      const isSilent = isQuiet && quietMs >= silentFromMs(leaseMs);
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
      look.looks = 0;
      look.emptySince = now;
    } else if (now - look.emptySince >= KEPT_MS) {
      await this.parts.sessions.forgetSession(name);
      this.sightings.delete(name);
      return;
    }
    look.looks += 1;
    look.from = isHolding ? now : now + growingDelay(WAITS, look.looks);
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
      if (now - since >= leaseMs) return this.end(record, SILENT);
    }
    if (!isOver && this.isGone(record)) return this.end(record, GONE);
    if (isOver) this.noteOver(session);
    return isOver;
  }

  private isGone({ home }: SessionRecord): boolean {
    return home !== undefined && this.parts.homes?.isGone(home) === true;
  }

  private async end({ beat, session }: SessionRecord, why: string): Promise<boolean> {
    const { observer, sessions } = this.parts;
    try {
      if (!(await sessions.endSession(session, beat))) return false;
    } catch (error) {
      this.session.sight.lose();
      throw error;
    }
    const message = `session ${session} has ended: ${why}`;
    observer.noticed({ level: 'warn', name: 'session_over', message });
    this.noteOver(session);
    return true;
  }

  private noteOver(name: string): void {
    const seen = this.sightings.get(name);
    if (seen === undefined || seen.look !== null) return;
    const now = this.parts.clock.monotonic();
    seen.look = { from: now, looks: 0, emptySince: now };
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

function governing(records: readonly SessionRecord[]): readonly string[] {
  const living = records.filter(({ governs, isOver }) => governs === true && !isOver);
  return living.map(({ session }) => session).toSorted();
}

/** How long a session goes without a renewal before it is silent, in milliseconds. */
function silentFromMs(leaseMs: number): number {
  return leaseMs * RENEWED_IN + Math.min(LATE_MS, leaseMs * LATE_PART);
}
