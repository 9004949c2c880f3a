import {
  type AdmissionRecord,
  type AdmittedAction,
  type ModuleLimit,
  type TaskAction,
  type WaitingAction,
  waitingId,
} from '#ports';

/** For how long an action that was called counts while nobody comes for it, in milliseconds. */
const CALLED_FOR_MS = 10_000;

/** Longest that an action in hand waits for its moment by the rate, in milliseconds. */
const SOON_MS = 250;

/** One action in so many seconds' worth of the rate may start beside another. */
const BURST_PART = 0.1;

/** A request to start an action that is queued in this revision of its task. */
export interface Asked extends TaskAction {
  readonly revision: number;
  readonly orderAt: number;
}

/**
 * The end of an action. `below`: it counts no more if it was admitted on an older revision. `by`:
 * it was admitted by this process on this very revision, and no claim of it is on its way.
 */
export type Ended = TaskAction &
  ({ readonly below: number } | { readonly by: string | null; readonly revision: number });

/**
 * The answer to a request. `held`: another claim of the action is on its way, or the request is out
 * of date. `full`: it has to wait in line. A number: it may start in so many milliseconds.
 */
export type Admission = 'admitted' | 'full' | 'held' | number;

/** The first of those that wait, by direction. */
export type Waiting = Readonly<Record<'normal' | 'rollback', readonly WaitingAction[]>>;

/** The facts that a decision is made on. */
export interface AdmissionFacts {
  readonly limit: ModuleLimit;
  readonly asked: readonly Asked[];
  readonly ended: readonly Ended[];
  readonly waiting: Waiting;
  readonly mayCall: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The session of this process. */
  readonly self: string;
}

/** A decision on who is admitted. */
export interface AdmissionDecision {
  /** The same object as before where nothing changes. */
  readonly next: AdmissionRecord;
  /** For each request, in their order. */
  readonly answers: readonly Admission[];
  /** Their messages are to be sent. */
  readonly called: readonly WaitingAction[];
  /** Nobody came for them in time: they wait again. */
  readonly missed: readonly AdmittedAction[];
}

/** A module of which nothing is known to run. */
export function emptyAdmission(module: string): AdmissionRecord {
  return { module, revision: 0, actions: [], nextAt: 0, turn: 0, counted: 0 };
}

/**
 * How many actions of a direction may run beside each other: the last tenth is for rollbacks alone,
 * at least one, unless there is but one in all.
 */
export function mostOf({ maxConcurrency }: ModuleLimit, direction: string): number {
  if (maxConcurrency === null) return Infinity;
  const share = Math.max(1, Math.floor(maxConcurrency / 10));
  return direction === 'rollback' ? maxConcurrency : Math.max(1, maxConcurrency - share);
}

/** Decides who is admitted to a module. Ends come first, then requests, then those who wait. */
export function decideAdmission(before: AdmissionRecord, facts: AdmissionFacts): AdmissionDecision {
  const round = new AdmissionRound(before, facts);
  const missed = round.end();
  const answers = new Map<Asked, Admission>();
  const inOrder = facts.asked.toSorted((one, other) => one.orderAt - other.orderAt);
  for (const each of inOrder) answers.set(each, round.ask(each));
  const called = facts.mayCall ? round.call() : [];
  const inTurn = facts.asked.map((each) => answers.get(each) ?? 'full');
  return { next: round.next(), answers: inTurn, called, missed };
}

/** One decision, as it is made. */
class AdmissionRound {
  private readonly actions: Map<string, AdmittedAction>;
  private nextAt: number;
  private turn: number;
  private isChanged = false;

  constructor(
    private readonly before: AdmissionRecord,
    private readonly facts: AdmissionFacts,
  ) {
    this.actions = new Map(before.actions.map((action) => [waitingId(action), action]));
    const { limit, now } = facts;
    this.turn = before.turn;
    // Where a clock was ahead and is right again, nobody waits until it is there again. It is
    // written down: worked out at each look, the moment would go on with the clock and never come.
    const rate = limit.ratePerSecond ?? 1;
    const latest = now + (burstOf(rate) * 1_000) / rate;
    this.nextAt = Math.min(before.nextAt, latest);
    this.isChanged = this.nextAt < before.nextAt;
  }

  /** Takes out what has ended; gives those back that were called in vain. */
  end(): readonly AdmittedAction[] {
    const { ended, now } = this.facts;
    for (const each of ended) {
      const admitted = this.actions.get(waitingId(each));
      if (admitted !== undefined && isEndOf(each, admitted)) this.drop(each);
    }
    const missed = [...this.actions.values()].filter(({ at, by }) => {
      return by === null && Math.abs(now - at) > CALLED_FOR_MS;
    });
    for (const each of missed) this.drop(each);
    return missed;
  }

