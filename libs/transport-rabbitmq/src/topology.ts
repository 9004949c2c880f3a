import type { Channel } from 'amqplib';
import type { AdminChannel } from './admin-channel.js';

/** Queue of messages that cannot be read, for people to look at. */
export const PARKING_QUEUE = 'backstep.parked';

const NOT_FOUND = 404;

/** Queue of a module's step messages. */
export function moduleQueue(module: string): string {
  return `backstep.${module}`;
}

/**
 * Makes sure that the queue exists. One that exists is taken as it is: declaring it with other
 * arguments than its own would be refused, and how it was made is its operator's business.
 */
export async function declareQueue(admin: AdminChannel, queue: string): Promise<void> {
  if ((await queueLength(admin, queue)) !== null) return;
  await admin.ask((channel) => makeQueue(channel, queue, admin.brokerVersion));
}

/** Declares a queue that is not there. */
export async function makeQueue(channel: Channel, queue: string, version: string): Promise<void> {
  await channel.assertQueue(queue, { durable: true, arguments: queueArguments(version) });
}

/** How many messages are ready in the queue, or null when there is no such queue. */
export async function queueLength(admin: AdminChannel, queue: string): Promise<number | null> {
  try {
    return (await admin.ask((channel) => channel.checkQueue(queue))).messageCount;
  } catch (error) {
    if ((error as { code?: unknown }).code === NOT_FOUND) return null;
    throw error;
  }
}

/**
 * No bound in length and no delivery limit: either would throw away messages that did nothing
 * wrong. From version 4 on a quorum queue has a limit unless told otherwise; earlier ones refuse to
 * be told.
 */
function queueArguments(brokerVersion: string): Record<string, unknown> {
  const unlimited = Number.parseInt(brokerVersion, 10) >= 4 ? { 'x-delivery-limit': -1 } : {};
  return { 'x-queue-type': 'quorum', ...unlimited };
}
