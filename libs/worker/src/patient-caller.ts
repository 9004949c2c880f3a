import { growingDelay } from '#core';
import type { Clock, Entropy } from '#ports';
import type { WorkAnswer, WorkConnection, WorkRequest } from './connection.js';

/** After a request that nobody answered: waits grow from the first to the longest. */
const GROWTH = { firstMs: 100, maxMs: 30_000 };
/** After `429` or `503` without `Retry-After`. */
const BUSY_MS = 1_000;
/** After `401` or `403`: a key may be given back to the worker at any time. */
const DENIED_MS = 30_000;
const SAY_EVERY_MS = 60_000;

/** The parts that a caller needs. */
interface CallerParts {
  readonly connection: WorkConnection;
  readonly clock: Clock;
  readonly entropy: Pick<Entropy, 'random'>;
  /** Takes one line for the operator. */
  readonly say: (line: string) => void;
}

/** An answer that is a decision of the gateway. */
export interface Decision extends WorkAnswer {
  /** When the request was sent that it answers, on the monotonic clock. */
  readonly askedAt: number;
  /** Whether the request had been sent before. */
  readonly isRepeated: boolean;
}

/** How long a request is repeated. */
interface Patience {
  readonly signal: AbortSignal;
  /** Milliseconds. Default: until the signal aborts. */
  readonly forMs?: number;
}

/**
 * Repeats requests until the gateway decides on them. Waits between tries have full jitter, so a
 * fleet does not return in step after an outage. Trouble is told of at most once a minute.
 */
export class PatientCaller {
  #saidAt = -Infinity;

  constructor(private readonly parts: CallerParts) {}

  /**
   * The first answer that is a decision: a success, or a refusal that a repetition does not change.
   * Null: there was none in time. Rejects with the reason of the signal once that aborts.
   */
  async call(
    request: WorkRequest,
    { forMs = Infinity, signal }: Patience,
  ): Promise<Decision | null> {
    const { clock } = this.parts;
    const firstAt = clock.monotonic();
    let failures = 0;
    for (let tries = 0; ; tries += 1) {
      signal.throwIfAborted();
      const askedAt = clock.monotonic();
      const answer = await this.once(request, signal);
      signal.throwIfAborted();
      failures = isUnheard(answer) ? failures + 1 : 0;
      const restMs = this.#restAfter(answer, failures);
      if (restMs === null) return { ...(answer as WorkAnswer), askedAt, isRepeated: tries > 0 };
      const leftMs = firstAt + forMs - clock.monotonic();
      if (leftMs <= 0) return null;
      // The last try comes at the end of the time: the waits before it may have grown long.
      await clock.sleep(failures > 0 ? Math.min(restMs, leftMs) : restMs, signal);
    }
  }

  /** The wait before the request is sent again, in milliseconds; null: the answer is a decision. */
  #restAfter(answer: WorkAnswer | Error, failures: number): number | null {
    if (isUnheard(answer)) {
      this.sayTrouble(answer);
      return this.backOff(failures);
    }
    const known = answer as WorkAnswer;
    if (!isBusy(known) && !isDenied(known)) return null;
    this.sayTrouble(answer);
    return isBusy(known) ? this.#busyMs(known) : DENIED_MS;
  }

  /** One try. An error: nobody answered. */
  async once(request: WorkRequest, signal: AbortSignal): Promise<WorkAnswer | Error> {
    try {
      return await this.parts.connection.send(request, signal);
    } catch (error) {
      return error as Error;
    }
  }

  /** The wait after a number of tries in a row that nobody answered, in milliseconds. */
  backOff(failures: number): number {
    return growingDelay(GROWTH, failures) * this.parts.entropy.random();
  }

  /** Spread behind the time that was asked for: nobody comes before it. */
  #busyMs({ retryAfterMs }: WorkAnswer): number {
    const asked = retryAfterMs ?? BUSY_MS;
    return asked + asked * this.parts.entropy.random();
  }

  /** Tells the operator of trouble that a repetition may end, at most once a minute. */
  sayTrouble(answer: WorkAnswer | Error): void {
    const now = this.parts.clock.monotonic();
    if (now - this.#saidAt < SAY_EVERY_MS) return;
    this.#saidAt = now;
    this.parts.say(`${troubleOf(answer)}; it is asked again`);
  }
}

/**
 * Nobody answered, or something that stands before the gateway: a proxy that has no gateway at the
 * moment answers 404, or leads elsewhere. The gateway names a code where it refuses.
 */
function isUnheard(answer: WorkAnswer | Error): boolean {
  if (answer instanceof Error) return true;
  if (isBusy(answer) || isDenied(answer)) return false;
  const { body, status } = answer;
  return status >= 500 || (status >= 300 && typeof body['code'] !== 'string');
}

function isBusy({ status }: WorkAnswer): boolean {
  return status === 429 || status === 503;
}

/** A claim that was not made at this gateway stays wrong. */
function isDenied({ body, status }: WorkAnswer): boolean {
  return (status === 401 || status === 403) && body['code'] !== 'WRONG_CLAIM';
}

function troubleOf(answer: WorkAnswer | Error): string {
  if (answer instanceof Error) return answer.message;
  return `the gateway answered ${refusalOf(answer)}`;
}

/** A refusal in words: `409 LEASE_LOST: the attempt has timed out`. */
export function refusalOf({ body, status }: WorkAnswer): string {
  const { code, detail } = body;
  const words = typeof detail === 'string' ? `: ${detail}` : '';
  return typeof code === 'string' ? `${status} ${code}${words}` : `${status}`;
}
