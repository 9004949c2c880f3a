import type { Options } from 'amqplib';
import { leanBody } from './body.js';
import { replyCodeOf, wordsOf } from './broker-words.js';
import type { Outgoing } from './envelope.js';

/** The frame's own bytes, the properties besides the headers, and room to spare. */
const REST_BYTES = 1_536;

/** A header has its name, with its length, a letter for its kind, and the length of a text. */
const HEADER_BYTES = 6;

/** A number, or what else is no text. */
const VALUE_BYTES = 16;

/** Bytes of UTF-8 that a unit of a string may take. */
const UNIT_BYTES = 3;

/** The driver writes headers into a buffer of this size, and beyond its end without a word. */
const DRIVER_BYTES = 65_536;

/** Headers of our own that are no longer than this go last: they say why a message is there. */
const OWN_BYTES = 512;

type Header = readonly [name: string, value: unknown];

const PRECONDITION_FAILED = 406;
/** The broker's words for a message that is larger than its `max_message_size`. */
const TOO_LARGE = /message size \d+ is larger than (?:configured )?max size (\d+)/;

/**
 * The sizes that the broker takes. It closes the connection for a header that is larger than a
 * frame, and the channel for a body that is larger than its limit, and all other messages on their
 * way are cut off with it. The limit for bodies is known only from such an end.
 */
export class MessageLimits {
  #bodyMax = Infinity;

  /** Learns from the error that ended a channel. */
  learn(error: unknown): void {
    const found = TOO_LARGE.exec(wordsOf(error));
    if (found !== null && replyCodeOf(error) === PRECONDITION_FAILED) {
      this.#bodyMax = Number(found[1]);
    }
  }

  /** The broker may have other limits now. */
  forget(): void {
    this.#bodyMax = Infinity;
  }

  /**
   * The message as the broker takes it: without what the task's document has as well. Throws where
   * no part of it can be left out.
   */
  fit(outgoing: Outgoing, frameMax: number | null): Outgoing {
    const { content, message } = outgoing;
    const whole = outgoing.properties;
    const properties = frameMax === null ? whole : fitToFrame(whole, frameMax);
    const isSmall = content.length <= this.#bodyMax;
    if (isSmall) return properties === whole ? outgoing : { ...outgoing, properties };
    const lean = message === undefined ? content : leanBody(message);
    if (lean.length <= this.#bodyMax) return { ...outgoing, content: lean, properties };
    const size = `${lean.length} bytes`;
    throw new Error(`the message has ${size}, and the broker takes ${this.#bodyMax} at most`);
  }
}

/**
 * The properties of a message as one frame of the connection can take them: unlike the body, they
 * cannot be split, and a broker closes a connection for a larger frame. The longest texts among the
 * headers stay at home, as many as must: all but what the body says is there to save work.
 */
export function fitToFrame(properties: Options.Publish, frameMax: number): Options.Publish {
  const headers: Readonly<Record<string, unknown>> = properties.headers ?? {};
  const entries = Object.entries(headers);
  const most = Math.min(frameMax, DRIVER_BYTES) - REST_BYTES;
  if (sumOf(entries, unitsOf) <= most) return properties;
  const sized = entries.map(([name, value]) => ({ name, value, bytes: bytesOf([name, value]) }));
  let bytes = sized.reduce((sum, entry) => sum + entry.bytes, 0);
  if (bytes <= most) return properties;
  for (const entry of sized.toSorted((a, b) => weightOf(b) - weightOf(a))) {
    if (bytes <= most) break;
    bytes -= entry.bytes;
    sized.splice(sized.indexOf(entry), 1);
  }
  const kept = Object.fromEntries(sized.map(({ name, value }) => [name, value]));
  return { ...properties, headers: kept };
}

function weightOf({ bytes, name }: { readonly bytes: number; readonly name: string }): number {
  return bytes <= OWN_BYTES && name.startsWith('x-backstep-') ? 0 : bytes;
}

function sumOf(entries: readonly Header[], size: (entry: Header) => number): number {
  return entries.reduce((sum, entry) => sum + size(entry), 0);
}

/** The most bytes that it may take: this reads no text. */
function unitsOf([name, value]: Header): number {
  const units = typeof value === 'string' ? value.length * UNIT_BYTES : VALUE_BYTES;
  return HEADER_BYTES + name.length * UNIT_BYTES + units;
}

function bytesOf([name, value]: Header): number {
  const bytes = typeof value === 'string' ? Buffer.byteLength(value) : VALUE_BYTES;
  return HEADER_BYTES + Buffer.byteLength(name) + bytes;
}
