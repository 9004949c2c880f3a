import type { ProblemCode } from '#http-server';
import type { DescribedParameter } from '../requests/request-query.js';
import { ref } from './schema-parts.js';

/** One request of the interface, and its answers. */
export interface Operation {
  /** Method and path as the router's table lists them. */
  readonly route: string;
  readonly id: string;
  readonly summary: string;
  readonly tag:
    'tasks' | 'flows' | 'schedules' | 'notifications' | 'access' | 'operations' | 'documents';
  /** Names of entries in `PARAMETERS`: headers, and parts of the path. */
  readonly parameters?: readonly string[];
  /** Absent: it takes no query. */
  readonly query?: { readonly parameters: readonly DescribedParameter[] };
  readonly body?: Body;
  /** Status and content of what is answered if all is well. */
  readonly answers: Readonly<Record<number, Answer>>;
  readonly problems?: readonly ProblemCode[];
}

/** The JSON body of a request. */
export interface Body {
  readonly schema: object;
  readonly description?: string;
  /** Default: it must be there. */
  readonly required?: boolean;
}

/** A good answer. */
export interface Answer {
  readonly description: string;
  /** Media types with their schemas. */
  readonly content?: Readonly<Record<string, object>>;
  /** Names of headers besides those of every answer. */
  readonly headers?: readonly string[];
}

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
/** Problem codes of any read. */
export const READS = ['INVALID_REQUEST', 'STORE_DAMAGED', 'STORE_UNAVAILABLE'] as const;

/** An answer in JSON. */
export function json(description: string, schema: string, headers?: readonly string[]): Answer {
  const content = { 'application/json': ref(schema) };
  return { description, content, ...(headers !== undefined && { headers }) };
}

/** The client has the answer already. */
export const NOT_MODIFIED: Answer = {
  description: 'It is as the client has it',
  headers: ['ETag'],
};

/** A body in JSON. */
export function body(schema: string): Body {
  return { schema: ref(schema) };
}
