import type { ProblemCode } from '#http-server';
import type { DescribedParameter } from './request-query.js';
import { ref } from '../docs/schema-parts.js';

/** The groups of requests, with their descriptions. */
export const TAGS = {
  tasks: 'Runs of flows: to start, list, read and act on them, and to report what they wait for.',
  flows: 'Recipes of tasks in versions, and the defaults of commands that they inherit.',
  schedules: 'Tasks that start by the clock.',
  notifications: 'Rules by which people are told of events, and the messages that were sent.',
  access: 'API keys, sessions of people, and the log of who did what.',
  operations: 'Actions on many tasks at once, executors, locks, the archive, health and metrics.',
  documents: 'The documentation of this server, for programs and for people.',
} as const;

/** One request of the interface, and its answers. */
export interface Operation {
  /** Method and path as the router's table lists them. */
  readonly route: string;
  readonly id: string;
  readonly summary: string;
  /** Its manner in two sentences or more. */
  readonly description: string;
  readonly tag: keyof typeof TAGS;
  /** Names of entries in `PARAMETERS`: headers, and parts of the path. */
  readonly parameters?: readonly string[];
  /** Absent: it takes no query. */
  readonly query?: { readonly parameters: readonly DescribedParameter[] };
  readonly body?: Body;
  /** Status and content of what is answered if all is well. */
  readonly answers: Readonly<Record<number, Answer>>;
  readonly problems?: readonly ProblemCode[];
}

/** The body of a request. */
export interface Body {
  readonly schema: object;
  /** Default: JSON alone. */
  readonly types?: readonly string[];
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
/** Problem codes of any read. */
export const READS = ['INVALID_REQUEST', 'STORE_DAMAGED', 'STORE_UNAVAILABLE'] as const;

/** An answer in JSON. */
export function json(description: string, schema: string, headers?: readonly string[]): Answer {
  const content = { [JSON_TYPE]: ref(schema) };
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
