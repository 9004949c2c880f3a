import type { ConfirmChannel } from 'amqplib';

/** Queues of the three modules, in the order in which the steps pass them. */
export const FLOOR_QUEUES = ['floor.a', 'floor.b', 'floor.c', 'floor.a'] as const;

/** The content of a floor's message. */
export interface FloorMessage {
  readonly taskId: string;
  readonly step?: number;
}

/** Publishes persistent messages; each resolves with its confirmation. */
export function publisherOn(channel: ConfirmChannel) {
  return (queue: string, message: FloorMessage): Promise<void> =>
    new Promise((resolve, reject) => {
      const content = Buffer.from(JSON.stringify(message));
      channel.sendToQueue(queue, content, { persistent: true }, (error: unknown) => {
        if (error) reject(error);
        else resolve();
      });
    });
}
