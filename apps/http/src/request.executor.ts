import { hash } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { isOwnTraceparent, type JsonObject, type JsonValue, ownTraceparent } from '#core';
import { readJson, WrongJson } from '#json';
import { NoAnswer, withinLimit } from '#machine';
import { Command, type CommandContext, Executor, RetryableError, TerminalError } from '#executor';
import {
  AddressRefused,
  type Asked,
  bodyText,
  BodyTooLarge,
  decodeContent,
  type HttpClient,
  type Received,
  UnreadableBody,
  webUrl,
  WrongUrl,
} from '#outbound';
import type { Clock } from '#ports';
import { parsePositiveDuration, WrongDuration } from '#wording';
import { RequestParameters } from './request.parameters.js';

/** Injection tokens of the executor's dependencies. */
export const HTTP_CLIENT = Symbol('HTTP_CLIENT');

export const HTTP_CLOCK = Symbol('HTTP_CLOCK');

/** The body of a request, and the headers that come with it. */
interface SentBody {
  /** Null: none. */
  readonly body: string | null;
  /** The type that the body has by itself; the author's own header wins over it. */
  readonly headers: Readonly<Record<string, string>>;
}

const NO_HEADERS: SentBody['headers'] = Object.freeze({});

/** Longer than anybody waits for a service; a server may write anything. */
const WAIT_MAX_MS = 24 * 3_600_000;

/** Statuses that another attempt may not meet, besides 5xx. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

/** Headers that belong to the connection, not to who asks. */
const OWN_HEADERS = /^(host|connection|content-length|transfer-encoding|upgrade|te|trailer)$/;

/** Asks other systems over HTTP. */
@Executor('http')
export class RequestExecutor {
  constructor(
    @Inject(HTTP_CLIENT) private readonly client: HttpClient,
    @Inject(HTTP_CLOCK) private readonly clock: Clock,
  ) {}

  /** Sends one request, forward or on the way back. */
  @Command('request')
  async request(parameters: RequestParameters, context: CommandContext): Promise<JsonObject> {
    const isWanted = (status: number): boolean =>
      parameters.expect?.includes(status) ?? (status >= 200 && status <= 299);
    const received = await this.#send(parameters, context, isWanted);
    const { headers, status } = received;
    if (isWanted(status)) return { status, headers, ...bodyOf(received) };
    const code = `HTTP_${status}`;
    const message = `${new URL(parameters.url).host} answered ${status}`;
    if (status < 500 && !PASSING.has(status)) throw new TerminalError(message, { code });
    const afterMs = retryAfterMs(headers['retry-after'], this.clock.now());
    const after = afterMs === null ? {} : { after: afterMs / 1_000 };
    throw new RetryableError(message, { code, ...after });
  }

  /** The answer; the body of one that is wanted is decoded. */
  async #send(
    parameters: RequestParameters,
    context: CommandContext,
    isWanted: (status: number) => boolean,
  ): Promise<Answer> {
    let isSent = false;
    const onSent = (): void => void (isSent = true);
    try {
      const sent = sentFor(parameters, context);
      const work = (signal: AbortSignal) => this.client.send(sent, { signal, isWanted, onSent });
      const received = await this.#within(parameters, context, work);
      const { bodyMax } = this.client;
      const encoding = received.headers['content-encoding'];
      const body = await decodeContent(received.body, encoding, bodyMax);
      return { ...received, body, text: bodyText(body, received.headers['content-type']) };
    } catch (error) {
      throw failureOf(error, { noEffect: !isSent });
    }
  }

  async #within(
    { timeout }: RequestParameters,
    { signal }: CommandContext,
    work: (signal: AbortSignal) => Promise<Received>,
  ): Promise<Received> {
    if (timeout === undefined || timeout === null) return await work(signal);
    const ms = parsePositiveDuration(timeout);
    return await withinLimit(work, { clock: this.clock, ms, signal });
  }
}

/** An answer with its body as a text; null: it is none. */
interface Answer extends Received {
  readonly text: string | null;
}

function sentFor(parameters: RequestParameters, context: CommandContext): Asked {
  const headers = headersOf(parameters.headers ?? {});
  const sent = sentBody(parameters.body, headers['content-type']);
  const publicHeaders = {
    accept: '*/*',
    'accept-encoding': 'identity',
    'user-agent': 'backstep',
    'idempotency-key': context.idempotencyKey,
    traceparent: traceOf(context),
  };
  return {
    method: parameters.method,
    url: webUrl(parameters.url),
    publicHeaders,
    headers: { ...publicHeaders, ...sent.headers, ...headers },
    body: sent.body,
  };
}

