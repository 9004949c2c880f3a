import type { JsonObject } from '#core';

/** The routes of the worker protocol that a worker calls. */
type WorkRoute =
  | 'PUT /v1/workers/{worker}'
  | 'DELETE /v1/workers/{worker}'
  | 'POST /v1/work:poll'
  | 'POST /v1/work:heartbeat'
  | 'POST /v1/work/{claim}:again'
  | 'POST /v1/work/{claim}:complete'
  | 'POST /v1/work/{claim}:fail'
  | 'POST /v1/work/{claim}:heartbeat'
  | 'POST /v1/work/{claim}:later'
  | 'POST /v1/work/{claim}:release';

/** A request to the gateway. */
export interface WorkRequest {
  readonly at: WorkRoute;
  /** Parts of the path, by their names. */
  readonly path?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** How long an answer may take, in whole milliseconds. */
  readonly timeoutMs: number;
}

/** An answer of the gateway, also one that refuses. */
export interface WorkAnswer {
  readonly status: number;
  /** The time that `Retry-After` asks for; null: it has none. */
  readonly retryAfterMs: number | null;
  /** Empty where the answer has no JSON object. */
  readonly body: JsonObject;
}

/** The way to the gateway: it sends a request once. */
export interface WorkConnection {
  /**
   * Resolves to any answer. Rejects where none came: the connection broke, the time was over, or
   * the signal aborted.
   */
  send(request: WorkRequest, signal: AbortSignal): Promise<WorkAnswer>;
}
