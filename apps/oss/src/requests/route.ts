import type { Need } from '#access';
import type { ProblemCode } from '#http-server';
import { ref } from '../docs/schema-parts.js';
import type { HttpApi } from '../../../../schemas/http-api.js';
import type { Query } from './request-query.js';

/**
 * A route of the interface: the one place that says what it takes, what it answers and who may use
 * it. `@Handles` serves it, and the OpenAPI document and the access control follow from it.
 */
export interface Route {
  /** Method and path as OpenAPI writes them: `POST /v1/tasks/{taskId}:rollback`. */
  readonly at: `${Method} /${string}`;
  /** The right that its caller needs. */
  readonly need: Need;
  readonly summary: string;
  /** Its manner in two sentences or more. */
  readonly description: string;
  /** Names of entries in `PARAMETERS`: headers, and parts of the path. */
  readonly parameters?: readonly string[];
  /** Absent: it takes no query. */
  readonly query?: Query<unknown>;
  readonly body?: Body<unknown>;
  /** Status and content of what is answered if all is well. The lowest one below 300 is usual. */
  readonly answers: Readonly<Record<number, Answer>>;
  readonly problems?: readonly ProblemCode[];
  /**
   * The same request again acts again, so an `Idempotency-Key` is refused. Default: it is dropped
   * where `parameters` do not name it, as a repetition changes nothing more.
   */
  readonly actsAgain?: true;
  /** A page that people may open by a link from anywhere. Default: it is none. */
  readonly isPage?: true;
}

type Method = 'DELETE' | 'GET' | 'POST' | 'PUT';

/** Routes by their names, which are the `operationId`s of the document. */
export type Routes = Readonly<Record<string, Route>>;

/** The body of a request, which becomes a `Value` for the handler. */
export interface Body<Value> {
  readonly schema: object;
  /** Default: the handler gets it as it was parsed. */
  readonly reader?: { read(body: unknown): Value };
  /** Default: JSON alone. */
  readonly types?: readonly string[];
  readonly description?: string;
  /** Default: it must be there. One that may be absent is then read as `{}`. */
  readonly required?: boolean;
  /** It may be this many times as large as others. Default: 1. */
  readonly factor?: number;
  /**
   * It is read when the handler asks for it, which looks first for what the path names.
   * Default: before the handler is called; late where the caller may not even see the task.
   */
  readonly isLate?: true;
  /** The handler gets its text. Default: what JSON makes of it. */
  readonly isText?: true;
  /** Its reader gets the `Problem` of one that is no such JSON. Default: that is the answer. */
  readonly takesFaults?: true;
  /** It may hold sealed secrets of tasks that ended. Default: such a body is refused. */
  readonly takesSealed?: true;
}

/** A good answer. */
export interface Answer {
  readonly description: string;
  /** Media types with their schemas. */
  readonly content?: Readonly<Record<string, object>>;
  /** Names of headers besides those of every answer. */
  readonly headers?: readonly string[];
}

/** An answer in JSON, of which the handler returns the value. */
export interface JsonAnswer<Name extends keyof HttpApi> extends Answer {
  /** Name of its schema. */
  readonly schema: Name;
}

/** Media type of bodies and answers. */
export const JSON_TYPE = 'application/json';

/** Problem codes of any request with a body. */
export const TAKES_BODY = [
  'MALFORMED_JSON',
  'INVALID_REQUEST',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'BODY_TOO_SLOW',
  'OVERLOADED',
] as const;
/** Problem codes of any write. */
export const WRITES = [...TAKES_BODY, 'STORE_DAMAGED', 'STORE_UNAVAILABLE'] as const;
/** Further problem codes of a write that may bring secrets along. */
export const KEEPS_SECRETS = ['SECRET_KEY_MISSING'] as const;
/** Further problem codes of a request that starts a task. */
export const STARTS_TASK = [
  'INVALID_PARAMETERS',
  'EXPRESSION_FAILED',
  'FLOW_CANNOT_RUN',
  'MODULE_NOT_SERVED',
  'IDEMPOTENCY_KEY_REUSED',
  'RECORD_UNREADABLE',
  'TASK_UNREADABLE',
  'TOO_MANY_REQUESTS',
  'TOO_MANY_LIVE',
] as const;
/** Problem codes of any read. */
export const READS = ['INVALID_REQUEST', 'STORE_DAMAGED', 'STORE_UNAVAILABLE'] as const;

/** An answer in JSON, as the schema of this name has it. */
export function json<const Name extends keyof HttpApi>(
  description: string,
  schema: Name,
  headers?: readonly string[],
): JsonAnswer<Name> {
  const content = { [JSON_TYPE]: ref(schema) };
  return { description, schema, content, ...(headers !== undefined && { headers }) };
}

/** The client has the answer already. */
export const NOT_MODIFIED: Answer = {
  description: 'It is as the client has it',
  headers: ['ETag'],
};

/** A body in JSON, of the schema of this name. `more`: its further members. */
export function body<Value>(
  schema: string,
  reader?: Body<Value>['reader'],
  more: Pick<Body<Value>, 'factor' | 'isLate' | 'required' | 'takesFaults' | 'takesSealed'> = {},
): Body<Value> {
  return { schema: ref(schema), ...(reader !== undefined && { reader }), ...more };
}
