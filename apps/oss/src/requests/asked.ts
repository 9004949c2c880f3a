import {
  createParamDecorator,
  type ExecutionContext,
  HttpCode,
  RequestMapping,
  RequestMethod,
} from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import type { Principal } from '#access';
import { emptyBody, invalidRequest, principalOf } from '#http-server';
import { isJsonObject } from './decorators.js';
import { actorOf, expectProtocol } from './headers.js';
import { RequestQuery } from './request-query.js';
import type { JsonAnswer, Route } from './route.js';
import type { Shown } from './shown.js';

/** A request as its route declares it: the argument of a handler. */
export interface Asked<R extends Route = Route> {
  /** The route that was asked for. */
  readonly route: R;
  /** The parts of its path, decoded. */
  readonly path: { readonly [Name in PartOf<R['at']>]: string };
  readonly query: QueryOf<R>;
  /**
   * A late one is read when the handler asks for it: what the caller does not see does not exist,
   * whatever the body. It throws the `Problem` of a body that does not fit.
   */
  readonly body: BodyOf<R>;
  /** The caller, with its rights. */
  readonly principal: Principal;
  /** The name under which the caller acts; checked like the body. */
  readonly actor: string;
  /** For its headers and its connection. */
  readonly request: FastifyRequest;
}

/** Names of the parts of a path, as in `/v1/tasks/{taskId}`. */
type PartOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PartOf<Rest>
  : never;

type QueryOf<R extends Route> = R extends { readonly query: { read(raw: unknown): infer Value } }
  ? Value
  : undefined;

type BodyOf<R extends Route> = R extends {
  readonly body: { readonly reader?: { read(body: unknown): infer Value } };
}
  ? Value
  : undefined;

/** The result of a method that serves a route, unless it sends the answer by itself. */
type AnswerOf<R extends Route> = [SchemaOf<R>] extends [never] ? unknown : Shown<SchemaOf<R>>;

/** Names of the schemas of its answers. */
type SchemaOf<R extends Route> = R['answers'][keyof R['answers']] extends infer One
  ? One extends JsonAnswer<infer Name>
    ? Name
    : never
  : never;

/** A method that serves a route; it may take Nest's own arguments besides. */
type Handler<R extends Route> = (
  asked: Asked<R>,
  ...more: never[]
) => AnswerOf<R> | Promise<AnswerOf<R> | void> | void;

type HandlerDecorator<R extends Route> = <H extends Handler<R>>(
  target: object,
  name: string,
  method: TypedPropertyDescriptor<H>,
) => void;

/**
 * Has a method of a controller serve a route, or several routes of one method and one right. Its
 * first argument is the request as the route declares it; one that does not fit is refused before
 * the method is called.
 */
export function Handles<const R extends Route>(...routes: readonly R[]): HandlerDecorator<R> {
  const [first] = routes;
  if (first === undefined) throw new Error('a handler serves at least one route');
  const served = new Map(routes.map((route) => [routerPath(route), route]));
  const status = statusOf(first);
  return (target, name, method) => {
    ASKED(served)(target, name, 0);
    const decorators = [
      RequestMapping({ path: [...served.keys()], method: METHODS[methodOf(first)] }),
      RouteConfig(configOf(first)),
      ...(status === undefined ? [] : [HttpCode(status)]),
    ];
    for (const decorate of decorators) decorate(target, name, method);
  };
}

const METHODS = {
  DELETE: RequestMethod.DELETE,
  GET: RequestMethod.GET,
  POST: RequestMethod.POST,
  PUT: RequestMethod.PUT,
} as const;

function methodOf({ at }: Route): keyof typeof METHODS {
  return at.slice(0, at.indexOf(' ')) as keyof typeof METHODS;
}

