import type { ActionRun, LeaseTerms, Task } from '#core';
import { runOf } from '#core/scopes';
import type {
  Heartbeat,
  HeartbeatAnswer,
  PollAnswer,
  PollOrder,
  ReportAnswer,
  WorkClaim,
  WorkDesk,
  WorkOutcome,
} from '#engine';
import type { AbortSignalLike } from '#ports';
import { clockErrorMs } from '../scenario.js';
import type { StoreServer } from '../store-server.js';
import type { World } from '../world.js';

/** How long a poll is surely repeatable, in milliseconds. */
const REPEATABLE_MS = 50_000;

/** Reports of a task that are surely remembered. */
const REMEMBERED = 50;

/** A poll that was answered. */
interface Answered {
  readonly claims: readonly WorkClaim[];
  readonly at: number;
}

/** The answer to a poll that was asked again. */
interface Repetition {
  readonly claims: readonly WorkClaim[];
  readonly former: Answered;
  /** Whether its gateway could ask the store when it began. */
  readonly isCalm: boolean;
}

/** Looks whether the desks of gateways say what the documents say. */
export class DeskCheck {
  private readonly answered = new Map<string, Answered>();
  /** All claims that answers gave, by their worker. */
  private readonly given = new Map<string, WorkClaim[]>();
  /** By task and token: claims of answers that could not be written. */
  private readonly handedBack = new Set<string>();
  /** By task and token: outcomes that were told as taken. */
  private readonly taken = new Set<string>();

  /** Workers that drain, and the desk that was told. */
  private readonly draining = new Map<string, WorkDesk>();
  /** Orders to drain or not, by worker, and those under way: of two at a time, either may win. */
  private readonly drainOrders = new Map<string, { count: number; underWay: number }>();

  constructor(
    private readonly world: World,
    private readonly server: StoreServer,
  ) {}

  /** A poll as a call, and what its gateway does where the answer cannot be written. */
  poll(order: PollOrder): {
    readonly ask: (desk: WorkDesk, closed: AbortSignalLike) => Promise<PollAnswer>;
    readonly unread: (desk: WorkDesk, answer: PollAnswer) => Promise<void>;
  } {
    return {
      ask: async (desk, closed) => {
        const begunAt = this.world.now;
        const drainedAt = this.draining.get(order.worker);
        const key = `${order.worker} ${order.pollId ?? ''}`;
        const former = order.pollId === undefined ? undefined : this.answered.get(key);
        const mayGive = (claim: WorkClaim): boolean => this.isHeld(claim) && this.canOpen(claim);
        const standing = former?.claims.filter(mayGive) ?? [];
        const isCalm = this.canAsk();
        const answer = await desk.poll(order, closed);
        const claims = answer.items.map(({ claim }) => claim);
        for (const claim of claims) this.lookAtItem(claim, begunAt);
        this.given.set(order.worker, [...(this.given.get(order.worker) ?? []), ...claims]);
        const isDrained = drainedAt === desk && this.draining.get(order.worker) === desk;
        if (isDrained && claims.length > 0) this.fail(`${order.worker} drains, and gets actions`);
        if (claims.length > order.max) this.fail(`${order.worker} got more than it asked for`);
        const isFresh = former !== undefined && this.world.now - former.at < REPEATABLE_MS;
        // Nobody reads the answer to a connection that is closed, one that drains gets nothing, and
        // by a clock that is wrong the poll was long ago.
        const isKnown = isFresh && clockErrorMs(this.world.scenario) < REPEATABLE_MS;
        if (isKnown && !closed.aborted && !answer.isDraining) {
          this.lookAtRepetition(standing, { claims, former, isCalm });
        }
        if (order.pollId !== undefined && former === undefined) {
          this.answered.set(key, { claims, at: this.world.now });
        }
        return answer;
      },
      unread: async (desk, { items }) => {
        const claims = items.map(({ claim }) => claim);
        const isCalm = this.isCalm();
        for (const claim of claims) this.handedBack.add(nameOf(claim));
        await desk.handBack(claims);
        if (claims.length > 0) this.world.see('answer of a poll handed back');
        for (const claim of claims) {
          // A gateway that was asked again meanwhile may have given it, and had it held.
          const isGiven = this.everHad(claim, ({ isHeld }) => isHeld);
          if (!isCalm || !this.isCalm() || isGiven || !this.isHeld(claim)) continue;
          this.fail(`${nameOf(claim)} was handed back, and ${claim.worker} has it`);
        }
      },
    };
  }

  heartbeat(beats: readonly Heartbeat[]): (desk: WorkDesk) => Promise<readonly HeartbeatAnswer[]> {
    return async (desk) => {
      const answers = await desk.heartbeat(beats);
      for (const [index, { state }] of answers.entries()) {
        const { claim } = beats[index] as Heartbeat;
        if (state !== 'held' || this.everHad(claim, ({ isHeld }) => isHeld)) continue;
        this.fail(`${nameOf(claim)} is told as held, and no document says so`);
      }
      return answers;
    };
  }

