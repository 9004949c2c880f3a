import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '#ports';
import { collectGarbage } from '#seams/node';
import { callerOf, principalOf } from './access-gate.js';
import { BodyRoom, LARGE_BODY_BYTES, LargeBodies, refusalOfBody } from './body-room.js';
import {
  type BodyTerms,
  checkType,
  decodeBody,
  nextTurn,
  parseBody,
  parseLargeBody,
} from './json-body.js';
import { trailerFault } from './request-head.js';
import type { RequestLimits } from './request-limits.js';
import { takesFaults, takesText, wishesOf } from './route-wishes.js';
import { bodyFault } from './signed-request.js';
import { Problem } from './problems.js';

/** Most bytes that all bodies may take together while they are read. */
const BODIES_BYTES = 64 * 1024 * 1024;

interface BodyTakerParts {
  /** Largest body, in bytes, where no route is found. */
  readonly bodyLimit: number;
  readonly clock: Clock;
  /** Counts the bytes of each caller; null: nothing does. */
  readonly limits: RequestLimits | null;
}

type BodyTaken = (error: Error | null, body?: unknown) => void;

/** Reads the bodies of requests, within what all of them may take, and has them parsed. */
export class BodyTaker {
  private readonly bodies: BodyRoom;
  private readonly largeBodies: LargeBodies;
  /** Of requests that may have large bodies. */
  private readonly replies = new WeakMap<FastifyRequest, ServerResponse>();

  constructor(private readonly parts: BodyTakerParts) {
    const { clock } = parts;
    this.bodies = new BodyRoom({ clock, bytes: BODIES_BYTES });
    this.largeBodies = new LargeBodies({ clock, collectGarbage });
  }

  /** Takes all bodies of a listener. */
  serve(fastify: FastifyInstance): void {
    fastify.removeAllContentTypeParsers();
    const types = ['application/json', 'application/jsonc'];
    // By callback: a promise for every body would cost more than the reading.
    fastify.addContentTypeParser(types, (request, payload, done) => {
      const refusal = takesFaults(request) ? refusalOfBody(request) : null;
      if (refusal !== null) return done(null, refusal);
      this.bodies.read(payload, {
        limit: request.is404 ? this.parts.bodyLimit : request.routeOptions.bodyLimit,
        done: (error, body) => {
          if (body === undefined) refuseBody(request, error, done);
          else this.take(request, body, done);
        },
      });
    });
    fastify.addHook('onClose', async () => this.bodies.close());
  }

  /** A request was let in whose body may come. */
  expect(request: FastifyRequest, reply: FastifyReply): void {
    if (mayBeLarge(request)) this.replies.set(request, reply.raw);
  }

  private take(request: FastifyRequest, body: Buffer, done: BodyTaken): void {
    const fault = trailerFault(request.raw) ?? bodyFault(request, body);
    if (fault !== null) return done(fault);
    // Clients announce a type also where they send nothing.
    if (body.length === 0) return done(null);
    this.parts.limits?.countBody(principalOf(request), body.length);
    if (body.length > LARGE_BODY_BYTES) this.takeLarge(request, body, done);
    else takeBody(request, body, done);
  }

  /** Its bytes stay counted until it is worked off. */
  private takeLarge(request: FastifyRequest, body: Buffer, done: BodyTaken): void {
    this.bodies.keep(body.length);
    this.largeBodies.enter({
      bytes: body.length,
      caller: callerOf(request),
      reply: this.replies.get(request) ?? request.raw,
      start: (gone) => {
        if (gone === null) void takeWholeBody(request, body, done);
        else done(gone);
      },
      end: () => this.bodies.give(body.length),
    });
  }
}

/** Whether its body may be one that waits for its turn. */
function mayBeLarge({ headers }: FastifyRequest): boolean {
  const length = headers['content-length'];
  if (length === undefined) return headers['transfer-encoding'] !== undefined;
  return Number(length) > LARGE_BODY_BYTES;
}

function takeBody(request: FastifyRequest, body: Buffer, done: BodyTaken): void {
  let value: unknown;
  try {
    checkType(request, takesText(request));
    value = takesText(request) ? decodeBody(body) : parseBody(body, termsOf(request));
  } catch (error) {
    return refuseBody(request, error as Error, done);
  }
  done(null, value);
}

function termsOf(request: FastifyRequest): BodyTerms {
  const maySeal = wishesOf(request).takesSealed === true;
  return { longest: request.routeOptions.bodyLimit, maySeal };
}

function refuseBody(request: FastifyRequest, error: Error | null, done: BodyTaken): void {
  if (takesFaults(request) && error instanceof Problem) done(null, error);
  else done(error);
}

async function takeWholeBody(
  request: FastifyRequest,
  body: Buffer,
  done: BodyTaken,
): Promise<void> {
  let value: unknown;
  try {
    value = await readLargeBody(request, body);
  } catch (error) {
    return refuseBody(request, error as Error, done);
  }
  done(null, value);
}

/** In turns of the event loop, as it takes long. */
async function readLargeBody(request: FastifyRequest, body: Buffer): Promise<unknown> {
  checkType(request, takesText(request));
  if (!takesText(request)) return parseLargeBody(body, termsOf(request));
  await nextTurn();
  return decodeBody(body);
}
