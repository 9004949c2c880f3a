import type { JsonObject } from '#core';
import type { Clock } from '#ports';
import { type LogParcel, sentLog } from './attempt-log.js';
import { type Attempt, Stopped } from './attempt.js';
import type { WorkAnswer } from './connection.js';
import type { PatientCaller } from './patient-caller.js';
import type { BeatAnswer, Progress } from './protocol.js';

/** The most claims of a request. */
const CLAIMS_MAX = 100;
/** Time to stop in where the gateway says none. */
const STOP_WITHIN_MS = 10_000;
/** Lines of all attempts that go with one request, in bytes: more go with the next. */
const LOG_BYTES_MAX = 65_536;
/** The longest wait for an answer, in milliseconds. */
const ANSWER_MS = 10_000;

interface HeartbeatParts {
  readonly worker: string;
  readonly caller: PatientCaller;
  readonly clock: Clock;
}

/** The news of one claim, until an answer says that it arrived. */
interface Told {
  readonly attempt: Attempt;
  readonly parcel: LogParcel;
  readonly progress: Progress | undefined;
}

/** Ended claims that are known: more than a worker ends while an answer is on its way. */
const ENDED_MAX = 1_000;

/**
 * Renews the claims of this worker, all in one request, as often as the shortest lease asks. A
 * failed heartbeat says nothing about a claim: it is repeated, until the attempt itself gives up.
 */
export class Heartbeats {
  readonly #attempts = new Set<Attempt>();
  /** The claims that ended last, the oldest first. */
  readonly #ended = new Set<string>();
  #wake = new AbortController();
  #failures = 0;

  constructor(private readonly parts: HeartbeatParts) {}

  add(attempt: Attempt): void {
    this.#attempts.add(attempt);
    this.#wake.abort();
  }

  /** Whether an attempt of this claim is under way, or was: an answer may be long on its way. */
  has(claim: string): boolean {
    return this.#ended.has(claim) || [...this.#attempts].some(({ item }) => item.claim === claim);
  }

  remove(attempt: Attempt): void {
    this.#attempts.delete(attempt);
    this.#ended.add(attempt.item.claim);
    const [oldest = ''] = this.#ended;
    if (this.#ended.size > ENDED_MAX) this.#ended.delete(oldest);
  }

  /** Goes on until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const wakeUp = (): void => this.#wake.abort();
    signal.addEventListener('abort', wakeUp, { once: true });
    while (!signal.aborted) {
      const waitMs = this.#nextAt() - this.parts.clock.monotonic();
      if (waitMs <= 0) await this.#beat(this.#mostDue(), signal);
      else await this.#sleep(waitMs);
    }
  }

  /** Renews all claims now, sends what their attempts have said, and leaves them as they stand. */
  async leave(signal: AbortSignal): Promise<void> {
    const all = [...this.#attempts];
    for (let from = 0; from < all.length; from += CLAIMS_MAX) {
      await this.#beat(all.slice(from, from + CLAIMS_MAX), signal);
    }
    for (const attempt of all) attempt.stop(new Stopped('left', 'the worker ends', 0));
  }

  #nextAt(): number {
    return Math.min(...[...this.#attempts].map(({ beatAt }) => beatAt));
  }

  /** Without a claim, until there is one. */
  async #sleep(ms: number): Promise<void> {
    this.#wake = new AbortController();
    const { signal } = this.#wake;
    if (Number.isFinite(ms)) return this.parts.clock.sleep(ms, signal);
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  /** A worker of more than a hundred claims sends several requests. */
  #mostDue(): readonly Attempt[] {
    return [...this.#attempts].sort((a, b) => a.beatAt - b.beatAt).slice(0, CLAIMS_MAX);
  }

  async #beat(attempts: readonly Attempt[], signal: AbortSignal): Promise<void> {
    const { caller, clock, worker } = this.parts;
    const askedAt = clock.monotonic();
    const told = takeFrom(attempts);
    const claims = told.map((one) => claimOf(one, askedAt));
    const shortest = Math.min(...attempts.map(({ beatMs }) => beatMs));
    const timeoutMs = Math.ceil(Math.min(ANSWER_MS, shortest));
    const request = { at: 'POST /v1/work:heartbeat', body: { worker, claims }, timeoutMs } as const;
    const answer = await caller.once(request, signal);
    if (answer instanceof Error || answer.status !== 200) return this.#repeat(told, answer);
    this.#failures = 0;
    const states = new Map(answersOf(answer.body).map((one) => [one.claim, one]));
    for (const { attempt } of told) {
      attempt.beatAt = askedAt + attempt.beatMs;
      const state = states.get(attempt.item.claim);
      if (state !== undefined) follow(attempt, state, askedAt);
    }
  }

  /** The attempts keep what they told, and tell it again soon. */
  #repeat(told: readonly Told[], answer: WorkAnswer | Error): void {
    const { caller, clock } = this.parts;
    this.#failures += 1;
    caller.sayTrouble(answer);
    const asked = answer instanceof Error ? null : answer.retryAfterMs;
    const shortest = Math.min(...told.map(({ attempt }) => attempt.beatMs));
    const waitMs = Math.min(shortest, Math.max(asked ?? 0, caller.backOff(this.#failures)));
    for (const { attempt, parcel, progress } of told) {
      attempt.log.putBack(parcel);
      attempt.putBackProgress(progress);
      attempt.beatAt = clock.monotonic() + waitMs;
    }
  }
}

/** Takes the news of attempts, as far as a request carries them. */
function takeFrom(attempts: readonly Attempt[]): readonly Told[] {
  let left = LOG_BYTES_MAX;
  return attempts.map((attempt) => {
    const parcel = attempt.log.take(left);
    left -= parcel.bytes;
    return { attempt, parcel, progress: attempt.takeProgress() };
  });
}

function claimOf({ attempt, parcel, progress }: Told, now: number): object {
  const { claim } = attempt.item;
  return { claim, ...(progress !== undefined && { progress }), ...sentLog(parcel, now) };
}

/** Does what the gateway answers about a claim to a request that was sent at `askedAt`. */
export function follow(attempt: Attempt, state: Omit<BeatAnswer, 'claim'>, askedAt: number): void {
  const { reason = state.state, stopWithinMs = STOP_WITHIN_MS } = state;
  switch (state.state) {
    case 'held':
      return attempt.hold(askedAt, state.leaseMs ?? attempt.leaseMs);
    case 'cancelled':
      return attempt.cancel(reason, askedAt + stopWithinMs);
    case 'lost':
    case 'ended':
    case 'gone':
      return attempt.lose(reason);
  }
}

function answersOf({ claims }: JsonObject): readonly BeatAnswer[] {
  return Array.isArray(claims) ? claims : [];
}
