import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { DynamicModule, LoggerService, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { SystemClock } from '#machine';
import { needOf, type RefusedSignIns } from '#access';
import type { Clock } from '#ports';
import { compressAnswer, endLine, spareKnown } from './answer-form.js';
import { auditHook, type AuditOptions } from './audit-hook.js';
import { overloaded, refusalOfBody } from './body-room.js';
import { BodyTaker } from './body-taker.js';
import { isWrongType, wrongType } from './json-body.js';
import { clientErrorAnswers, expectationAnswers } from './client-error.js';
import { ConnectionRooms, type RoomOptions, roomsOf } from './connection-rooms.js';
import {
  isPreflight,
  type OriginOptions,
  OriginRules,
  preflightHeaders,
  sharedHeaders,
} from './origin-rules.js';
import { PeerCertificates } from './peer-certificates.js';
import { type OnFault, ProblemFilter } from './problem-of.js';
import { Problem } from './problems.js';
import { hasUnreadBody, headFault, hidesWords, plainTarget, requestIds } from './request-head.js';
import type { RequestLimits } from './request-limits.js';
import { readablePath, RouteTable } from './route-table.js';
import { type RouteWishes, takesFaults, takesText, wishesOf } from './route-wishes.js';
import { type AccessGate, admit, type Door } from './access-gate.js';
import { pathOf, safeHeaders } from './send-problem.js';
import { serverOptions, type TlsPair } from './server-options.js';

/** Options of a process's listener. */
export interface HttpAppOptions extends HttpAdapterOptions {
  /** Gets errors that are Backstep's own fault, with the id of the request. */
  readonly onFault: OnFault;
  /** Nest's own log; none by default. */
  readonly logger?: LoggerService | false;
}

/** A Nest application on its listener, and the routes it has. */
export interface HttpApp {
  readonly app: NestFastifyApplication;
  readonly adapter: HttpAdapter;
}

/** Options of a listener. */
interface HttpAdapterOptions {
  /** Largest body, in bytes, of a route without wishes. */
  readonly bodyLimit: number;
  /** Begins the ids of requests that bring none: unique to this process. */
  readonly idPrefix: string;
  /** By which names it may be asked. Default: as on 127.0.0.1. */
  readonly origins?: OriginOptions;
  /** It speaks HTTPS with these. Default: plain HTTP. */
  readonly tls?: TlsPair;
  /** How many connections it may have. Default: as on a socket in the file system. */
  readonly rooms?: RoomOptions;
  /** Asks requests whose they are. Default: nobody is asked. */
  readonly access?: AccessGate;
  /** How much one client may ask for. Default: as much as it likes. */
  readonly limits?: RequestLimits;
  /** Writes down what was shown and not accepted. Default: nothing is written. */
  readonly refused?: Pick<RefusedSignIns, 'note'>;
  /** Writes down who did what. Default: nothing is written. */
  readonly audit?: AuditOptions;
  /** Default: the machine's. */
  readonly clock?: Clock;
}

/** Options of Fastify that are the same for all listeners. */
const HABITS = {
  requestIdHeader: false,
  requestTimeout: 60_000,
  keepAliveTimeout: 75_000,
  // While stopping, requests on open connections are still answered.
  return503OnClosing: false,
  // As long as a head may be: each route says itself what is wrong with a part of its address.
  routerOptions: { maxParamLength: 16_384 },
  rewriteUrl: ({ url = '/' }: { readonly url?: string | undefined }) => plainTarget(url),
  // No middleware is used, and looking for some costs every request.
  skipMiddie: true,
} as const;

/** Fastify as Backstep uses it: strict about input, and with every error as a problem. */
class HttpAdapter extends FastifyAdapter {
  readonly routes = new RouteTable();
  /** The certificates that its clients have shown. */
  readonly certificates: PeerCertificates;
  private readonly bodies: BodyTaker;
  private readonly origins: OriginRules;
  private readonly rooms: ConnectionRooms;
  private readonly door: Door;

  constructor(
    {
      access,
      audit,
      bodyLimit,
      clock,
      idPrefix,
      limits,
      origins,
      refused,
      rooms,
      tls,
    }: HttpAdapterOptions,
    private readonly problems: ProblemFilter,
  ) {
    const idOf = requestIds(idPrefix);
    super({
      ...HABITS,
      ...serverOptions(tls),
      bodyLimit,
      genReqId: idOf,
      clientErrorHandler: clientErrorAnswers(() => idOf({ headers: {} })),
      frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) =>
        problems.answer(error, request, reply),
    });
    const fastify = this.fastify();
    const ticking = clock ?? new SystemClock();
    this.bodies = new BodyTaker({ bodyLimit, clock: ticking, limits: limits ?? null });
    this.origins = new OriginRules(origins ?? { listener: '127.0.0.1', hosts: [] });
    this.certificates = new PeerCertificates(fastify.server, tls);
    this.door = {
      gate: access ?? null,
      limits: limits ?? null,
      refused: refused ?? null,
      certificates: this.certificates,
    };
    this.rooms = new ConnectionRooms(rooms ?? roomsOf(null));
    this.rooms.guard(fastify.server);
    hearAll(fastify.server, idOf);
    fastify.addHook('onRoute', (route) => this.onRoute(route, bodyLimit));
    if (audit !== undefined) fastify.addHook('onRoute', (route) => addAudit(route, audit));
    fastify.addHook('onRequest', (request, reply, done) => this.meet(request, reply, done));
    for (const hook of [endLine, spareKnown, compressAnswer]) fastify.addHook('onSend', hook);
    fastify.addHook('preClose', async () => this.rooms.close(ticking));
    this.bodies.serve(fastify);
  }

  /** Lets a request in, or says why not. */
  private meet(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
    reply.header('x-request-id', request.id).headers(safeHeaders(request));
    const { origin } = request.headers;
    const isShared = this.origins.isShared(origin);
    if (isShared) reply.headers(sharedHeaders(origin));
    const isUnread = hasUnreadBody(request.raw);
    // Nothing takes it off the connection.
    if (isUnread) reply.header('connection', 'close');
    const refusal = this.refusalOf(request, isUnread);
    if (refusal !== null) return done(refusal);
    if (isShared && isPreflight(request)) return this.answerPreflight(request, reply, done);
    this.bodies.expect(request, reply);
    admit(this.door, request, done);
  }

  /** Nest's parsers are not used. */
  override registerParserMiddleware(): void {
    // Done in the constructor.
  }

  override setErrorHandler(): FastifyInstance {
    return this.fastify().setErrorHandler((error, request, reply) => {
      // Fastify finds fault with a body before it says that nothing takes it.
      const isNowhere = request.is404 && !(error instanceof Problem);
      const told = isWrongType(error) ? wrongType(takesText(request)) : error;
      this.problems.answer(isNowhere ? this.notFound(request) : told, request, reply);
    });
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
    const wishes = (route.config ?? {}) as RouteWishes;
    const { bodyFactor } = wishes;
    if (this.door.gate !== null) {
      const [method = 'GET'] = [route.method].flat();
      const { need = needOf(method, readablePath(route.url)) } = wishes;
      route.config = { ...wishes, need };
    }
    if (bodyFactor !== undefined) route.bodyLimit = bodyLimit * bodyFactor;
  }

  /** The refusal that can be given before the body is read; null: none. */
  private refusalOf(request: FastifyRequest, isUnread: boolean): Problem | null {
    const { headers, originalUrl, raw, socket } = request;
    const unheard = headFault(raw);
    if (unheard !== null) return unheard;
    // Where only other methods are taken, that is the answer.
    if (!request.is404 && isUnread) return bodyOfRead(request);
    if (this.rooms.isReserve(socket) && !wishesOf(request).isHealth) {
      return overloaded('All connections are busy.');
    }
    // Old probes name no host, and no browser asks so.
    const isOldProbe = headers.host === undefined && wishesOf(request).isHealth === true;
    const foreign = isOldProbe ? null : this.origins.refusal(request, isVisit(request));
    if (foreign !== null) return foreign;
    if (hidesWords(originalUrl, request.routeOptions.url)) {
      const detail = 'There is nothing at this address: it percent-encodes a word of its path.';
      return new Problem('NOT_FOUND', detail);
    }
    const hasBody = (headers['content-length'] ?? headers['transfer-encoding']) !== undefined;
    const takesAll = request.is404 || takesFaults(request);
    return hasBody && !takesAll ? refusalOfBody(request) : null;
  }

  /** A browser asks before a page of a listed origin does; nobody says yet who they are. */
  private answerPreflight(
    request: FastifyRequest,
    reply: FastifyReply,
    done: (error?: Error) => void,
  ): void {
    const tooMany = this.door.limits?.ofAddress(request.socket) ?? null;
    if (tooMany !== null) return done(tooMany);
    const methods = this.routes.methodsOf(pathOf(request.url));
    reply.code(204).headers(preflightHeaders(methods)).send();
  }

  private notFound({ method, url }: FastifyRequest): Problem {
    const allow = this.routes.methodsOf(pathOf(url)).join(', ');
    if (allow === '') {
      const near = this.routes.namesakesOf(pathOf(url)).join(' or ');
      const hint = near === '' ? '' : ` Perhaps you mean ${near}.`;
      return new Problem('NOT_FOUND', `There is nothing at this address.${hint}`);
    }
    const detail = `This address takes ${allow}, not ${method}.`;
    return new Problem('METHOD_NOT_ALLOWED', detail, { headers: { allow } });
  }
}

