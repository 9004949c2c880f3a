import type { DeliveryRecord, NotificationRecord } from '#ports';
import type { PublicAuthor } from '../access/authors.js';
import type { ChannelSecrets } from './channel-secrets.js';
import { type Shown, timeText } from '../requests/shown.js';

/** A notification as HTTP shows it. Times are ISO 8601. */
export type PublicNotification = Shown<'Notification'>;

/** A message as HTTP shows it. Times are ISO 8601. */
export type PublicDelivery = Shown<'Delivery'>;

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
    channel: secrets.mask(channel, id) as PublicNotification['channel'],
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
