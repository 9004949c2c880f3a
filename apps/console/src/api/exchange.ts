import type { HttpApi } from '../../../../schemas/http-api.js';
import { consoleHeader } from './console-header.js';
import type { Json, ProblemBody } from './shapes.js';

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

/** A request of the public interface. */
interface Ask {
  readonly method?: string;
  readonly body?: Json;
  /** A body that is a text of a flow. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** A request as `fetch` takes it. */
type Sent = Omit<RequestInit, 'headers'> & Pick<Ask, 'headers'>;

function typeOf({ body, text }: Ask): Readonly<Record<string, string>> {
  if (text !== undefined) return { 'content-type': 'application/jsonc' };
  return body === undefined ? {} : { 'content-type': 'application/json' };
}

/** The answer that the OpenAPI document names so. */
export function answer<Name extends keyof HttpApi>(
  path: string,
  request: Ask,
): Promise<HttpApi[Name]> {
  return ask(path, request);
}

/** Whatever is answered. */
export async function ask<T>(path: string, request: Ask): Promise<T> {
  const { body, headers, method = 'GET', signal, text } = request;
  const response = await send(path, {
    method,
    headers: { accept: 'application/json', ...typeOf(request), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(text !== undefined && { body: text }),
    ...(signal !== undefined && { signal }),
  });
  // Nothing to say, or nothing that the browser does not have.
  if (response.status === 204 || response.status === 304) return undefined as T;
  const answer: unknown = await response.json().catch(() => null);
  if (response.ok && answer !== null) return answer as T;
  throw failureOf(response, answer);
}

/** Sends a request as the console's; throws {@link Away} where nothing answers. */
export async function send(path: string, init: Sent): Promise<Response> {
  try {
    const headers = { ...init.headers, ...consoleHeader() };
    return await fetch(path, { ...init, headers, cache: 'no-store' });
  } catch (error) {
    throw init.signal?.aborted === true ? error : new Away('no answer');
  }
}

/** The error for a failed response: `Refused` for a 4xx with a problem's code, else `Away`. */
export function failureOf({ status }: Response, body: unknown): Error {
  const problem = body as Partial<ProblemBody> | null;
  if (status >= 500 || typeof problem?.code !== 'string') return new Away(`status ${status}`);
  return new Refused(problem as ProblemBody);
}
