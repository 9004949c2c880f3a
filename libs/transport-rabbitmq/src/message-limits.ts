import { leanBody } from './body.js';
import { replyCodeOf, wordsOf } from './broker-words.js';
import type { Outgoing } from './envelope.js';
import { fitToFrame } from './frame-room.js';

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
