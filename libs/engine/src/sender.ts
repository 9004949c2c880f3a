import type { Dispatch } from '#core';
import type { Clock, Observer, PublishOptions, StepTransport } from '#ports';
import { EARLY_MAX_MS } from './early-messages.js';
import type { PriorityLine } from './priority-line.js';

/** The dependencies of a sender. */
interface SenderParts {
  readonly clock: Clock;
  readonly line: Pick<PriorityLine, 'add' | 'concerns'>;
  readonly observer: Observer;
  readonly transport: StepTransport;
}

/** A message that left before its write was known to be stored. */
interface Early {
  /** By the monotonic clock. */
  readonly leftAt: number;
  readonly done: Promise<void>;
}

/**
 * Sends the messages of a committed change. A message that cannot be sent is left to governance.
 */
export class Sender {
  private readonly early = new WeakMap<Dispatch, Early>();

  constructor(private readonly parts: SenderParts) {}

  /**
   * Sends a message whose write is about to leave for the store. It may be lost with the broker:
   * the write may never be stored either, and governance finds what has no message. Once the write
   * is known to be stored, the message is given to `send` as if it had not been sent. Never throws.
   */
  sendEarly(dispatch: Dispatch): void {
    // Nobody is to find in a line what is not stored.
    if (this.early.has(dispatch) || this.parts.line.concerns(dispatch)) return;
    const leftAt = this.parts.clock.monotonic();
    this.early.set(dispatch, { leftAt, done: this.publish([dispatch], { mayBeLost: true }) });
  }

  /**
   * Resolves when the broker has the messages, or when it is known that it will not take them now.
   * Never throws.
   */
  async send(dispatches: readonly Dispatch[]): Promise<void> {
    const [only] = dispatches;
    if (only === undefined) return;
    const early = this.early.get(only);
    if (early === undefined) return this.publish(dispatches);
    const isLate = this.parts.clock.monotonic() - early.leftAt > EARLY_MAX_MS;
    await early.done;
    // It may have been there so much before its write that its receiver gave up.
    if (isLate) await this.publish(dispatches);
  }

  private async publish(dispatches: readonly Dispatch[], options?: PublishOptions): Promise<void> {
    const { line, observer, transport } = this.parts;
    try {
      const lined = dispatches.filter((each) => line.concerns(each));
      // Without its place in line an action is found by its own message alone.
      if (lined.length > 0) await line.add(lined).catch(() => {});
      await transport.publish(dispatches, options);
    } catch (error) {
      const message = 'the broker did not accept messages; governance sends them again';
      const taskId = dispatches[0]?.message.taskId ?? '';
      observer.noticed({ level: 'warn', name: 'publish_failed', message, taskId, error });
    }
  }
}
