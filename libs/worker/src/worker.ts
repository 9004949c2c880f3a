import { setMaxListeners } from 'node:events';
import { hostname } from 'node:os';
import type { JsonObject } from '#core';
import type { Clock, Entropy } from '#ports';
import { Attempt } from './attempt.js';
import type { WorkAnswer, WorkConnection } from './connection.js';
import { follow, Heartbeats } from './heartbeats.js';
import { durationOf, outcomeRequest } from './outcome.js';
import { type Decision, PatientCaller, refusalOf } from './patient-caller.js';
import type { BeatAnswer, Outcome, WorkItem } from './protocol.js';

const LEASE_MS = 30_000;
const WAIT_MS = 20_000;
/** The most claims of a poll. */
const CLAIMS_MAX = 100;
/** Beyond the wait of a poll: equal limits would lose answers that come at the last moment. */
const SOCKET_EXTRA_MS = 10_000;
/** A poll may be repeated with its id for so long. */
const REPEAT_MS = 60_000;
/** The wait between polls while the gateway keeps the worker from work. */
const DRAINED_MS = 5_000;
/** The wait after a refusal of what was taken before: the gateway may be changing its version. */
const REFUSED_MS = 30_000;
const ANSWER_MS = 30_000;
/** A good-bye that is not answered within this changes nothing: the leases end by themselves. */
const GOOD_BYE_MS = 5_000;
/** The leases for which an outcome is repeated. */
const OUTCOME_LEASES = 3;
/** The message of a failure whose own one the gateway does not take. */
const REFUSED = 'the gateway refused to hear how the attempt failed';
/** A worker's name has at most 128 characters. */
const HOST_MAX = 80;
/** Outcomes are told also after the worker was asked to stop. */
const NEVER = new AbortController().signal;
setMaxListeners(0, NEVER);

/** Carries out one action. Its errors fail the attempt, which may be repeated. */
export type Handler = (attempt: Attempt) => Promise<Outcome>;

/** The terms of a command, as a worker tells them. */
interface CommandTerms {
  /** JSON Schema that its output must fit. Default: any output is taken. */
  readonly output?: object;
  /** Members of its output that are sealed before they are kept. Default: none. */
  readonly secrets?: readonly string[];
}

/**
 * Work that outlives its worker: at its end the worker leaves its claims to the next process, which
 * goes on with them.
 */
export interface WorkElsewhere {
  /** Claims of an earlier process. How much time they have left is asked for. */
  readonly resumed: readonly WorkItem[];
  /** The gateway has heard how an action ended, or wants to hear no more of it. */
  settled(item: WorkItem): void;
}

/** A worker, and the work that it takes. */
export interface WorkerOptions {
  /** Commands by their names, by the names of their modules. */
  readonly modules: Readonly<Record<string, Readonly<Record<string, CommandTerms>>>>;
  readonly handle: Handler;
  /** Actions at a time. */
  readonly slots: number;
  /** Default: both. */
  readonly directions?: readonly ('normal' | 'rollback')[] | undefined;
  /** The lease of a claim between two heartbeats. Default: 30 s. */
  readonly leaseMs?: number | undefined;
  /** How long a poll waits for work. Default: 20 s. */
  readonly waitMs?: number | undefined;
  /** Names the code of the worker; kept with each attempt. */
  readonly build?: string | undefined;
  /** Work that goes on without this process, such as in a cluster. Default: it ends with it. */
  readonly elsewhere?: WorkElsewhere | undefined;
  readonly connection: WorkConnection;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Takes one line for the operator. */
  readonly say: (line: string) => void;
}

/** The gateway does not take this worker, and a repetition would not change that. */
export class WorkerRefused extends Error {
  override readonly name = 'WorkerRefused';

  constructor(readonly answer: WorkAnswer) {
    super(`the gateway refuses this worker: ${refusalOf(answer)}`);
  }
}

/**
 * A worker: asks the gateway for actions while it has free slots, renews their leases, and tells
 * how they ended. It never ends by itself, unless the gateway refuses what it asks for.
 */
export class Worker {
  readonly #id: string;
  readonly #caller: PatientCaller;
  readonly #heartbeats: Heartbeats;
  readonly #running = new Set<Promise<void>>();
  #slotFreed: () => void = () => {};
  /** Another registration that is under way. */
  #registering: Promise<unknown> | null = null;

  constructor(private readonly options: WorkerOptions) {
    const { clock, connection, entropy, say } = options;
    this.#id = workerId(entropy);
    this.#caller = new PatientCaller({ clock, connection, entropy, say });
    this.#heartbeats = new Heartbeats({ worker: this.#id, caller: this.#caller, clock });
  }

