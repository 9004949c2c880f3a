import type { EngineParts, EngineSettings } from './parts.js';
import { StoreSight } from './store-sight.js';

/** Parts of a lease without a renewal after which a process takes half its slots, and none. */
const HALF_FROM = 1 / 2;
const NONE_FROM = 2 / 3;

/** The process that a session is of: the name of its first one. */
export function instanceOf(session: string): string {
  return session.replace(/~\d+$/, '');
}

/** The listener to what becomes of a session. */
interface SessionNews {
  /** The session has ended, and the next one has not begun. */
  readonly ended: () => void;
  /** It was renewed. */
  readonly renewed: () => void;
}

interface SessionSettings extends Pick<EngineSettings, 'leaseMs' | 'owner'> {
  /** Whether the process looks for due tasks; absent: it does not. */
  readonly governs?: boolean;
}

const NO_NEWS: SessionNews = { ended: () => {}, renewed: () => {} };

/**
 * The session of this process: the one thing that it renews, whatever it runs. When another process
 * has ended it, the process goes on under a new name, and everything that it had claimed is lost.
 */
export class Session {
  /** How well this process sees the renewals of others; its own are the best proof. */
  readonly sight: StoreSight;
  private life = 1;
  private isOpen = false;
  private isClosed = false;
  /** When the renewal that was answered last set out, by the monotonic clock. */
  private renewedAt = -Infinity;

  constructor(
    private readonly parts: Pick<EngineParts, 'clock' | 'homes' | 'observer' | 'sessions'>,
    private readonly settings: SessionSettings,
    private readonly news: SessionNews = NO_NEWS,
  ) {
    this.sight = new StoreSight(parts.clock, settings);
  }

  /** The owner of leases: new with every start, and whenever the session before has ended. */
  get name(): string {
    const { owner } = this.settings;
    return this.life === 1 ? owner : `${owner}~${this.life}`;
  }

  /** Whether nobody can have ended it, as far as this process knows: then it may claim. */
  get isFresh(): boolean {
    return this.ageMs < this.settings.leaseMs;
  }

  /** How long ago the last renewal set out, in milliseconds; infinite before the first one. */
  get ageMs(): number {
    return this.parts.clock.monotonic() - this.renewedAt;
  }

  /**
   * How many of these slots may be taken. A process whose renewals are late has more work than
   * it can do, or is about to lose what it has: it takes less until it has caught up.
   */
  slotsOf(limit: number): number {
    const part = this.ageMs / this.settings.leaseMs;
    if (part <= HALF_FROM) return limit;
    return part <= NONE_FROM ? Math.ceil(limit / 2) : 0;
  }

  /**
   * Renews the session, or begins it. False: it has ended, and the next call begins another. Throws
   * `StoreUnavailable`.
   */
  async renew(): Promise<boolean> {
    if (this.isClosed) return false;
    const { name } = this;
    const askedAt = this.parts.clock.monotonic();
    const isAlive = await this.ask(name);
    this.sight.answered(askedAt);
    // Another renewal may have been told before this one.
    if (name !== this.name || this.isClosed) return false;
    if (isAlive) {
      this.isOpen = true;
      this.renewedAt = Math.max(this.renewedAt, askedAt);
      this.news.renewed();
      return true;
    }
    this.begin(name);
    return false;
  }

  private async ask(name: string): Promise<boolean> {
    const { homes, sessions } = this.parts;
    try {
      if (this.isOpen) return (await sessions.renewSession(name)) === 'alive';
      const { governs = false, leaseMs } = this.settings;
      await sessions.openSession(name, leaseMs, {
        ...(homes !== undefined && { home: homes.own }),
        ...(governs && { governs }),
      });
      return (await sessions.renewSession(name)) === 'alive';
    } catch (error) {
      this.sight.lose();
      throw error;
    }
  }

  private begin(ended: string): void {
    this.life += 1;
    this.isOpen = false;
    this.renewedAt = -Infinity;
    const message = `session ${ended} expired: it was not renewed within the lease`;
    this.parts.observer.noticed({ level: 'warn', name: 'session_ended', message });
    this.news.ended();
  }

  /** The process stops: whoever looks need not wait for the end of its lease. Never throws. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    await this.parts.sessions.closeSession(this.name).catch(() => {
      // Its lease ends by itself.
    });
  }
}
