import type { MessageProperties, Options } from 'amqplib';
import { type Dispatch, ownTraceparent, type StepMessage } from '#core';
import { decodeBody, encodeBody } from './body.js';
import { classOf, moduleQueue } from './topology.js';

const PRIORITY_HEADER = 'x-backstep-priority';
/** Order time, in milliseconds since 1970. */
const ORDER_HEADER = 'x-backstep-order-time';
/** The document that the message was made from; only the store that made it can read it. */
const SNAPSHOT_HEADER = 'x-backstep-snapshot';
const TRACE_HEADER = 'traceparent';
/** As W3C Trace Context writes it; anything else is not passed on. */
const TRACEPARENT = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;

/** A message as it goes to a queue. */
export interface Outgoing {
  readonly id: string;
  readonly queue: string;
  /** Queue that it goes to where that one is not there or refuses it; absent: there is none. */
  readonly otherwise?: string;
  /** Queue that it goes to where that one is not there and may not be made; absent: none. */
  readonly fallback?: string;
  readonly content: Buffer;
  readonly properties: Options.Publish;
  /** The step message that is its content; absent: it is none. */
  readonly message?: StepMessage;
}

/** A message as it came from a queue. */
export interface Incoming {
  readonly content: Buffer;
  readonly properties: MessageProperties;
}

/** Gives every message of this process its id, and the time it left. */
export class EnvelopeWriter {
  readonly #origin: string;
  #serial = 0;

  /** `origin` is unique to this process. */
  constructor(origin: string) {
    this.#origin = origin;
  }

  nextId(): string {
    this.#serial += 1;
    return `${this.#origin}-${this.#serial}`;
  }

  /** `mayBeLost`: see `PublishOptions`. */
  write(dispatch: Dispatch, now: number, mayBeLost = false): Outgoing {
    const { message, orderAt, priority, snapshot, traceparent } = dispatch;
    const id = this.nextId();
    const { module } = message;
    const urgency = classOf(priority);
    // The queue that keeps nothing passes on to that of class *normal*, whatever it gets.
    const isKept = !mayBeLost || urgency !== 'normal';
    const headers: Record<string, unknown> = {
      [PRIORITY_HEADER]: priority,
      [ORDER_HEADER]: orderAt,
    };
    const trace = traceparent ?? ownTraceparent(message.taskId);
    if (trace !== null) headers[TRACE_HEADER] = trace;
    if (snapshot !== undefined) headers[SNAPSHOT_HEADER] = snapshot;
    const properties = {
      contentType: 'application/json',
      headers,
      mandatory: true,
      messageId: id,
      persistent: isKept,
      timestamp: Math.floor(now / 1_000),
      type: 'step',
    };
    const rest = { id, content: encodeBody(message), properties, message };
    const queue = moduleQueue(module, urgency);
    if (urgency !== 'normal') return { queue, fallback: moduleQueue(module), ...rest };
    if (isKept) return { queue, ...rest };
    return { queue: moduleQueue(module, 'immediate'), otherwise: queue, ...rest };
  }
}

/**
 * Reads a message back; throws `UnreadableBody`. Headers that are not understood are as if absent.
 */
export function readEnvelope({ content, properties }: Incoming): Dispatch {
  const message = decodeBody(content);
  const priority: unknown = properties.headers?.[PRIORITY_HEADER];
  const snapshot: unknown = properties.headers?.[SNAPSHOT_HEADER];
  const traceparent: unknown = properties.headers?.[TRACE_HEADER];
  const dispatch: Dispatch = {
    message,
    priority: finite(priority),
    orderAt: orderTimeOf({ properties }),
    traceparent: traceparent === ownTraceparent(message.taskId) ? null : traceOf(traceparent),
  };
  return typeof snapshot === 'string' ? { snapshot, ...dispatch } : dispatch;
}

/** Order time of a message that came from a queue; 0: it does not tell. */
export function orderTimeOf({ properties }: Pick<Incoming, 'properties'>): number {
  const orderAt: unknown = properties.headers?.[ORDER_HEADER];
  return finite(orderAt);
}

function finite(header: unknown): number {
  return typeof header === 'number' && Number.isFinite(header) ? header : 0;
}

function traceOf(header: unknown): string | null {
  return typeof header === 'string' && TRACEPARENT.test(header) ? header : null;
}