  /**
   * Works until the signal aborts, then waits for what runs: heartbeats go on until the last
   * outcome is told. Throws `WorkerRefused`.
   */
  async run(stop: AbortSignal): Promise<void> {
    // All claims of an earlier process are asked for at once.
    setMaxListeners(0, stop);
    const ended = new AbortController();
    const beating = this.#heartbeats.run(ended.signal);
    try {
      await this.#register(stop);
      for (const item of this.options.elsewhere?.resumed ?? []) {
        this.#track(this.#resume(item, stop));
      }
      while (!stop.aborted) await this.#takeWork(stop);
    } catch (error) {
      if (!stop.aborted) throw error;
    } finally {
      const leaves = this.options.elsewhere !== undefined && this.#running.size > 0;
      if (leaves) await this.#heartbeats.leave(NEVER);
      await Promise.all(this.#running);
      // It would come after the good-bye.
      await this.#registering;
      ended.abort();
      await beating;
      // It would hand back what is left to the next process.
      if (!leaves) await this.#sayGoodBye();
    }
  }

  async #register(stop: AbortSignal): Promise<void> {
    const { build, modules, slots } = this.options;
    const about = { host: hostname(), sdk: 'backstep', ...(build !== undefined && { build }) };
    const body = { modules, slots, ...about };
    const path = { worker: this.#id };
    const request = { at: 'PUT /v1/workers/{worker}', path, body, timeoutMs: ANSWER_MS } as const;
    expectTaken(await this.#caller.call(request, { signal: stop }));
  }

  /** Beside the polls, which do not wait for it. A refusal is only said: the start had none. */
  #registerAgain(stop: AbortSignal): void {
    this.#registering ??= this.#register(stop)
      .catch((error: unknown) => {
        if (!stop.aborted) this.options.say((error as Error).message);
      })
      .finally(() => (this.#registering = null));
  }

  async #takeWork(stop: AbortSignal): Promise<void> {
    const { clock, say, slots } = this.options;
    // An earlier process may have left more claims than there are slots.
    while (this.#running.size >= slots && !stop.aborted) await this.#freeSlot(stop);
    if (stop.aborted) return;
    const decision = await this.#poll(slots - this.#running.size, stop);
    // A gateway that was away may have come back with another store, and know of no schemas.
    if (decision?.isRepeated !== false) this.#registerAgain(stop);
    if (decision === null) return;
    const { askedAt, body, isRepeated, status } = decision;
    if (status !== 200) {
      say(`the gateway refuses to give work: ${refusalOf(decision)}; it is asked again`);
      return clock.sleep(REFUSED_MS, stop);
    }
    for (const item of itemsOf(body)) {
      if (this.#heartbeats.has(item.claim)) continue;
      const attempt = new Attempt(item, { askedAt: askedAt + item.waitedMs, clock });
      // Its lease may have begun with the answer that was lost.
      if (isRepeated) attempt.beatAt = clock.monotonic();
      this.#start(attempt);
    }
    const restMs = restOf(body);
    if (restMs > 0) await clock.sleep(restMs, stop);
  }

  /**
   * One poll, and its repetitions: by its id, one whose answer was lost gives the same items again.
   * Null: nobody answered for as long as the gateway knows the id.
   */
  #poll(max: number, stop: AbortSignal): Promise<Decision | null> {
    const { build, directions, entropy, modules } = this.options;
    const { leaseMs = LEASE_MS, waitMs = WAIT_MS } = this.options;
    const body = {
      worker: this.#id,
      modules: Object.keys(modules),
      commands: [...new Set(Object.values(modules).flatMap((one) => Object.keys(one)))],
      max: Math.min(max, CLAIMS_MAX),
      wait: durationOf(waitMs),
      lease: durationOf(leaseMs),
      pollId: entropy.newId(),
      ...(directions !== undefined && { directions }),
      ...(build !== undefined && { build }),
    };
    const timeoutMs = waitMs + SOCKET_EXTRA_MS;
    const request = { at: 'POST /v1/work:poll', body, timeoutMs } as const;
    return this.#caller.call(request, { signal: stop, forMs: REPEAT_MS });
  }

  async #freeSlot(stop: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const goOn = (): void => {
        stop.removeEventListener('abort', goOn);
        resolve();
      };
      this.#slotFreed = goOn;
      stop.addEventListener('abort', goOn, { once: true });
    });
  }

  #start(attempt: Attempt): void {
    this.#heartbeats.add(attempt);
    const work = this.#carryOut(attempt).finally(() => {
      this.#heartbeats.remove(attempt);
      attempt.close();
    });
    this.#track(work);
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => {
      this.#running.delete(tracked);
      this.#slotFreed();
    });
    this.#running.add(tracked);
  }

  /** Goes on with a claim of an earlier process, as far as the gateway still holds it. */
  async #resume(item: WorkItem, stop: AbortSignal): Promise<void> {
    const { clock, leaseMs = LEASE_MS } = this.options;
    const path = { claim: item.claim };
    const at = 'POST /v1/work/{claim}:heartbeat';
    const request = { at, path, body: {}, timeoutMs: ANSWER_MS } as const;
    const patience = { signal: stop, forMs: leaseMs };
    const decision = await this.#caller.call(request, patience).catch(() => undefined);
    // The next process asks again.
    if (decision === undefined) return;
    const askedAt = decision?.askedAt ?? clock.monotonic();
    // The gateway tells when its time is over: the clock that measured it has gone.
    const untimed = { ...item, leaseMs, attemptTimeLeftMs: Infinity };
    const attempt = new Attempt(untimed, { askedAt, clock });
    if (decision?.status === 200) follow(attempt, decision.body as unknown as BeatAnswer, askedAt);
    else attempt.lose(decision === null ? 'nobody answers' : refusalOf(decision));
    this.#start(attempt);
  }

  async #carryOut(attempt: Attempt): Promise<void> {
    const outcome = await this.#outcomeOf(attempt);
    if (outcome !== null) await this.#tell(attempt, outcome);
    else if (attempt.stopped?.kind === 'left') return;
    this.options.elsewhere?.settled(attempt.item);
  }

  async #tell(attempt: Attempt, outcome: Outcome): Promise<void> {
    const { clock, say } = this.options;
    const request = outcomeRequest(attempt, outcome, clock.monotonic());
    const forMs = OUTCOME_LEASES * attempt.leaseMs;
    const decision = await this.#caller.call(request, { signal: NEVER, forMs });
    const { command, module, run, taskId } = attempt.item;
    const what = `${module}.${command} of ${taskId} ${run}`;
    if (decision === null) return say(`${what}: the gateway did not hear how it ended`);
    if (decision.status === 200) return;
    say(`${what}: ${refusalOf(decision)}`);
    const instead = insteadOf(outcome, decision);
    if (instead !== null) await this.#tell(attempt, instead);
  }

  /** Null: another worker has the action, or may have it, and nothing is known of this attempt. */
  async #outcomeOf(attempt: Attempt): Promise<Outcome | null> {
    try {
      if (attempt.item.confirm) await attempt.held();
      return await this.options.handle(attempt);
    } catch (error) {
      const { message } = error as Error;
      if (attempt.stopped === undefined) return { kind: 'fail', message, retryable: true };
      if (attempt.stopped.kind !== 'cancelled') return null;
      const code = attempt.stopped.isTimeOver ? 'TIMED_OUT' : 'CANCELLED';
      return { kind: 'fail', message, retryable: true, code };
    }
  }

  async #sayGoodBye(): Promise<void> {
    const path = { worker: this.#id };
    const request = { at: 'DELETE /v1/workers/{worker}', path, timeoutMs: GOOD_BYE_MS } as const;
    await this.#caller.once(request, NEVER);
  }
}

