import type { ActionRef, EventOf, Task } from '#core';
import { actionOf, runOf } from '#core/scopes';
import {
  conclude,
  type Decision,
  type Moved,
  type Proposal,
  type Proposed,
} from '#core/transitions';
import { type Claim, claimedRun, freshClaim, toMonotonic } from './claim.js';
import type { EngineState } from './engine-state.js';
import type { EngineParts, EngineSettings } from './parts.js';
import type { Reservation } from './reservation.js';
import { StepContext, type StepTerms } from './step-context.js';

/**
 * Says which actions this process claims, in the same commit that queued them, and makes the claims
 * that a stored document gives to it.
 */
export class ClaimTaker {
  private readonly terms: StepTerms;

  constructor(
    private readonly parts: EngineParts,
    private readonly settings: Pick<EngineSettings, 'leaseMs'>,
    private readonly state: EngineState,
  ) {
    const { clock, commandLog, completionTokens, createAbort, output, tracer } = parts;
    const said = { commandLog, output };
    const { keeper } = state;
    const { leaseMs } = settings;
    this.terms = { clock, leaseMs, createAbort, completionTokens, tracer, keeper, ...said };
  }

  /**
   * Claims of what a decision queued as much as this process can run now, in the same commit. The
   * slots are reserved, in place of those that an earlier decision of the same reservation took.
   */
  claimQueued(proposed: Proposed, reservation: Reservation): Decision {
    if (proposed.kind === 'proposed') return this.concluded(proposed, reservation);
    reservation.release();
    return proposed;
  }

  /** Concludes a proposal with claims; see `claimQueued`. */
  concluded(proposal: Proposal, reservation: Reservation): Moved {
    reservation.release();
    const { queued } = proposal;
    const { admissions, isStopping, keeper, line, session } = this.state;
    // Claims under a session that has ended would be lost at once.
    if (queued.length === 0 || isStopping || !session.isFresh) return conclude(proposal);
    if (!keeper.mayRun(proposal.change)) return conclude(proposal);
    const shift = toMonotonic(this.parts.clock, proposal.change.now);
    const claims: EventOf<'claimed'>[] = [];
    for (const { action, attempt, orderAt, ref } of queued) {
      const { command, module } = action;
      if (this.parts.catalogue.find(module, command) === undefined) continue;
      // It is claimed by its message, once its module admits it or it is the first in line.
      if (admissions.isLimited(module) || line.isKept(module)) continue;
      if (!reservation.reserve({ ref, module, shift }, orderAt)) continue;
      claims.push(this.claimEvent(ref, attempt));
    }
    return conclude(proposal, claims);
  }

  /** The event by which this process claims the next attempt of an action. */
  claimEvent({ direction, step }: ActionRef, number: number): EventOf<'claimed'> {
    return { kind: 'claimed', direction, step, attempt: number, owner: this.state.session.name };
  }

  /**
   * The claim that the document gives to this process; null where it does not, or it is held.
   * `shift`: see `toMonotonic`, as it was when it was claimed.
   */
  claimOf(task: Task, ref: ActionRef, shift = toMonotonic(this.parts.clock)): Claim | null {
    const lease = runOf(task, ref)?.lease;
    if (lease?.owner !== this.state.session.name) return null;
    if (this.state.claims.holds(task.plan.taskId, lease.token)) return null;
    return this.newClaim(task, { ref, token: lease.token, shift });
  }

  /** The context of an attempt that somebody else runs: nothing renews it here. */
  contextOf(
    task: Task,
    { ref, shift }: Pick<Claim, 'ref'> & { readonly shift: number },
  ): StepContext | null {
    const run = runOf(task, ref);
    const renew = (): Promise<boolean> => Promise.resolve(false);
    return run && new StepContext({ task, ref, run, shift, renew, terms: this.terms });
  }

  private newClaim(
    task: Task,
    { ref, shift, token }: Pick<Claim, 'ref' | 'token'> & { readonly shift: number },
  ): Claim | null {
    const run = claimedRun(task, { ref, token });
    const action = actionOf(task, ref);
    if (run === null || action === undefined) return null;
    const { command, module } = action;
    const handler = this.parts.catalogue.find(module, command);
    // Of a command that is not here nothing is claimed.
    if (handler === undefined) return null;
    const { leaseMs } = this.settings;
    const renew = (): Promise<boolean> => this.heartbeat(claim);
    const terms = this.terms;
    const context = new StepContext({ task, ref, run, shift, renew, terms });
    const overdueAt = context.deadline + leaseMs + shift;
    const claim = freshClaim({ ref, token, module, handler, context, task, overdueAt });
    return claim;
  }

  /**
   * Renews the session and looks at a claim's task; false when the right to run is gone. Throws
   * `StoreUnavailable`.
   */
  private async heartbeat(claim: Claim): Promise<boolean> {
    const isAlive = await this.state.session.renew();
    return (
      isAlive && claim.context.abortReason === null && (await this.state.claims.confirm(claim))
    );
  }
}
