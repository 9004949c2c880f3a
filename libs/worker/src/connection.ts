import type { JsonObject } from '#core';
import type { HttpRoutes } from '../../../schemas/http-api.js';

/** The routes of the worker protocol that a worker calls. */
type WorkRoute = keyof HttpRoutes &
  (`POST /v1/work${string}` | `${'DELETE' | 'PUT'} /v1/workers/{worker}`);

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