/** Beyond this number Node would drop headers without a word; their bytes are bounded. */
function hearAll(server: FastifyInstance['server'], idOf: ReturnType<typeof requestIds>): void {
  server.maxHeadersCount = 0;
  server.on('checkExpectation', expectationAnswers(idOf));
}

/** Where nothing is to be written down, a route has nothing more to do. */
function addAudit(route: RouteOptions, audit: AuditOptions): void {
  const [method = 'GET'] = [route.method].flat();
  const hook = auditHook(`${method} ${readablePath(route.url)}`, audit);
  if (hook !== null) route.onSend = [...[route.onSend ?? []].flat(), hook];
}

function bodyOfRead({ method }: FastifyRequest): Problem {
  const detail = `A ${method} request has no body: its parameters stand in the address.`;
  return new Problem('INVALID_REQUEST', detail);
}

/** A person's browser opens a page: not a script, and not into a frame. */
function isVisit(request: FastifyRequest): boolean {
  const { headers, method } = request;
  if (headers['sec-fetch-mode'] !== 'navigate' || headers['sec-fetch-dest'] !== 'document') {
    return false;
  }
  return method === 'GET' && wishesOf(request).isPage === true;
}

/**
 * Makes the Nest application of a process: every error is a problem of the catalogue, bodies are
 * strict JSON within their limits, every answer has its request's id. It does not listen yet.
 */
export async function createHttpApp(
  module: Type | DynamicModule,
  { onFault, logger = false, ...options }: HttpAppOptions,
): Promise<HttpApp> {
  const filter = new ProblemFilter(onFault);
  const adapter = new HttpAdapter(options, filter);
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger,
    abortOnError: false,
  });
  app.useGlobalFilters(filter);
  return { app, adapter };
}