/** The path as the router writes it: `/v1/tasks/:taskId([^:]+)::rollback`. */
function routerPath({ at }: Route): string {
  const path = at.slice(at.indexOf(' ') + 1).replaceAll(':', '::');
  // The name of a worker may have colons, and no verb follows it.
  return path.replace('{worker}', ':worker(.+)').replaceAll(/\{(\w+)\}/g, ':$1([^:]+)');
}

/** The status of a usual answer; undefined: every answer leads elsewhere. */
function statusOf({ answers }: Route): number | undefined {
  return Object.keys(answers)
    .map(Number)
    .find((status) => status < 300);
}

/** The wishes of a route, as the adapter of HTTP reads them. */
function configOf({ body, isPage, need, parameters = [] }: Route): object {
  return {
    need,
    isTagged: parameters.includes('knownAnswer'),
    ...(isPage && { isPage }),
    ...(body?.factor !== undefined && { bodyFactor: body.factor }),
    ...(body?.isText && { takesText: true }),
    ...(body?.takesFaults && { takesFaults: true }),
    ...(body?.takesSealed && { takesSealed: true }),
  };
}

type Served = ReadonlyMap<string, Route>;

const ASKED = createParamDecorator((served: Served, context: ExecutionContext) => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  return new RouteRequest(served.get(request.routeOptions.url ?? '')!, request);
});

const NO_QUERY = new RequestQuery({});

/** A request, read as its route says. */
class RouteRequest implements Asked {
  readonly query: undefined;
  private isRead = false;
  private read: unknown;
  private name: string | undefined;

  constructor(
    readonly route: Route,
    readonly request: FastifyRequest,
  ) {
    const { body, need, parameters = [], query } = route;
    if (parameters.includes('Backstep-Worker-Protocol')) expectProtocol(request.headers);
    this.query = (query ?? NO_QUERY).read(request.query) as undefined;
    if (!route.at.startsWith('GET ')) expectNoOtherCondition(route, request);
    if (route.actsAgain === true) expectNo('Idempotency-Key', request);
    if (body !== undefined && (need.about === 'task' || body.isLate === true)) return;
    this.readBody();
    if (parameters.includes('X-Backstep-Actor')) this.readActor();
  }

  get path(): Readonly<Record<string, string>> {
    return this.request.params as Readonly<Record<string, string>>;
  }

  get body(): undefined {
    return this.readBody() as undefined;
  }

  get principal(): Principal {
    return principalOf(this.request);
  }

  get actor(): string {
    return this.readActor();
  }

  private readBody(): unknown {
    if (!this.isRead) this.read = bodyOf(this.route, this.request);
    this.isRead = true;
    return this.read;
  }

  private readActor(): string {
    return (this.name ??= actorOf(this.request));
  }
}

/** A condition that the route does not know would be dropped, and the request carried out. */
function expectNoOtherCondition({ parameters = [] }: Route, request: FastifyRequest): void {
  if (!parameters.includes('If-Match')) expectNo('If-Match', request);
}

function expectNo(header: string, { headers }: FastifyRequest): void {
  if (headers[header.toLowerCase()] === undefined) return;
  throw invalidRequest({ pointer: `/${header}`, message: `\`${header}\` has no meaning here.` });
}

function bodyOf({ body }: Route, { body: raw, headers }: FastifyRequest): unknown {
  const isMissing = needsJson(body) && raw === undefined;
  if (isMissing && headers['content-type'] !== undefined) throw emptyBody();
  if (body === undefined && !isEmpty(raw)) {
    throw invalidRequest({ pointer: '', message: 'This address takes no body.' });
  }
  const given = body?.required === false ? (raw ?? {}) : raw;
  return body?.reader === undefined ? given : body.reader.read(given);
}

/** The handler of a text judges by itself that there is none. */
function needsJson(body: Route['body']): boolean {
  return body !== undefined && body.required !== false && body.isText !== true;
}

function isEmpty(raw: unknown): boolean {
  return raw === undefined || raw === null || (isJsonObject(raw) && Object.keys(raw).length === 0);
}
