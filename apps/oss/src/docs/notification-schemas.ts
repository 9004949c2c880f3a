import { NOTIFICATION_KINDS } from '#ports';
import { CHANNEL_SCHEMAS } from '../notifications/channel.request.js';
import { notificationReader, redeliverReader } from '../notifications/notification.request.js';
import { AUTHOR, object, PAGE, ref, told } from './schema-parts.js';

const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };
const whole = { type: 'integer', minimum: 0 };
const time = { type: 'string', format: 'date-time' };
const timeOrNull = { ...time, type: ['string', 'null'] };

const notification = object({
  name: text,
  on: notificationReader.schema.properties['on'] ?? {},
  q: { ...textOrNull, description: 'Null: all tasks.' },
  channel: ref('Channel'),
  throttle: { type: 'number', minimum: 0, description: 'Seconds; 0: no limit.' },
  generation: { type: 'integer', minimum: 1, description: 'One more with every change.' },
  createdAt: time,
  updatedAt: time,
  updatedBy: text,
  author: AUTHOR,
});

const delivery = object({
  deliveryId: text,
  on: { enum: [...NOTIFICATION_KINDS, 'test'] },
  subject: { ...text, description: 'Id of the task, or name of the module or schedule.' },
  phase: { enum: ['firing', 'resolved'] },
  of: {
    ...textOrNull,
    description: 'Id of the message that it resolves, or of the one that counts it.',
  },
  state: { enum: ['pending', 'delivered', 'failed', 'counted', 'needless'] },
  message: text,
  flow: textOrNull,
  counted: { ...whole, description: 'Number of other messages that it stands for.' },
  attempts: whole,
  lastError: textOrNull,
  createdAt: time,
  deliveredAt: timeOrNull,
  nextAttemptAt: timeOrNull,
});

const CHANNELS = CHANNEL_SCHEMAS.map((schema) => {
  const type = schema.properties.type.const;
  return [type, `Channel${type.charAt(0).toUpperCase()}${type.slice(1)}`, schema] as const;
});

function pageOf(name: string): object {
  return object({
    items: { type: 'array', items: { $ref: `#/components/schemas/${name}` } },
    page: PAGE,
  });
}

/** The schemas of notifications, by name. */
export const NOTIFICATION_SCHEMAS: Readonly<Record<string, object>> = {
  PutNotification: {
    ...notificationReader.schema,
    properties: { ...notificationReader.schema.properties, channel: ref('Channel') },
  },
  Channel: {
    ...told('type', Object.fromEntries(CHANNELS.map(([type, name]) => [type, name]))),
    description: 'Secrets are shown as `***`, which leaves them as they are where it is sent back.',
  },
  ...Object.fromEntries(CHANNELS.map(([, name, schema]) => [name, schema])),
  Redeliver: redeliverReader.schema,
  Notification: notification,
  NotificationPage: pageOf('Notification'),
  Delivery: delivery,
  DeliveryPage: pageOf('Delivery'),
};
