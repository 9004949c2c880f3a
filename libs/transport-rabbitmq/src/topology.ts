import type { Channel, Replies } from 'amqplib';
import type { AdminChannel } from './admin-channel.js';
import { replyCodeOf } from './broker-words.js';

/** Queue of messages that cannot be read, for people to look at. */
export const PARKING_QUEUE = 'backstep.parked';

/** Most bytes of bodies that the parking queue keeps; the oldest messages give way. */
const PARKED_BYTES_MAX = 256 * 1_024 * 1_024;

/** A queue that keeps nothing is gone so long after its last consumer, in milliseconds. */
const IMMEDIATE_UNUSED_MS = 3_600_000;

const NOT_FOUND = 404;

/** How urgent a message is, as far as a broker is told. */
export type PriorityClass = 'high' | 'normal' | 'low';

/** All classes, the most urgent first. */
export const PRIORITY_CLASSES: readonly PriorityClass[] = ['high', 'normal', 'low'];

/**
 * The queues that a module may have: one for each class, and one that keeps nothing, whose messages
 * go to a process that has a slot for them at once, or on to the queue of class *normal*.
 */
export type QueueKind = PriorityClass | 'immediate';

/**
 * Queue of a module's step messages of one kind. That of class *normal* is made with the module's
 * first consumer or message; those of the other classes with the first message of their class; the
 * one that keeps nothing with the first consumer.
 */
export function moduleQueue(module: string, kind: QueueKind = 'normal'): string {
  return kind === 'normal' ? `backstep.${module}` : `backstep.${module}.${kind}`;
}

/** The queue behind one that keeps nothing; null: it keeps what it gets. */
function queueBehind(queue: string): string | null {
  const end = '.immediate';
  return queue.endsWith(end) ? queue.slice(0, -end.length) : null;
}

/**
 * Makes sure that the queue exists. One that exists is taken as it is: declaring it with other
 * arguments than its own would be refused, and how it was made is its operator's business.
 */
export async function declareQueue(admin: AdminChannel, queue: string): Promise<void> {
  if ((await queueState(admin, queue)) !== null) return;
  await admin.ask((channel) => makeQueue(channel, queue, admin.brokerVersion));
}

/** Declares a queue that is not there. */
export async function makeQueue(channel: Channel, queue: string, version: string): Promise<void> {
  await channel.assertQueue(queue, { durable: true, arguments: queueArguments(queue, version) });
}

/** Its ready messages and its subscriptions, or null when there is no such queue. */
export async function queueState(
  admin: AdminChannel,
  queue: string,
): Promise<Replies.AssertQueue | null> {
  try {
    return await admin.ask((channel) => channel.checkQueue(queue));
  } catch (error) {
    if (replyCodeOf(error) === NOT_FOUND) return null;
    throw error;
  }
}

/**
 * A module's queue has no bound in length and no delivery limit: either would throw away messages
 * that did nothing wrong. The parking queue is for people, and anybody who can publish can fill it:
 * it is bounded, and drops its oldest messages. From version 4 on a quorum queue has a delivery
 * limit unless the argument says otherwise; earlier versions refuse the argument.
 */
export function queueArguments(queue: string, brokerVersion: string): Record<string, unknown> {
  const behind = queueBehind(queue);
  if (behind !== null) return immediateArguments(behind);
  const unlimited = Number.parseInt(brokerVersion, 10) >= 4 ? { 'x-delivery-limit': -1 } : {};
  const bounded = { 'x-max-length-bytes': PARKED_BYTES_MAX, 'x-overflow': 'drop-head' };
  const bound = queue === PARKING_QUEUE ? bounded : {};
  return { 'x-queue-type': 'quorum', ...unlimited, ...bound };
}

/**
 * A message that nobody takes as it arrives has expired, and is passed on; so is one that is given
 * back. A classic queue delivers without a write to the disk of a majority, which is all that it is
 * for.
 */
function immediateArguments(behind: string): Record<string, unknown> {
  return {
    'x-queue-type': 'classic',
    'x-message-ttl': 0,
    'x-dead-letter-exchange': '',
    'x-dead-letter-routing-key': behind,
    'x-expires': IMMEDIATE_UNUSED_MS,
  };
}

/** Class of a head start in seconds: of more than 0, of none, of less. */
export function classOf(priority: number): PriorityClass {
  if (priority === 0) return 'normal';
  return priority > 0 ? 'high' : 'low';
}
