import { createHash } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { isOwnTraceparent, type JsonObject, ownTraceparent } from '#core';
import { readJson, WrongJson } from '#json';
import { NoAnswer, withinLimit } from '#machine';
import { Command, type CommandContext, Executor, RetryableError, TerminalError } from '#executor';
import { AddressRefused, BodyTooLarge, type HttpClient, type Received } from '#outbound';
import { type Asked, webUrl, WrongUrl } from '#outbound';
import type { Clock } from '#ports';
import { parsePositiveDuration, WrongDuration } from '#wording';
import { HTTP_CLIENT, HTTP_CLOCK } from './http.tokens.js';
import { RequestParameters } from './request.parameters.js';
import { retryAfterMs } from './retry-after.js';

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
    if (isWanted(status)) return { status, headers, body: bodyOf(received) };
    const code = `HTTP_${status}`;
    const message = `${new URL(parameters.url).host} answered ${status}`;
    if (status < 500 && !PASSING.has(status)) throw new TerminalError(message, { code });
    const afterMs = retryAfterMs(headers['retry-after'], this.clock.now());
    const after = afterMs === null ? {} : { after: afterMs / 1_000 };
    throw new RetryableError(message, { code, ...after });
  }

  async #send(
    parameters: RequestParameters,
    context: CommandContext,
    isWanted: (status: number) => boolean,
  ): Promise<Received> {
    try {
      const sent = sentFor(parameters, context);
      const work = (signal: AbortSignal) => this.client.send(sent, signal, isWanted);
      const { timeout } = parameters;
      if (timeout === undefined || timeout === null) return await work(context.signal);
      const ms = parsePositiveDuration(timeout);
      return await withinLimit(work, { clock: this.clock, ms, signal: context.signal });
    } catch (error) {
      throw failureOf(error);
    }
  }
}

function sentFor(
  { body, headers, method, url }: RequestParameters,
  context: CommandContext,
): Asked {
  const isJson = typeof body === 'object' || typeof body === 'number' || typeof body === 'boolean';
  const hasBody = body !== undefined && body !== null;
  const publicHeaders = {
    accept: '*/*',
    'accept-encoding': 'identity',
    'user-agent': 'backstep',
    'idempotency-key': context.idempotencyKey,
    traceparent: traceOf(context),
  };
  return {
    method,
    url: webUrl(url),
    publicHeaders,
    headers: {
      ...publicHeaders,
      ...(hasBody && isJson && { 'content-type': 'application/json' }),
      ...headersOf(headers ?? {}),
    },
    body: hasBody ? (isJson ? JSON.stringify(body) : body) : null,
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
 * The trace that the task is part of. Where nobody decided whether it is recorded, one for the task
 * and a span for the attempt, the same ones whoever works them out.
 */
function traceOf({ attempt, idempotencyKey, taskId, traceparent }: CommandContext): string {
  if (traceparent !== null && !isOwnTraceparent(traceparent)) return traceparent;
  const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
  const span = digest(`${idempotencyKey} ${attempt}`).slice(0, 16);
  const trace = traceparent ?? ownTraceparent(taskId) ?? `00-${digest(taskId)}`;
  return `${trace.slice(0, 35)}-${span}-01`;
}

/** As deep as the output of any command. */
const ANSWER_DEPTH_MAX = 500;

/** JSON as its value, all else as text: also JSON of which a part would be lost or rounded. */
function bodyOf({ body, headers }: Received): JsonObject[string] {
  const text = body.toString('utf8');
  if (!/^application\/([\w.+-]+\+)?json\b/i.test(headers['content-type'] ?? '')) return text;
  try {
    return readJson(body, { bytes: body.length, depth: ANSWER_DEPTH_MAX });
  } catch (error) {
    if (error instanceof WrongJson) return text;
    throw error;
  }
}

/** Mistakes of the flow's author are terminal errors; errors of the network may be retried. */
function failureOf(error: unknown): unknown {
  if (error instanceof AddressRefused) return terminal(error, 'ADDRESS_REFUSED');
  if (error instanceof BodyTooLarge) return terminal(error, 'OUTPUT_TOO_LARGE');
  if (error instanceof WrongUrl) return terminal(error, 'INVALID_PARAMETERS');
  if (error instanceof WrongDuration) {
    return new TerminalError(`timeout is ${error.message}`, { code: 'INVALID_PARAMETERS' });
  }
  if (error instanceof NoAnswer) {
    return new RetryableError(error.message, { code: 'TIMED_OUT', cause: error });
  }
  return error;
}

function terminal(error: Error, code: string): TerminalError {
  return new TerminalError(error.message, { code, cause: error });
}
