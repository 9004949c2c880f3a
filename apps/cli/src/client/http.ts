import type { Agent } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { abortable } from '#machine';
import { CliError, EXIT } from '../exit.js';
import { adviceOnTls } from '../tls-advice.js';
import { ApiError } from './api-error.js';
import type { MachineToken } from './machine-token.js';
import { reach, type Sent } from './reach.js';
import { foreign, readAnswer } from './read-answer.js';
import type { HttpRoutes } from '../../../../schemas/http-api.js';
import type { ProblemReport } from './types.js';

/** Where requests go, in whose name, and until when. */
export interface HttpOptions {
  readonly url: string;
  /** The person or program that asks; kept in the journals of tasks. */
  readonly actor: string;
  readonly signal: AbortSignal;
  /** Whether a time limit aborts the signal. Default: false. */
  readonly hasLimit?: boolean;
  /** API key; undefined: none. */
  readonly token: string | undefined;
  /** The token of this machine, where no key was given; absent: requests are not signed. */
  readonly machineToken?: MachineToken | undefined;
  /** Connections that show a certificate. Absent or null: none is shown. */
  readonly agent?: Agent | null;
  /** The words that start the command line, as a person types them. */
  readonly program: string;
}

/** A route of the HTTP interface: its method and path. */
export type At = keyof HttpRoutes;

/** A request to a route: what the route takes, and headers. */
export type Asked<A extends At> = Omit<HttpRoutes[A], 'answer'> & Pick<Ask, 'headers' | 'isOnce'>;

