import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { FairLine } from '#core';
import { callerOf, Problem } from '#http-server';
import type { Timer } from '#ports';
import { OSS_OPTIONS, type OssOptions } from '../options.js';

/** How much of one kind of work is done at a time. */
interface WorkBounds {
  /** Requests of one caller. */
  readonly perCaller: number;
  /** Requests of all callers. */
  readonly inAll: number;
  /** Further requests of one caller that wait for their turn; more are refused. */
  readonly waiting: number;
  /** So long they wait, in milliseconds; then they are refused. */
  readonly waitMs: number;
  /** After so long their signal is aborted; absent: only when the client goes. */
  readonly workMs?: number;
}

/**
 * The kinds of work that grow with what a request sends, or with what is stored. `plan`: of a task
 * that is not there yet, or of an action that nobody has taken, with its expressions. `check`: of
 * texts of flows. `read`: of many stored documents or entries for one answer. `export`: of whole
 * tasks. `send`: of messages to elsewhere. `backup`: of the whole store.
 */
const BOUNDS = {
  plan: { perCaller: 2, inAll: 4, waiting: 8, waitMs: 500, workMs: 2_000 },
  check: { perCaller: 2, inAll: 4, waiting: 16, waitMs: 5_000 },
  read: { perCaller: 4, inAll: 16, waiting: 1_000, waitMs: 5_000 },
  export: { perCaller: 2, inAll: 4, waiting: 8, waitMs: 1_000 },
  send: { perCaller: 2, inAll: 8, waiting: 8, waitMs: 5_000 },
  backup: { perCaller: 1, inAll: 1, waiting: 8, waitMs: 5_000 },
} as const satisfies Readonly<Record<string, WorkBounds>>;

/** A kind of work that is bounded. */
type WorkKind = keyof typeof BOUNDS;

/** Requests that may wait in all for one kind of work. */
const WAITING_MAX = 10_000;

/** Work that was begun for a request. */
export interface BegunWork {
  /** Aborted when the client has gone, or the time for the work is over. */
  readonly signal: AbortSignal;
  /** Gives the place back; safe to call twice. */
  readonly leave: () => void;
}

/**
 * Gives requests their turns at work that is costly: few of one caller at a time, few in all, turn
 * by turn over callers. The work of a request ends with its connection.
 */
@Injectable()
export class RequestWork {
  private readonly places = new Map(
    Object.entries(BOUNDS).map(([kind, bounds]) => [kind, new Places(bounds)]),
  );

  constructor(@Inject(OSS_OPTIONS) private readonly options: Pick<OssOptions, 'clock'>) {}

  /**
   * Does some work once it is its turn. Throws what the work throws, and the `Problem` of
   * `begin`.
   */
  async run<T>(
    request: FastifyRequest,
    kind: WorkKind,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { leave, signal } = await this.begin(request, kind);
    try {
      return await work(signal);
    } finally {
      leave();
    }
  }

  /**
   * Waits for the turn of a request. Throws the `Problem` that too many wait, that it has waited
   * for too long, or that its client has gone.
   */
  async begin(request: FastifyRequest, kind: WorkKind): Promise<BegunWork> {
    const { socket } = request;
    const { waitMs, workMs }: WorkBounds = BOUNDS[kind];
    const places = this.places.get(kind)!;
    const { clock } = this.options;
    if (socket.destroyed) throw clientGone();
    const ended = new AbortController();
    const hangUp = (): void => ended.abort();
    socket.once('close', hangUp);
    let timer: Timer | null = clock.after(waitMs, () => seat.refuse(tooMany()));
    const seat = places.enter(callerOf(request));
    const goAway = (): void => seat.refuse(clientGone());
    ended.signal.addEventListener('abort', goAway, { once: true });
    const leave = (): void => {
      timer?.cancel();
      timer = null;
      socket.off('close', hangUp);
      seat.leave();
    };
    try {
      await seat.taken;
    } catch (refusal) {
      leave();
      throw refusal;
    }
    timer?.cancel();
    timer = workMs === undefined ? null : clock.after(workMs, () => ended.abort());
    return { signal: ended.signal, leave };
  }
}

/** A place for one request. */
class Seat {
  readonly taken: Promise<void>;
  state: 'waiting' | 'taken' | 'over' = 'waiting';
  private resolve!: () => void;
  private reject!: (refusal: Problem) => void;

  constructor(
    readonly caller: string,
    private readonly places: Places,
  ) {
    this.taken = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  take(): void {
    this.state = 'taken';
    this.resolve();
  }

  /** It waits no longer; nothing where it has been taken. */
  refuse(refusal: Problem): void {
    if (this.state !== 'waiting') return;
    this.state = 'over';
    this.places.forget(this);
    this.reject(refusal);
  }

  /** Nothing where it was not taken. */
  leave(): void {
    if (this.state !== 'taken') return;
    this.state = 'over';
    this.places.free(this);
  }
}

/** The places of one kind of work. */
class Places {
  private readonly taken = new Map<string, number>();
  private inAll = 0;
  private readonly line = new FairLine<string, Seat>();

  constructor(private readonly bounds: WorkBounds) {}

  enter(caller: string): Seat {
    const seat = new Seat(caller, this);
    this.line.add(caller, seat);
    this.fill();
    if (this.line.sizeOf(caller) > this.bounds.waiting) seat.refuse(tooMany());
    if (this.line.size > WAITING_MAX) this.line.removeFromLongest()?.refuse(tooMany());
    return seat;
  }

  forget(seat: Seat): void {
    this.line.remove(seat.caller, seat);
  }

  free({ caller }: Seat): void {
    const left = (this.taken.get(caller) ?? 1) - 1;
    if (left === 0) this.taken.delete(caller);
    else this.taken.set(caller, left);
    this.inAll -= 1;
    this.fill();
  }

  private fill(): void {
    while (this.inAll < this.bounds.inAll) {
      const seat = this.line.next((caller) => this.countOf(caller) < this.bounds.perCaller);
      if (seat === undefined) return;
      this.inAll += 1;
      this.taken.set(seat.caller, this.countOf(seat.caller) + 1);
      seat.take();
    }
  }

  private countOf(caller: string): number {
    return this.taken.get(caller) ?? 0;
  }
}

function tooMany(): Problem {
  const detail = 'Too many requests wait for work of this kind.';
  return new Problem('TOO_MANY_REQUESTS', detail, { headers: { 'retry-after': '2' } });
}

/** The problem of work that nobody waits for any more. */
export function clientGone(): Problem {
  return new Problem('INVALID_REQUEST', 'The client has gone.');
}
