import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { answerClientError } from './client-error.js';
import { decodeBody, parseBody } from './json-body.js';
import type { ProblemFilter } from './problem.filter.js';
import { Problem } from './problems.js';
import { requestIds } from './request-ids.js';
import { RouteTable } from './route-table.js';
import { pathOf } from './send-problem.js';

/** What a route may ask for, by `@RouteConfig`. */
export interface RouteWishes {
  /** Takes bodies that are this many times as large as others. */
  readonly bodyFactor?: number;
  /** Gets the body as text, not as what JSON makes of it; any kind of text will do. */
  readonly takesText?: boolean;
}

/** What a listener is made with. */
export interface HttpAdapterOptions {
  /** Largest body, in bytes, of a route without wishes. */
  readonly bodyLimit: number;
  /** Begins the ids of requests that bring none: unique to this process. */
  readonly idPrefix: string;
}

/** A body beyond this is not even read to be thrown away: the connection is closed instead. */
const READ_AWAY_MAX = 16 * 1024 * 1024;

/** Some clients escape the colon of `/v1/tasks:batch`; to the router that is another letter. */
const ESCAPED_VERB = /%3A(?=[a-z]+(?:\?|$))/i;

const TEXT_TYPES = ['text/plain', 'application/jsonc'];

/** Fastify as Backstep uses it: strict about input, and with every error as a problem. */
export class HttpAdapter extends FastifyAdapter {
  readonly routes = new RouteTable();

  constructor(
    { bodyLimit, idPrefix }: HttpAdapterOptions,
    private readonly problems: ProblemFilter,
  ) {
    super({
      bodyLimit,
      genReqId: requestIds(idPrefix),
      requestIdHeader: false,
      requestTimeout: 60_000,
      keepAliveTimeout: 75_000,
      // While stopping, requests on open connections are still answered.
      return503OnClosing: false,
      routerOptions: { maxParamLength: 256 },
      rewriteUrl: ({ url = '/' }) => url.replace(ESCAPED_VERB, ':'),
      clientErrorHandler: answerClientError,
      frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) =>
        problems.answer(error, request, reply),
      // No middleware is used, and looking for some costs every request.
      skipMiddie: true,
    });
    const fastify = this.fastify();
    fastify.addHook('onRoute', (route) => this.onRoute(route, bodyLimit));
    fastify.addHook('onRequest', guard);
    this.takeBodies(fastify);
  }

  /** Nest's parsers are not used. */
  override registerParserMiddleware(): void {
    // Done in the constructor.
  }

  override setErrorHandler(): FastifyInstance {
    return this.fastify().setErrorHandler((error, request, reply) =>
      this.problems.answer(error, request, reply),
    );
  }

  override setNotFoundHandler(): FastifyInstance {
    return this.fastify().setNotFoundHandler((request, reply) =>
      this.problems.answer(this.notFound(request), request, reply),
    );
  }

  private fastify(): FastifyInstance {
    return this.getInstance<FastifyInstance>();
  }

  private onRoute(route: RouteOptions, bodyLimit: number): void {
    for (const method of [route.method].flat()) this.routes.add({ method, url: route.url });
    const { bodyFactor } = (route.config ?? {}) as RouteWishes;
    if (bodyFactor !== undefined) route.bodyLimit = bodyLimit * bodyFactor;
  }

  private takeBodies(fastify: FastifyInstance): void {
    fastify.removeAllContentTypeParsers();
    fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, takeBody);
    fastify.addContentTypeParser(TEXT_TYPES, { parseAs: 'buffer' }, takeBody);
  }

  private notFound({ method, url }: FastifyRequest): Problem {
    const path = pathOf(url);
    const methods = this.routes.methodsOf(path);
    if (methods.length === 0) return new Problem('NOT_FOUND', 'There is nothing at this address.');
    const allow = methods.join(', ');
    const headers = { allow };
    return new Problem('METHOD_NOT_ALLOWED', `It takes ${allow}, not ${method}.`, { headers });
  }
}

/** What can be said before the body is read. */
function guard(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
  reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
  const { headers } = request;
  if (headers['content-length'] === undefined || request.is404) return done();
  const limit = request.routeOptions.bodyLimit;
  const length = Number(headers['content-length']);
  if (length > limit) return done(tooLarge(length, limit));
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity') return done();
  done(new Problem('UNSUPPORTED_MEDIA_TYPE', 'Compressed bodies are not taken.'));
}

function tooLarge(length: number, limit: number): Problem {
  const detail = `The body has ${length} bytes; at most ${limit} are taken.`;
  const headers: Record<string, string> = length > READ_AWAY_MAX ? { connection: 'close' } : {};
  return new Problem('PAYLOAD_TOO_LARGE', detail, { headers });
}

/** By callback: a promise for every body would cost more than the reading. */
function takeBody(
  request: FastifyRequest,
  body: Buffer,
  done: (error: Error | null, body?: unknown) => void,
): void {
  let value: unknown;
  try {
    value = readBody(request, body);
  } catch (error) {
    return done(error as Error);
  }
  done(null, value);
}

function readBody(request: FastifyRequest, body: Buffer): unknown {
  const { takesText = false } = request.routeOptions.config as RouteWishes;
  if (takesText) return decodeBody(body);
  const type = request.headers['content-type'] ?? '';
  if (type === 'application/json') return parseBody(body);
  if (!/^application\/json\s*(;\s*charset="?utf-?8"?\s*)?;?$/i.test(type.trim())) {
    throw new Problem('UNSUPPORTED_MEDIA_TYPE', 'Only application/json in UTF-8 is taken.');
  }
  return parseBody(body);
}
