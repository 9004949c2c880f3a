import type { Claim } from './claim.js';
import type { EngineParts, EngineSettings } from './parts.js';
import type { Pieces } from './pieces.js';

/** Leases between two looks for claims that nobody here holds. */
const AUDIT_LEASES = 3;

/** A renewal that has no answer for this part of a lease does not keep the next one back. */
const PATIENCE = 1 / 3;

/**
 * Keeps the session of this process alive: one renewal in a third of the lease, whatever runs. Also
 * finds commands that others called off, and ends what nobody else would: a command that does not
 * answer long after its deadline, or after it was called off.
 */
export class LeaseKeeper {
  private readonly ending = new Set<Claim>();
  /** When the renewal under way was begun, by the monotonic clock; null: there is none. */
  private renewingSince: number | null = null;
  private renewal: Promise<void> = Promise.resolve();
  private lookedAt = -Infinity;
  private isLooking = false;
  private auditedAt = -Infinity;

  constructor(
    private readonly parts: EngineParts,
    private readonly settings: EngineSettings,
    private readonly pieces: Pick<Pieces, 'runner' | 'state' | 'strays'>,
  ) {}

  /** How often to call `tick`. */
  get intervalMs(): number {
    return Math.max(10, Math.floor(this.settings.leaseMs / 6));
  }

  /** One round; does not wait for the store. */
  tick(): Promise<void> {
    const now = this.parts.clock.monotonic();
    if (this.isRenewalDue(now)) this.renewal = this.renew(now);
    if (now - this.auditedAt >= this.settings.leaseMs * AUDIT_LEASES) void this.audit(now);
    const { claims } = this.pieces.state;
    if (claims.size === 0) return Promise.resolve();
    for (const claim of claims.all()) {
      if (claim.context.abortReason === 'called_off') this.hurry(claim, now);
      if (now > claim.overdueAt) void this.endOverdue(claim);
    }
    if (now - this.lookedAt >= this.settings.leaseMs / 3) void this.lookForCalledOff(now);
    return Promise.resolve();
  }

  /** Resolves when the last renewal has its answer, or has none. */
  settled(): Promise<void> {
    return this.renewal;
  }

  /** Never rejects: what fails is tried again in the next round. */
  private async renew(now: number): Promise<void> {
    this.renewingSince = now;
    try {
      // Where it had ended, the next one begins at once.
      const { session } = this.pieces.state;
      if (!(await session.renew())) await session.renew();
    } catch (error) {
      const message = 'the session could not be renewed yet';
      this.parts.observer.noticed({ level: 'warn', name: 'renewal_failed', message, error });
    } finally {
      if (this.renewingSince === now) this.renewingSince = null;
    }
  }

  private async audit(now: number): Promise<void> {
    this.auditedAt = now;
    await this.pieces.strays.audit().catch(() => {
      // The next round looks again.
    });
  }

  private isRenewalDue(now: number): boolean {
    const { leaseMs } = this.settings;
    const { renewingSince } = this;
    if (renewingSince !== null && now - renewingSince < leaseMs * PATIENCE) return false;
    // The round after this one would be too late for a third of the lease.
    return this.pieces.state.session.ageMs > leaseMs / 4;
  }

  /** A command that was called off has a lease's time to stop. */
  private hurry(claim: Claim, now: number): void {
    claim.overdueAt = Math.min(claim.overdueAt, now + this.settings.leaseMs);
  }

  /** Of all tasks with claims only the revisions are read, and those whole that have moved. */
  private async lookForCalledOff(now: number): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      await this.judgeMoved();
      this.lookedAt = now;
    } catch {
      // The next round looks again; the outcome of a command that nobody wants is ignored.
    } finally {
      this.isLooking = false;
    }
  }

  private async judgeMoved(): Promise<void> {
    const { sessions, store } = this.parts;
    const { claims } = this.pieces.state;
    const known = claims.revisions();
    const stored = await sessions.readRevisions([...known.keys()]);
    const moved = [...stored].filter(([taskId, revision]) => revision > known.get(taskId)!);
    const looks = moved.map(async ([taskId]) => {
      const task = await store.get(taskId);
      if (task !== null) claims.judge(task);
    });
    await Promise.allSettled(looks);
  }

  /** The handler should have answered; it has not, so its claim is put to an end from here. */
  private async endOverdue(claim: Claim): Promise<void> {
    if (claim.isAnswered || this.ending.has(claim)) return;
    this.ending.add(claim);
    const isCalledOff = claim.context.abortReason === 'called_off';
    const kind = isCalledOff ? 'handed_back' : 'timed_out';
    const message = isCalledOff
      ? 'the command did not stop when it was called off'
      : 'the command did not end at its deadline';
    claim.context.abort('lease_lost');
    try {
      await this.pieces.runner.giveUp(claim, { kind, ...claim.ref, token: claim.token, message });
    } catch {
      this.ending.delete(claim);
    }
  }
}
