import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { FairLine } from '#core';
import type { Clock, Timer } from '#ports';
import { Problem } from './problems.js';

/** Limits on the bodies that are being read. */
interface BodyRoomOptions {
  readonly clock: Clock;
  /** Bytes of all bodies together. */
  readonly bytes: number;
}

/** One body that is to be read. */
interface BodyOrder {
  /** Most bytes it may have. */
  readonly limit: number;
  /** Called once, with the body or with why there is none. */
  readonly done: (error: Problem | null, body?: Buffer) => void;
}

/** Bytes that a piece of a body takes besides its content: many small pieces are not free. */
const PIECE_BYTES = 256;

/** Large bodies leave a quarter of the room to those that are smaller than this. */
const SMALL_BYTES = 64 * 1024;

const LARGE_SHARE = 0.75;

/** A body must be in within this number of seconds, and one more for each MiB that it may have. */
const BODY_SECONDS = 10;

const MIB = 1024 * 1024;

/** How often it is looked for bodies that are late. */
const LOOK_MS = 1_000;

/** How long a client may take to hear why its body is not wanted. */
const HEARING_SECONDS = 2;

/** Of a body that is not wanted, so much is read away, so that its client reads the answer. */
export const READ_AWAY_MAX = 16 * MIB;

/** Bodies of more bytes than this wait for their turn. */
export const LARGE_BODY_BYTES = 256 * 1024;

/**
 * A turn ends with the answer, or after so long: a request that waits for its task, or for a store
 * that is slow, needs no more memory for its body then.
 */
const TURN_MS = 1_000;

/**
 * After this number of bytes of large bodies the garbage is collected: what they were read into is
 * many times as large, and V8 would let it lie until its heap had grown by as much. Each time the
 * thread stands still for as long as the largest bodies take to be read, so it is not done after
 * each.
 */
const GARBAGE_BYTES = 32 * 1024 * 1024;

/** One large body, whose bytes are there. */
interface LargeBody {
  readonly bytes: number;
  /** Callers take turns. */
  readonly caller: string;
  /** Emits `close` when the request is answered, or its client is gone. */
  readonly reply: EventEmitter;
  /** Called when its turn comes; with a problem where its client went before. */
  readonly start: (gone: Problem | null) => void;
  /** Called when its turn is over. */
  readonly end: () => void;
}

interface LargeBodiesOptions {
  readonly clock: Clock;
  readonly collectGarbage: () => void;
}

/**
 * Reads the bodies of all requests of a process within one budget, so that clients which send
 * almost all of a body and fall silent cannot take the memory, nor keep what they have for long.
 */
export class BodyRoom {
  private readonly bodies = new Set<Body>();
  private timer: Timer | null = null;
  private taken = 0;

  constructor(private readonly options: BodyRoomOptions) {}

  /** Bytes that bodies in reading take now. */
  get bytes(): number {
    return this.taken;
  }

  /** Reads the body of a request. */
  read(payload: IncomingMessage, order: BodyOrder): void {
    this.bodies.add(new Body(this, payload, order));
    this.timer ??= this.options.clock.after(LOOK_MS, this.look);
  }

  /** Takes room for more of a body that has `length` bytes by now; false: there is none. */
  take(bytes: number, length: number): boolean {
    const share = length > SMALL_BYTES ? LARGE_SHARE : 1;
    if (this.taken + bytes > this.options.bytes * share) return false;
    this.taken += bytes;
    return true;
  }

  /** Counts a body that was read, and whose room was given back, until it is given back again. */
  keep(bytes: number): void {
    this.taken += bytes;
  }

  /** Gives room back. */
  give(bytes: number): void {
    this.taken -= bytes;
  }

  /** Forgets a body that is over. */
  leave(body: Body): void {
    this.bodies.delete(body);
  }

  /** Stops looking for bodies that are late. */
  close(): void {
    this.timer?.cancel();
    this.timer = null;
  }

  private readonly look = (): void => {
    this.timer = null;
    for (const body of this.bodies) body.secondPassed();
    if (this.bodies.size > 0) this.timer = this.options.clock.after(LOOK_MS, this.look);
  };
}

/** One body on its way in. */
class Body {
  private pieces: Buffer[] = [];
  private length = 0;
  private taken = 0;
  private secondsLeft: number;
  /** It is not wanted: what comes is thrown away. */
  private refused = false;
  private ended = false;

