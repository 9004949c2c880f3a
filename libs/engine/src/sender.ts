import type { Dispatch } from '#core';
import type { Observer, StepTransport } from '#ports';

/**
 * Sends the messages of a committed change. A message that cannot be sent is left to governance.
 */
export class Sender {
  constructor(
    private readonly transport: StepTransport,
    private readonly observer: Observer,
  ) {}

  /**
   * Resolves when the broker has the messages, or when it is known that it will not take them now.
   * Never throws.
   */
  async send(dispatches: readonly Dispatch[]): Promise<void> {
    if (dispatches.length === 0) return;
    try {
      await this.transport.publish(dispatches);
    } catch (error) {
      const message = 'messages were not taken by the broker; governance sends them again';
      const taskId = dispatches[0]?.message.taskId ?? '';
      this.observer.noticed({ level: 'warn', name: 'publish_failed', message, taskId, error });
    }
  }
}