/** One request. It may be repeated, unless it says otherwise: it may carry an idempotency key. */
interface Ask {
  /** Method and path. */
  readonly at: `${'DELETE' | 'GET' | 'POST' | 'PUT'} /${string}`;
  /** Parts of the path, by their names. */
  readonly path?: Readonly<Record<string, number | string>>;
  readonly query?: object;
  /** Not repeated once it may have been heard. */
  readonly isOnce?: boolean;
  readonly body?: unknown;
  /** Instead of a body: the text of a flow file. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Pauses between tries, in milliseconds: a server that is just being started gets its chance. */
const PAUSES = [50, 150, 400, 900];
/** Where nobody listens, that is known at once, and whoever waits for it is a person. */
const PAUSES_REFUSED = [10];
const RETRY_AFTER_MAX_MS = 2_000;
/** A server may ask for a signature, and again where it has started again meanwhile. */
const GREETINGS_MAX = 2;

/** The listener at the URL, as advice on TLS names it. */
export const GATEWAY_TLS = { name: 'Backstep', instead: 'write http:// in --url or BACKSTEP_URL' };

const PERHAPS_TLS = 'If the port speaks TLS, write https://.';

/** Sends a request until it is answered. Throws `ApiError`, or a `CliError` if nobody answers. */
export async function send(ask: Ask, options: HttpOptions): Promise<Response> {
  // Where the time ends while a server is asked again, what came of the try before says more.
  let before: CliError | null = null;
  const orBefore = (error: unknown): never => {
    throw before !== null && isTimeOver(error) ? before : error;
  };
  for (let tries = 0; ; tries += 1) {
    const answer = await exchange(ask, options).catch(orBefore);
    const pauses = isRefused(answer) ? PAUSES_REFUSED : ask.isOnce === true ? [] : PAUSES;
    const again = pauses[tries];
    if (answer instanceof Response) {
      if (isGiven(answer)) return answer;
      const waitMs = busyFor(answer);
      before = await refusalOf(answer, options);
      if (again === undefined || waitMs === null) throw before;
      await rest(Math.max(again, waitMs), options.signal).catch(orBefore);
    } else {
      before = unreachable(options, answer);
      if (again === undefined) throw before;
      await rest(again, options.signal).catch(orBefore);
    }
  }
}

/**
 * Sends a request once, and again where the server asks for a signature. Resolves to any answer; to
 * an error where nobody answers.
 */
export async function exchange(ask: Ask, options: HttpOptions): Promise<Response | Error> {
  if ((ask.body ?? ask.text) !== undefined) await greetFirst(options);
  for (let greetings = 0; ; greetings += 1) {
    const answer = await tryOnce(ask, options);
    if (!(answer instanceof Response) || isGiven(answer)) return answer;
    if (greetings === GREETINGS_MAX) return answer;
    if ((await options.machineToken?.isAskedFor(answer)) !== true) return answer;
    letGo(answer);
  }
}

/** The server gave what was asked for. */
function isGiven({ ok, status }: Response): boolean {
  return ok || status === 304;
}

/**
 * Where this machine may have a token, a server shows that it knows it before it gets the body of a
 * request.
 */
async function greetFirst(options: HttpOptions): Promise<void> {
  const { machineToken } = options;
  if (machineToken?.isWorthGreeting !== true) return;
  const answer = await tryOnce({ at: 'GET /v1/session' }, options);
  if (!(answer instanceof Response)) return;
  await machineToken.isAskedFor(answer);
  letGo(answer);
}

/** Nobody waits for that: it may never settle. */
function letGo(answer: Response): void {
  void answer.body?.cancel().catch(() => {});
}

/**
 * Sends a request and reads the JSON that answers it; undefined: there is none. Throws where `send`
 * does.
 */
export async function ask<T>(request: Ask, options: HttpOptions): Promise<T> {
  const answer = await send(request, options);
  const text = await abortable(answer.text(), options.signal);
  return (answer.status === 204 ? undefined : readAnswer(text, options.url)) as T;
}

/** Nobody answers there. */
export function unreachable({ program, url }: HttpOptions, cause: Error): CliError {
  const sentence = `Backstep cannot be reached at ${url}: ${reasonOf(cause)}`;
  const start = `Start it with \`${program} dev\`, or say where it is with --url or BACKSTEP_URL.`;
  const isCutOff = url.startsWith('http:') && causeOf(cause)?.code === 'ECONNRESET';
  const hint = isCutOff ? `${start} ${PERHAPS_TLS}` : start;
  return new CliError(EXIT.unreachable, sentence, adviceOnTls(cause, GATEWAY_TLS) ?? hint);
}

/** Waits; throws the reason of the signal if that is first. */
export async function rest(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await pause(ms, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

function isTimeOver(error: unknown): boolean {
  return error instanceof CliError && error.exitCode === EXIT.timeOver;
}

async function tryOnce(ask: Ask, options: HttpOptions): Promise<Response | Error> {
  const { signal } = options;
  signal.throwIfAborted();
  try {
    return await abortable(reach(options, addressOf(ask), requestOf(ask, options)), signal);
  } catch (error) {
    signal.throwIfAborted();
    return error as Error;
  }
}

/** Path and query, without the first slash. */
function addressOf({ at, path = {}, query = {} }: Ask): string {
  const named = at.slice(at.indexOf('/') + 1);
  const whole = named.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    return encodeURIComponent(path[name] ?? '');
  });
  const given = Object.entries(query as Readonly<Record<string, string>>);
  const known = given.filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(known).toString();
  return search === '' ? whole : `${whole}?${search}`;
}

function contentOf({ body, text }: Ask): string | undefined {
  return body === undefined ? text : JSON.stringify(body);
}

function requestOf(ask: Ask, options: HttpOptions): Sent {
  const { at, body, headers, text } = ask;
  const method = at.slice(0, at.indexOf(' '));
  const { machineToken, token } = options;
  const content = contentOf(ask);
  return {
    method,
    signal: options.signal,
    headers: {
      accept: 'application/json',
      // Header values are bytes; the server reads them as UTF-8.
      'x-backstep-actor': Buffer.from(options.actor, 'utf8').toString('latin1'),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(text !== undefined && { 'content-type': 'application/jsonc' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(content !== undefined && { body: content }),
    ...(machineToken !== undefined && {
      sign: (connected) => machineToken.headersFor({ ...connected, method, body: content }),
    }),
  };
}

/** How long to leave a server alone that says it is busy; null: it is not. */
function busyFor(answer: Response): number | null {
  if (answer.status !== 503 && answer.status !== 429) return null;
  return Math.min(retryAfterOf(answer) ?? 0, RETRY_AFTER_MAX_MS);
}

/** The milliseconds that `Retry-After` asks for; null: it has none. */
export function retryAfterOf({ headers }: Response): number | null {
  const seconds = Number(headers.get('retry-after') ?? NaN);
  return Number.isFinite(seconds) ? seconds * 1_000 : null;
}

async function refusalOf(answer: Response, { signal, url }: HttpOptions): Promise<CliError> {
  const text = await abortable(answer.text(), signal);
  const isProblem = answer.headers.get('content-type')?.startsWith('application/problem+json');
  if (isProblem === true) {
    const problem = readAnswer(text, url) as ProblemReport;
    return isElsewhere(problem) ? elsewhere(problem, url) : new ApiError(problem);
  }
  return foreign(`${url} answered ${answer.status}`);
}

/** The address is unknown there, and not merely what was to be found at it. */
function isElsewhere({ code, detail, title }: ProblemReport): boolean {
  return code === 'NOT_FOUND' && (detail ?? title).startsWith(title);
}

/** It is a process of Backstep, and not the one that has what was asked for. */
function elsewhere({ instance = 'this address' }: ProblemReport, url: string): CliError {
  const sentence = `${url} has no ${instance} (NOT_FOUND)`;
  const hint = instance.includes('/modules/')
    ? 'In the distributed set the executor has it: --url http://127.0.0.1:7071 for `resource`.'
    : 'Say with --url or BACKSTEP_URL where the gateway is; this may be an executor.';
  return new CliError(EXIT.notFound, sentence, hint);
}

/** Nobody listens at the address, or at the socket. */
const REFUSED: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOENT', 'EACCES']);

function isRefused(answer: Response | Error): boolean {
  return answer instanceof Error && REFUSED.has(causeOf(answer)?.code ?? '');
}

function causeOf(error: Error): NodeJS.ErrnoException | undefined {
  return error.cause as NodeJS.ErrnoException | undefined;
}

function reasonOf(error: Error): string {
  const cause = causeOf(error);
  if (cause?.code === 'ECONNREFUSED') return 'the connection was refused';
  if (cause?.code === 'ENOTFOUND') return 'there is no such host';
  if (cause?.syscall === 'connect') {
    if (cause.code === 'ENOENT') return 'there is no such socket';
    if (cause.code === 'EACCES') return 'the socket is not for this user';
  }
  // OpenSSL ends its sentences with a line break.
  return (cause?.message || cause?.code || error.message).trim();
}

/** A text as a structured header writes it. Header values are bytes; the server reads UTF-8. */
export function quoted(text: string): string {
  const escaped = text.replaceAll(/["\\]/g, (letter) => `\\${letter}`);
  return `"${Buffer.from(escaped, 'utf8').toString('latin1')}"`;
}

/** Headers by which a write is refused unless what it changes is at this revision; 0: it is new. */
export function guard(revision: string | undefined): Readonly<Record<string, string>> {
  if (revision === undefined) return {};
  return revision === '0' ? { 'if-none-match': '*' } : { 'if-match': quoted(revision) };
}