  constructor(
    private readonly room: BodyRoom,
    private readonly payload: IncomingMessage,
    private readonly order: BodyOrder,
  ) {
    this.secondsLeft = BODY_SECONDS + Math.floor(order.limit / MIB);
    payload.on('data', (piece: Buffer) => this.add(piece));
    payload.on('end', () => this.end());
    payload.on('error', () => this.breakOff());
    payload.on('close', () => this.breakOff());
  }

  /** Counts down; a body that is late is refused, and a client that does not hear it is cut off. */
  secondPassed(): void {
    this.secondsLeft -= 1;
    if (this.secondsLeft > 0) return;
    if (this.refused) {
      this.payload.destroy();
      return;
    }
    this.secondsLeft = HEARING_SECONDS;
    this.refuse(new Problem('BODY_TOO_SLOW', 'The body was not there in time.'));
  }

  private add(piece: Buffer): void {
    this.length += piece.length;
    if (this.refused) {
      if (this.length > READ_AWAY_MAX) this.payload.destroy();
      return;
    }
    if (this.length > this.order.limit) {
      this.refuse(tooLarge(this.length, this.order.limit));
      return;
    }
    const bytes = piece.length + PIECE_BYTES;
    if (!this.room.take(bytes, this.length)) {
      this.refuse(overloaded('Too many bodies are being read.'));
      return;
    }
    this.taken += bytes;
    this.pieces.push(piece);
  }

  private end(): void {
    if (this.ended) return;
    const { pieces } = this;
    const wanted = this.leave();
    if (!wanted) return;
    const [first] = pieces;
    const whole = pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces);
    this.order.done(null, whole);
  }

  private breakOff(): void {
    if (this.ended) return;
    if (this.leave()) this.order.done(new Problem('INVALID_REQUEST', 'The body broke off.'));
  }

  private refuse(problem: Problem): void {
    this.refused = true;
    this.letGo();
    this.order.done(problem);
  }

  /** Whether a handler still waits for the body. */
  private leave(): boolean {
    this.ended = true;
    this.letGo();
    this.room.leave(this);
    return !this.refused;
  }

  private letGo(): void {
    this.room.give(this.taken);
    this.taken = 0;
    this.pieces = [];
  }
}

/** The error for what there is no room for at the moment. */
export function overloaded(detail: string): Problem {
  return new Problem('OVERLOADED', detail, { headers: { 'retry-after': '1' } });
}

/** The refusal of a body by its headers, before it is read; null: it may come. */
export function refusalOfBody({ headers, routeOptions }: FastifyRequest): Problem | null {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    return new Problem('UNSUPPORTED_MEDIA_TYPE', 'Compressed bodies are not taken.');
  }
  const limit = routeOptions.bodyLimit;
  const length = Number(headers['content-length'] ?? 0);
  return length > limit ? tooLarge(length, limit) : null;
}

function tooLarge(length: number, limit: number): Problem {
  const detail = `The body is longer than the ${limit} bytes that are allowed here.`;
  const headers: Record<string, string> = length > READ_AWAY_MAX ? { connection: 'close' } : {};
  return new Problem('PAYLOAD_TOO_LARGE', detail, { headers });
}

/**
 * Lets one large body be worked on at a time, turn by turn over callers. A parsed body takes many
 * times its bytes, so what counts for memory is how many are in work; and two of them at once would
 * slow each other down, on one thread.
 */
export class LargeBodies {
  private readonly waiting = new FairLine<string, () => void>();
  private isWorking = false;
  private uncollected = 0;

  constructor(private readonly options: LargeBodiesOptions) {}

  /** Works on a body, at once where nobody is before it. */
  enter({ bytes, caller, end, reply, start }: LargeBody): void {
    let timer: Timer | null = null;
    let state: 'waiting' | 'working' | 'over' = 'waiting';
    const leave = (): void => {
      if (state !== 'working') return;
      state = 'over';
      timer?.cancel();
      this.isWorking = false;
      end();
      this.collect(bytes);
      this.next();
    };
    const begin = (): void => {
      state = 'working';
      this.isWorking = true;
      timer = this.options.clock.after(TURN_MS, leave);
      start(null);
    };
    reply.once('close', () => {
      if (!this.waiting.remove(caller, begin)) return leave();
      state = 'over';
      end();
      start(new Problem('INVALID_REQUEST', 'The client has gone.'));
    });
    this.waiting.add(caller, begin);
    this.next();
  }

  private collect(bytes: number): void {
    this.uncollected += bytes;
    if (this.uncollected < GARBAGE_BYTES) return;
    this.uncollected = 0;
    this.options.collectGarbage();
  }

  private next(): void {
    if (!this.isWorking) this.waiting.next()?.();
  }
}