/** Unique for each start: what an earlier process left is none of this one's. */
function workerId(entropy: Pick<Entropy, 'newId'>): string {
  const host = hostname()
    .replaceAll(/[^\w.-]/g, '-')
    .slice(0, HOST_MAX);
  return `${host}/${process.pid}/${entropy.newId()}`;
}

function expectTaken(decision: Decision | null): void {
  if (decision === null || decision.status < 400) return;
  throw new WorkerRefused(decision);
}

/**
 * The failure that takes the place of an outcome that the gateway can never take: untold, the
 * action would begin again and again. Null: the outcome was understood.
 */
function insteadOf(outcome: Outcome, decision: Decision): Outcome | null {
  const { kind } = outcome;
  if (kind === 'release' || ![400, 413].includes(decision.status)) return null;
  const message = `the gateway refused the outcome: ${refusalOf(decision)}`;
  if (kind === 'fail') {
    const { afterMs, code, retryable } = outcome;
    if (outcome.message === REFUSED) return null;
    const isNamed = (afterMs ?? code) !== undefined;
    return { kind, retryable, message: isNamed ? `${message}; ${outcome.message}` : REFUSED };
  }
  const code = decision.status === 413 ? { code: 'OUTPUT_TOO_LARGE' } : {};
  return { kind: 'fail', retryable: false, message, ...code };
}

function itemsOf({ items }: JsonObject): readonly WorkItem[] {
  return Array.isArray(items) ? items : [];
}

/** The wait before the next poll that an answer asks for, in milliseconds. */
function restOf({ drain, retryAfterMs }: JsonObject): number {
  const askedMs = typeof retryAfterMs === 'number' ? retryAfterMs : 0;
  return drain === true ? Math.max(DRAINED_MS, askedMs) : askedMs;
}
