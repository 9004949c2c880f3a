import type { HttpRoutes } from '../../../../schemas/http-api.js';
import { consoleHeader } from './console-header.js';
import { hearServerTime } from '../browser/clock.js';
import type { ProblemBody } from './shapes.js';

const JSON_TYPE = 'application/json';

/** Backstep answered, and refused. */
export class Refused extends Error {
  constructor(readonly problem: ProblemBody) {
    super(problem.detail ?? problem.title);
    this.name = 'Refused';
  }
}

/** Nothing answered, or something that is not ready: worth another try. */
class Away extends Error {
  override readonly name = 'Away';
}

const TOO_MANY = 429;

/** Whether the same request would be refused again; one that came too often is taken later. */
export function isForGood(error: unknown): error is Refused {
  return error instanceof Refused && error.problem.status !== TOO_MANY;
}

/** A route of the public interface: its method and path. */
export type At = keyof HttpRoutes;

/** A request to a route: what the route takes, its headers, and what ends it. */
export type Asked<A extends At> = Omit<HttpRoutes[A], 'answer' | 'query'> & {
  /** Parameters, or all of a query that stands in the address of a page. */
  readonly query?: QueryOf<A> | URLSearchParams;
} & Pick<Sent, 'headers' | 'signal'>;

type QueryOf<A extends At> = HttpRoutes[A] extends { readonly query?: infer Given } ? Given : never;

/** A request, whether the interface declares its route or a module has it. */
interface Sent {
  /** Parts of the path, by their names. */
  readonly path?: Readonly<Record<string, number | string>>;
  readonly query?: object;
  readonly body?: unknown;
  /** A body that is a text of a flow. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** The answer of a route; undefined: it has none, or none that the browser does not have. */
export function ask<A extends At>(at: A, asked: Asked<A>): Promise<HttpRoutes[A]['answer']> {
  return answerTo(at, asked as Sent);
}

/** The same of an address of a module, which the interface does not declare. */
export async function answerTo<T>(at: string, sent: Sent): Promise<T> {
  const response = await send(at, { ...sent, headers: { accept: JSON_TYPE, ...sent.headers } });
  if (response.status === 204 || response.status === 304) return undefined as T;
  const answer: unknown = await response.json().catch(() => null);
  if (response.ok && answer !== null) return answer as T;
  throw failureOf(response, answer);
}

/** The text that a route answers with; null: there is none. */
export async function textAt<A extends At>(at: A, asked: Asked<A>): Promise<string | null> {
  const response = await send(at, asked as Sent);
  if (response.ok) return response.text();
  if (response.status === 404) return null;
  throw failureOf(response, await response.json().catch(() => null));
}

/** Opens a stream of events; throws {@link Refused} or {@link Away} where there is none. */
export async function open<A extends At>(at: A, asked: Asked<A>): Promise<Response> {
  const headers = { accept: 'text/event-stream', ...asked.headers };
  const response = await send(at, { ...(asked as Sent), headers });
  if (!response.ok) throw failureOf(response, await response.json().catch(() => null));
  return response;
}

/** Sends a request as the console's; throws {@link Away} where nothing answers. */
export async function send(at: string, sent: Sent): Promise<Response> {
  const { body, headers, signal, text } = sent;
  const [method = '', named = ''] = at.split(' ');
  const type = text === undefined ? JSON_TYPE : 'application/jsonc';
  const content = body === undefined ? text : JSON.stringify(body);
  const typed = content === undefined ? {} : { 'content-type': type };
  try {
    const response = await fetch(addressOf(named, sent), {
      method,
      headers: { ...typed, ...headers, ...consoleHeader() },
      ...(content !== undefined && { body: content }),
      ...(signal !== undefined && { signal }),
      cache: 'no-store',
    });
    hearServerTime(response.headers.get('date'));
    return response;
  } catch (error) {
    throw signal?.aborted === true ? error : new Away('no answer');
  }
}

function addressOf(named: string, { path = {}, query = {} }: Sent): string {
  const whole = named.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    return encodeURIComponent(path[name] ?? '');
  });
  const known = Object.entries(query as Record<string, string>).filter(
    ([, value]) => value !== undefined,
  );
  const search = query instanceof URLSearchParams ? query : new URLSearchParams(known);
  return search.size === 0 ? whole : `${whole}?${search}`;
}

/** The error for a failed response: `Refused` for a 4xx with a problem's code, else `Away`. */
function failureOf({ status }: Response, body: unknown): Error {
  const problem = body as Partial<ProblemBody> | null;
  if (status >= 500 || typeof problem?.code !== 'string') return new Away(`status ${status}`);
  return new Refused(problem as ProblemBody);
}
