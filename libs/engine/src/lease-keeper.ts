import type { Claim } from './claim.js';
import type { EngineParts, EngineSettings } from './parts.js';
import type { StepRunner } from './step-runner.js';

/**
 * Renews the leases of running commands, all from one loop: a step that is over within a third of
 * its lease costs no timer. Also ends what nobody else would: a lease that could not be renewed in
 * time, a command past its deadline.
 */
export class LeaseKeeper {
  private readonly renewing = new Set<Claim>();

  constructor(
    private readonly parts: EngineParts,
    private readonly settings: EngineSettings,
    private readonly runner: StepRunner,
  ) {}

  /** How often to call `tick`. */
  get intervalMs(): number {
    return Math.max(10, Math.floor(this.settings.leaseMs / 6));
  }

  /** One round over all claims of this process; does not wait for the store. */
  tick(): Promise<void> {
    const now = this.parts.clock.monotonic();
    const { leaseMs } = this.settings;
    for (const claim of this.runner.claims.all()) {
      if (claim.leaseUntil <= now) claim.context.abort('lease_lost');
      if (now > claim.overdueAt) void this.endOverdue(claim);
      else if (claim.leaseUntil - now <= (leaseMs * 2) / 3) void this.renew(claim);
    }
    return Promise.resolve();
  }

  private async renew(claim: Claim): Promise<void> {
    // A called-off command keeps its lease no longer: when it will not stop, the lease's end lets
    // the task go on.
    if (claim.context.abortReason === 'called_off' || this.renewing.has(claim)) return;
    this.renewing.add(claim);
    try {
      await this.runner.renew(claim);
    } catch (error) {
      const { module, taskId } = claim.context;
      const message = `the lease of ${claim.context.step} could not be renewed yet`;
      const notice = {
        level: 'warn',
        name: 'renewal_failed',
        message,
        taskId,
        module,
        error,
      } as const;
      this.parts.observer.noticed(notice);
    } finally {
      this.renewing.delete(claim);
    }
  }

  /**
   * The handler should have answered by its deadline; it has not, so its lease is put to an end
   * from here.
   */
  private async endOverdue(claim: Claim): Promise<void> {
    if (this.renewing.has(claim)) return;
    this.renewing.add(claim);
    const message = 'the command did not end at its deadline';
    const event = { kind: 'timed_out', ...claim.ref, token: claim.token, message } as const;
    claim.context.abort('lease_lost');
    try {
      await this.runner.giveUp(claim, event);
    } catch {
      this.renewing.delete(claim);
    }
  }
}
