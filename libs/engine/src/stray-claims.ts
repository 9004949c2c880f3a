import { type ActionRef, growingDelay, type Task } from '#core';
import { openActions, runOf } from '#core/scopes';
import { StoreUnavailable, type Timer } from '#ports';
import type { Claim } from './claim.js';
import type { EngineParts, EngineSettings } from './parts.js';
import type { ClaimTaker } from './claim-taker.js';
import type { EngineState } from './engine-state.js';
import type { StepRunner } from './step-runner.js';

/** First wait before strays are looked for, in milliseconds. */
const LOOK_AFTER_MS = 100;

/**
 * How long strays are looked for at least, in milliseconds: a write lands as long as its socket
 * lives, which can be ten seconds after it was sent.
 */
const LOOK_FOR_MIN_MS = 15_000;

/** For how long after a lost write all that the session holds is looked at, in milliseconds. */
const AUDIT_FOR_MS = 600_000;

/** Tasks that are read for it in one go. */
const AUDIT_PAGE = 100;

/** Wait after a look that the store did not answer, in milliseconds. */
const AWAY_MS = 500;

/** The pieces of the engine that take a claim into hand. */
export interface StrayPieces {
  readonly state: EngineState;
  readonly taker: ClaimTaker;
  readonly runner: StepRunner;
}

/** The looks for strays of one task. */
interface Search {
  readonly taskId: string;
  /** Before the next look that counts, in milliseconds. */
  waitMs: number;
  /** How many looks counted, and their waits, in milliseconds. */
  looks: number;
  lookedMs: number;
  /** Its first look is yet to come. */
  isFresh: boolean;
  timer?: Timer;
}

/**
 * Finds claims that the document gives to this process and that nobody here holds. A write whose
 * answer was lost may have been applied, or be applied yet; without a holder, the claim it made
 * would wait for as long as its process lives.
 */
export class StrayClaims {
  private stopped = false;
  /** By the monotonic clock. */
  private auditUntil = -Infinity;
  private readonly searches = new Map<string, Search>();

  constructor(
    private readonly parts: Pick<EngineParts, 'clock' | 'sessions' | 'store'>,
    private readonly settings: Pick<EngineSettings, 'leaseMs'>,
    private readonly pieces: StrayPieces,
  ) {}

  /** From now on nothing is looked for. */
  forget(): void {
    this.stopped = true;
    for (const { timer } of this.searches.values()) timer?.cancel();
    this.searches.clear();
  }

  /** Looks at a document at hand. Asks the store for nothing where there are no strays. */
  lookIn(task: Task): void {
    if (this.refsIn(task).length > 0) this.lookLater(task.plan.taskId);
  }

  /**
   * Looks a little later, when every other claim here has been noted, and again for as long as the
   * lost write can land. One search serves all lost writes of a task: in a long outage many of them
   * are lost.
   */
  lookLater(taskId: string): void {
    if (this.stopped) return;
    this.auditUntil = this.parts.clock.monotonic() + AUDIT_FOR_MS;
    this.search(taskId);
  }

  private search(taskId: string): void {
    const search = this.searches.get(taskId);
    if (search !== undefined && search.isFresh) return;
    search?.timer?.cancel();
    const begun: Search = { taskId, waitMs: LOOK_AFTER_MS, looks: 0, lookedMs: 0, isFresh: true };
    this.searches.set(taskId, begun);
    this.waitFor(begun, begun.waitMs);
  }

  /**
   * Looks at all that the session holds, if a write was lost lately: one may have landed after its
   * search was over. Throws `StoreUnavailable`.
   */
  async audit(): Promise<void> {
    const { clock, sessions } = this.parts;
    if (this.stopped || clock.monotonic() > this.auditUntil) return;
    const { name } = this.pieces.state.session;
    let after: string | undefined;
    do {
      const page = await sessions.findHeld(name, { after, limit: AUDIT_PAGE });
      for (const task of page.tasks) {
        if (this.refsIn(task).length > 0) this.search(task.plan.taskId);
      }
      after = page.next ?? undefined;
    } while (after !== undefined);
  }

  private waitFor(search: Search, waitMs: number): void {
    search.timer = this.parts.clock.after(waitMs, () => void this.goOn(search));
  }

  /** Never rejects. */
  private async goOn(search: Search): Promise<void> {
    search.isFresh = false;
    const waitMs = await this.look(search).catch((error: unknown) =>
      // A pending write lands when the store is back: such a look does not count.
      error instanceof StoreUnavailable ? AWAY_MS : null,
    );
    // A write that was lost meanwhile has begun a search of its own.
    if (this.searches.get(search.taskId) !== search) return;
    if (waitMs === null || this.stopped) this.searches.delete(search.taskId);
    else this.waitFor(search, waitMs);
  }

  /** How long to wait for the next look; null where there is nothing more to look for. */
  private async look(search: Search): Promise<number | null> {
    const task = await this.parts.store.get(search.taskId);
    if (task !== null) {
      const { taker } = this.pieces;
      const claims = this.refsIn(task).flatMap((ref) => taker.claimOf(task, ref) ?? []);
      await Promise.all(claims.map((claim) => this.adopt(claim)));
    }
    // Also of a task that has ended: the lost write may be the one that has it undone.
    search.looks += 1;
    search.lookedMs += search.waitMs;
    const leftMs = Math.max(this.settings.leaseMs, LOOK_FOR_MIN_MS) - search.lookedMs;
    if (leftMs <= 0) return null;
    search.waitMs = growingDelay({ firstMs: LOOK_AFTER_MS, maxMs: leftMs }, search.looks + 1);
    return search.waitMs;
  }

  /** Running actions whose leases are this process's, though it does not hold their claims. */
  private refsIn(task: Task): readonly ActionRef[] {
    const { taskId } = task.plan;
    return openActions(task).filter((ref) => {
      const lease = runOf(task, ref)?.lease;
      if (lease?.owner !== this.pieces.state.session.name) return false;
      return !this.pieces.state.claims.holds(taskId, lease.token);
    });
  }

  /**
   * The document may be an old one that came late, and the claim long over: it is still ours only
   * if a document says so that is read after the claim was noted here.
   */
  private async adopt(claim: Claim): Promise<void> {
    const { runner, state } = this.pieces;
    const { claims, slots } = state;
    claims.adopt(claim);
    try {
      if (await claims.confirm(claim)) {
        slots.takeAnyway(claim.module);
        void runner.run(claim);
        return;
      }
      await this.release(claim);
    } catch (error) {
      claims.disown(claim);
      throw error;
    }
    // It stays noted as adopted: a late answer of its write must not start it.
    claims.remove(claim);
  }

  /** It was called off before anybody here knew of it; nobody else can end it while we live. */
  private async release(claim: Claim): Promise<void> {
    const message = 'the step was called off before it started';
    const event = { kind: 'handed_back', ...claim.ref, token: claim.token, message } as const;
    await this.pieces.runner.giveUp(claim, event);
  }
}
