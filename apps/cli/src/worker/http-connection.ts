import type { JsonObject } from '#core';
import { withinLimit } from '#machine';
import type { Clock } from '#ports';
import { type WorkAnswer, type WorkConnection, WORKER_PROTOCOL, type WorkRequest } from '#worker';
import { exchange, type HttpOptions, retryAfterOf, unreachable } from '../client/http.js';
import { readAnswer } from '../client/read-answer.js';

const HEADERS = { 'backstep-worker-protocol': String(WORKER_PROTOCOL) };

/** The connection of a worker, with the keys and certificates of the command line. */
export class HttpConnection implements WorkConnection {
  constructor(
    private readonly options: HttpOptions,
    private readonly clock: Pick<Clock, 'after'>,
  ) {}

  send(request: WorkRequest, signal: AbortSignal): Promise<WorkAnswer> {
    const limit = { clock: this.clock, ms: request.timeoutMs, signal };
    return withinLimit((limited) => this.#exchange(request, limited), limit);
  }

  async #exchange(request: WorkRequest, signal: AbortSignal): Promise<WorkAnswer> {
    const options = { ...this.options, signal };
    const { at, body, path = {} } = request;
    const answer = await exchange({ at, path, body, headers: HEADERS }, options);
    if (!(answer instanceof Response)) throw unreachable(options, answer);
    const text = await answer.text();
    const { status } = answer;
    return { status, retryAfterMs: retryAfterOf(answer), body: this.#bodyOf(answer, text) };
  }

  /** Something between may refuse in its own words; a success in other words is none. */
  #bodyOf({ ok }: Response, text: string): JsonObject {
    if (text === '') return {};
    try {
      return readAnswer(text, this.options.url) as JsonObject;
    } catch (error) {
      if (ok) throw error;
      return {};
    }
  }
}
