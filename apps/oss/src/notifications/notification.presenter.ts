import type { DeliveryRecord, NotificationChannel, NotificationRecord } from '#ports';
import type { PublicAuthor } from '../access/authors.js';
import type { ChannelSecrets } from './channel-secrets.js';

/** A notification as HTTP shows it. Times are ISO 8601. */
export interface PublicNotification {
  readonly name: string;
  readonly on: readonly string[];
  readonly q: string | null;
  readonly channel: NotificationChannel;
  /** Seconds; 0: as many messages as come. */
  readonly throttle: number;
  readonly generation: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly updatedBy: string;
  /** The key or token that it was stored with; null: nobody was asked for one. */
  readonly author: PublicAuthor | null;
}

/** A message as HTTP shows it. Times are ISO 8601. */
export interface PublicDelivery {
  readonly deliveryId: string;
  readonly on: string;
  readonly subject: string;
  readonly phase: string;
  readonly of: string | null;
  readonly state: string;
  readonly message: string;
  readonly flow: string | null;
  readonly counted: number;
  readonly attempts: number;
  readonly lastError: string | null;
  readonly createdAt: string;
  readonly deliveredAt: string | null;
  readonly nextAttemptAt: string | null;
}

/** A notification as HTTP shows it: without what only the receiver knows. */
export function presentNotification(
  record: NotificationRecord,
  { author, secrets }: { readonly author: PublicAuthor | null; readonly secrets: ChannelSecrets },
): PublicNotification {
  const { createdAt, generation, id, name, order, updatedAt, updatedBy } = record;
  const { channel, on, q, throttleMs } = order;
  return {
    name,
    on,
    q,
    channel: secrets.mask(channel, id),
    throttle: throttleMs / 1_000,
    generation,
    createdAt: timeText(createdAt),
    updatedAt: timeText(updatedAt),
    updatedBy,
    author,
  };
}

/** The tag of a notification: it changes with what people write. */
export function notificationTag({ generation }: Pick<NotificationRecord, 'generation'>): string {
  return `"${generation}"`;
}

/** A message as HTTP shows it. */
export function presentDelivery(delivery: DeliveryRecord): PublicDelivery {
  const { attempts, counted, createdAt, deliveredAt, dueAt, flow, id, kind } = delivery;
  const { lastError, message, of, phase, state, subject } = delivery;
  return {
    deliveryId: id,
    on: kind,
    ...{ subject, phase, of, state, message, flow, counted, attempts, lastError },
    createdAt: timeText(createdAt),
    deliveredAt: deliveredAt === null ? null : timeText(deliveredAt),
    nextAttemptAt: dueAt === null ? null : timeText(dueAt),
  };
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