  ask(asked: Asked): Admission {
    const { limit, now, self } = this.facts;
    const admitted = this.actions.get(waitingId(asked));
    if (typeof admitted?.by === 'string' && admitted.revision >= asked.revision) return 'held';
    // It keeps its place, unless those that ran before the limit was set are more than it allows.
    const isKept = admitted !== undefined;
    const hasRoom = this.hasRoom(asked.direction, isKept ? 1 : 0);
    const waitMs = this.waitMs();
    if (hasRoom && isKept && waitMs > 0 && waitMs <= SOON_MS) return Math.ceil(waitMs);
    if (!hasRoom || waitMs > 0 || (!isKept && this.isBehindOthers(asked))) {
      this.drop(asked);
      return 'full';
    }
    this.spend();
    const { direction, revision, step, taskId } = asked;
    // Without a bound nothing has to be counted.
    if (limit.maxConcurrency === null) this.drop(asked);
    else this.put({ taskId, direction, step, revision, by: self, at: now });
    return 'admitted';
  }

  /** Calls as many of those who wait as there is room for, each direction in its order. */
  call(): readonly WaitingAction[] {
    const { now, waiting } = this.facts;
    const lines = {
      normal: waiting.normal.filter((each) => !this.actions.has(waitingId(each))),
      rollback: waiting.rollback.filter((each) => !this.actions.has(waitingId(each))),
    };
    const called: WaitingAction[] = [];
    for (;;) {
      const next = this.nextOf(lines);
      if (next === undefined || !this.mayCall()) return called;
      const { direction, step, taskId } = next;
      this.put({ taskId, direction, step, revision: 0, by: null, at: now });
      this.turn = Math.max(this.turn, next.turn);
      called.push(next);
    }
  }

  next(): AdmissionRecord {
    const { before, nextAt, turn } = this;
    if (!this.isChanged) return before;
    const actions = [...this.actions.values()];
    return { ...before, revision: before.revision + 1, actions, nextAt, turn };
  }

  /** An undo goes first: it frees what others wait for. */
  private nextOf(lines: { readonly [D in keyof Waiting]: WaitingAction[] }) {
    if (this.hasRoom('rollback') && lines.rollback.length > 0) return lines.rollback.shift();
    return this.hasRoom('normal') ? lines.normal.shift() : undefined;
  }

  /** `own`: so many of the places are its own. */
  private hasRoom(direction: string, own = 0): boolean {
    return this.actions.size - own < mostOf(this.facts.limit, direction);
  }

  private isBehindOthers(asked: Asked): boolean {
    const [first] = this.facts.waiting[asked.direction];
    return first !== undefined && waitingId(first) !== waitingId(asked);
  }

  /** How long the rate has an action wait from now on, in milliseconds. */
  private waitMs(): number {
    const { ratePerSecond } = this.facts.limit;
    if (ratePerSecond === null) return 0;
    const slackMs = (burstOf(ratePerSecond) - 1) * (1_000 / ratePerSecond);
    return this.nextAt - slackMs - this.facts.now;
  }

  private spend(): void {
    const { ratePerSecond } = this.facts.limit;
    if (ratePerSecond === null) return;
    this.nextAt = Math.max(this.nextAt, this.facts.now) + 1_000 / ratePerSecond;
    this.isChanged = true;
  }

  /** By a rate few are called at a time: each is counted when it comes. */
  private mayCall(): boolean {
    const { ratePerSecond } = this.facts.limit;
    if (ratePerSecond === null) return true;
    const called = [...this.actions.values()].filter(({ by }) => by === null).length;
    return called < burstOf(ratePerSecond) && this.waitMs() <= SOON_MS / 5;
  }

  private put(action: AdmittedAction): void {
    this.actions.set(waitingId(action), action);
    this.isChanged = true;
  }

  private drop(action: TaskAction): void {
    if (this.actions.delete(waitingId(action))) this.isChanged = true;
  }
}

function isEndOf(ended: Ended, { by, revision }: AdmittedAction): boolean {
  if ('below' in ended) return by !== null && revision < ended.below;
  return by === ended.by && revision === ended.revision;
}

function burstOf(ratePerSecond: number): number {
  return Math.max(1, Math.floor(ratePerSecond * BURST_PART));
}