  report(claim: WorkClaim, outcome: WorkOutcome): (desk: WorkDesk) => Promise<ReportAnswer> {
    return async (desk) => {
      const key = nameOf(claim);
      const wasTaken = this.taken.has(key);
      const answer = await desk.report(claim, outcome);
      const task = this.server.tasks.get(claim.taskId);
      const known = task?.reports.find(({ token }) => token === claim.token);
      const isSure = task !== undefined && task.reports.length < REMEMBERED;
      if (answer.kind === 'taken' && isSure && (known === undefined || known.late !== undefined)) {
        this.fail(`an outcome of ${key} is told as taken, and the document has it not`);
      }
      if (answer.kind === 'late') this.world.see(`late outcome of a worker: ${answer.reason}`);
      if (answer.kind === 'taken') this.taken.add(key);
      if (answer.kind === 'taken' && answer.isReplayed) this.world.see('outcome replayed');
      const isSame = answer.kind === 'taken' && answer.isReplayed;
      if (wasTaken && isSure && !isSame) this.fail(`a repeated outcome of ${key} is not known`);
      return answer;
    };
  }

  goodBye(worker: string): (desk: WorkDesk) => Promise<void> {
    return async (desk) => {
      const claims = this.claimsOf(worker);
      await desk.goodBye(worker);
      for (const claim of claims) {
        if (this.isHeld(claim)) this.fail(`${worker} said good-bye, and has ${nameOf(claim)}`);
      }
    };
  }

  /** An operator has a worker drain at a gateway, or no more. */
  drain(worker: string, isDraining: boolean): (desk: WorkDesk) => Promise<boolean> {
    return async (desk) => {
      const orders = this.drainOrders.get(worker) ?? { count: 0, underWay: 0 };
      this.drainOrders.set(worker, orders);
      const order = (orders.count += 1);
      const isAlone = (orders.underWay += 1) === 1;
      this.draining.delete(worker);
      const isKnown = await desk.drain(worker, isDraining).finally(() => (orders.underWay -= 1));
      const isLast = isAlone && orders.count === order;
      if (isKnown && isDraining && isLast) this.draining.set(worker, desk);
      return isKnown;
    };
  }

  private lookAtItem(claim: WorkClaim, begunAt: number): void {
    const all = this.server.history.get(claim.taskId) ?? [];
    const isTrue = all.some(({ task }, index) => {
      const next = all[index + 1];
      return (next === undefined || next.at >= begunAt) && leaseIn(task, claim) !== null;
    });
    if (!isTrue) this.fail(`${claim.worker} is given ${nameOf(claim)}, which it does not have`);
  }

  private lookAtRepetition(
    standing: readonly WorkClaim[],
    { claims, former, isCalm }: Repetition,
  ): void {
    const mayStand = (claim: WorkClaim): boolean =>
      this.isHeld(claim) && this.canOpen(claim) && !this.handedBack.has(nameOf(claim));
    if (!standing.some(mayStand)) return;
    // A gateway that cannot ask its store in all of the wait has nothing to give.
    if (claims.length === 0 && !(isCalm && this.canAsk())) return;
    const known = new Set(former.claims.map(nameOf));
    this.world.see('poll answered again');
    // It may be unclear to a gateway whether a claim was stored: the first answer is without it.
    const isOfPoll = (claim: WorkClaim): boolean =>
      known.has(nameOf(claim)) || this.claimedAt(claim) <= former.at;
    if (claims.length > 0 && claims.every(isOfPoll)) return;
    this.fail(`a repeated poll got ${claims.map(nameOf).join()}, not ${[...known].join()}`);
  }

  /** Whether nothing can keep a gateway from its store. */
  private isCalm(): boolean {
    const { faults } = this.world;
    if (this.server.isDown() || this.server.isFull()) return false;
    const { failoversAMinute, storeFailsAfter, storeFailsBefore, storeLate } = faults;
    return failoversAMinute + storeFailsAfter + storeFailsBefore + storeLate === 0;
  }

  /** Whether nothing can keep a gateway from what it asks for a repeated poll. */
  private canAsk(): boolean {
    return this.isCalm() && this.world.faults.registryFails === 0;
  }

  /** Whether nothing can keep a gateway from the secrets without which a claim is not given. */
  private canOpen({ taskId }: WorkClaim): boolean {
    const hasSecrets = this.server.tasks.get(taskId)?.hasSecrets === true;
    return !hasSecrets || this.world.faults.secretsAway === 0;
  }

  private isHeld(claim: WorkClaim): boolean {
    const task = this.server.tasks.get(claim.taskId);
    return task !== undefined && leaseIn(task, claim) !== null;
  }

  private claimedAt(claim: WorkClaim): number {
    const all = this.server.history.get(claim.taskId) ?? [];
    return all.find(({ task }) => leaseIn(task, claim) !== null)?.at ?? Infinity;
  }

  private everHad(claim: WorkClaim, holds: (terms: LeaseTerms) => boolean): boolean {
    const all = this.server.history.get(claim.taskId) ?? [];
    return all.some(({ task }) => {
      const terms = leaseIn(task, claim);
      return terms !== null && holds(terms);
    });
  }

  private claimsOf(worker: string): readonly WorkClaim[] {
    return (this.given.get(worker) ?? []).filter((claim) => this.isHeld(claim));
  }

  private fail(message: string): void {
    this.world.violate('I37', message);
  }
}

/** The lease of a claim in a document; null: it does not give it to the worker. */
function leaseIn(task: Task, { direction, place, token, worker }: WorkClaim): LeaseTerms | null {
  const run: ActionRun | null = runOf(task, { direction, step: place }) ?? null;
  const lease = run?.lease ?? null;
  return lease?.token === token && lease.owner === worker ? (lease.terms ?? null) : null;
}

function nameOf({ taskId, token }: WorkClaim): string {
  return `${taskId} t${token}`;
}