function headersOf(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => {
    const isPlain = /^[\w-]+$/.test(name) && typeof value === 'string';
    // Printable characters only: a line break would begin a header of its own.
    if (!isPlain || OWN_HEADERS.test(name.toLowerCase()) || !/^[\t\x20-\x7e]*$/.test(value)) {
      throw new WrongUrl(`the header ${JSON.stringify(name)} cannot be sent`);
    }
    return [name.toLowerCase(), value] as const;
  });
  return Object.fromEntries(entries);
}

/**
 * The trace that the task is part of. If no decision to record it was made, it is a trace for the
 * task and a span for the attempt, the same in every process that works them out.
 */
function traceOf({ attempt, idempotencyKey, taskId, traceparent }: CommandContext): string {
  if (traceparent !== null && !isOwnTraceparent(traceparent)) return traceparent;
  const digest = (text: string): string => hash('sha256', text, 'hex');
  const span = digest(`${idempotencyKey} ${attempt}`).slice(0, 16);
  const trace = traceparent ?? ownTraceparent(taskId) ?? `00-${digest(taskId)}`;
  return `${trace.slice(0, 35)}-${span}-01`;
}

/** As deep as the output of any command. */
const ANSWER_DEPTH_MAX = 500;

const IS_JSON = /^(?:(?:application|text)\/|[\w.-]+\/[\w.+-]+\+)json(?=[\s;,]|$)/i;

/** The body as the output has it: bytes that are no text are kept as they came. */
function bodyOf({ body, headers, text }: Answer): JsonObject {
  if (text === null) return { body: body.toString('base64'), bodyEncoding: 'base64' };
  return { body: valueOf(text, headers['content-type'] ?? '') };
}

/** JSON as its value, all else as text, also JSON that would lose a part or be rounded. */
function valueOf(text: string, contentType: string): JsonValue {
  if (!IS_JSON.test(contentType)) return text;
  try {
    return readJson(text, { bytes: Infinity, depth: ANSWER_DEPTH_MAX });
  } catch (error) {
    if (error instanceof WrongJson) return text;
    throw error;
  }
}

/** Mistakes of the flow's author are terminal errors; errors of the network may be retried. */
function failureOf(error: unknown, blame: { readonly noEffect: boolean }): unknown {
  const terminal = (code: string, message = messageOf(error)): TerminalError => {
    return new TerminalError(message, { code, cause: error, ...blame });
  };
  if (error instanceof AddressRefused) return terminal('ADDRESS_REFUSED');
  if (error instanceof BodyTooLarge) return terminal('OUTPUT_TOO_LARGE');
  if (error instanceof UnreadableBody) return terminal('UNREADABLE_BODY');
  if (error instanceof WrongUrl) return terminal('INVALID_PARAMETERS');
  if (error instanceof WrongDuration) {
    return terminal('INVALID_PARAMETERS', `timeout is ${error.message}`);
  }
  const code = error instanceof NoAnswer ? { code: 'TIMED_OUT' } : {};
  return new RetryableError(messageOf(error), { ...code, cause: error, ...blame });
}

/** Where no address of several can be connected to, Node leaves the message empty. */
function messageOf(error: unknown): string {
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  const { message } = (first ?? error) as Error;
  return message;
}

/** Milliseconds that a `Retry-After` asks for, seconds or a date; null: nothing to be obeyed. */
function retryAfterMs(value: string | undefined, now: number): number | null {
  if (value === undefined) return null;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), WAIT_MAX_MS) : null;
}

/**
 * A body as it is sent: a text as it is, all else as JSON, or as a form where the author's
 * `Content-Type` is that of one. Throws `WrongUrl` for what a form cannot hold.
 */
function sentBody(value: JsonValue | undefined, contentType: string | undefined): SentBody {
  if (value === undefined || value === null) return { body: null, headers: NO_HEADERS };
  if (typeof value === 'string') return { body: value, headers: NO_HEADERS };
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType ?? '')) {
    return { body: formOf(value), headers: NO_HEADERS };
  }
  return { body: JSON.stringify(value), headers: { 'content-type': 'application/json' } };
}

/** The members of an object as fields; a list is a field for each of its items, null is none. */
function formOf(value: JsonValue): string {
  const form = new URLSearchParams();
  if (typeof value !== 'object' || Array.isArray(value)) throw notAField('the body');
  for (const [name, member] of Object.entries(value as Record<string, JsonValue>)) {
    for (const item of Array.isArray(member) ? (member as JsonValue[]) : [member]) {
      if (item === null) continue;
      if (typeof item === 'object') throw notAField(JSON.stringify(name));
      form.append(name, String(item));
    }
  }
  return form.toString();
}

function notAField(what: string): WrongUrl {
  return new WrongUrl(`${what} cannot be sent as a form: write texts, numbers and lists of these`);
}
