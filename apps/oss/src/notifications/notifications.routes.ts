import { body, json, READS, type Routes, WRITES } from '../requests/route.js';
import { DELIVERIES_QUERY, NOTIFICATIONS_QUERY } from './notification.query.js';
import { readNotificationRequest, redeliverReader } from './notification.request.js';

/** Problem codes of any change of a notification. */
const CHANGES = [
  ...WRITES,
  'REVISION_CHANGED',
  'NOTIFICATION_NOT_FOUND',
  'RECORD_UNREADABLE',
] as const;

const WHO = 'X-Backstep-Actor';

/** The requests about notifications. */
export const NOTIFICATION_ROUTES = {
  listNotifications: {
    at: 'GET /v1/notifications',
    need: { role: 'viewer' },
    summary: 'List notifications, by name',
    description:
      'Each says which events of which tasks it reports, and where to. Secrets of channels ' +
      'are shown as `***`.',
    query: NOTIFICATIONS_QUERY,
    answers: { 200: json('One page', 'NotificationPage') },
    problems: READS,
  },
  getNotification: {
    at: 'GET /v1/notifications/{name}',
    need: { role: 'viewer' },
    summary: 'A notification: its events, its tasks and its channel',
    description:
      'Its `ETag` is the generation, which grows with each change. The secrets of its channel ' +
      'are shown as `***`.',
    parameters: ['notification'],
    answers: { 200: json('The notification', 'Notification', ['ETag']) },
    problems: [...READS, 'NOTIFICATION_NOT_FOUND', 'RECORD_UNREADABLE'],
  },
  putNotification: {
    at: 'PUT /v1/notifications/{name}',
    need: { role: 'author' },
    summary: 'Store a notification; an equal one changes nothing',
    description:
      'The channel is checked for its form, and nothing is sent yet. A secret that is sent as ' +
      '`***` stays as it is stored.',
    parameters: ['notification', 'If-Match', 'newNotification', WHO],
    body: body('PutNotification', { read: readNotificationRequest }),
    answers: {
      200: json('The notification, which existed before', 'Notification', ['ETag']),
      201: json('The notification, which is new or replaces an unreadable one', 'Notification', [
        'ETag',
        'Location',
      ]),
    },
    problems: [...WRITES, 'REVISION_CHANGED', 'INVALID_NOTIFICATION', 'RECORD_UNREADABLE'],
  },
  removeNotification: {
    at: 'DELETE /v1/notifications/{name}',
    need: { role: 'author' },
    summary: 'Remove a notification; its unsent messages are dropped',
    description:
      'Events from now on are not reported by it. Messages that were delivered stay ' +
      'delivered.',
    parameters: ['notification', 'If-Match'],
    answers: { 204: { description: 'It is removed' } },
    problems: CHANGES,
  },
  testNotification: {
    at: 'POST /v1/notifications/{name}:test',
    need: { role: 'author' },
    summary: 'Send a test message now; answers whether it was delivered',
    description:
      'The message goes through the channel as a real one would. A failure is an answer with ' +
      'its reason, and not an error.',
    actsAgain: true,
    parameters: ['notification', WHO],
    answers: { 200: json('The message, delivered or failed with a reason', 'Delivery') },
    problems: [...WRITES, 'NOTIFICATION_NOT_FOUND', 'RECORD_UNREADABLE'],
  },
  listDeliveries: {
    at: 'GET /v1/notifications/{name}/deliveries',
    need: { role: 'viewer' },
    summary: 'List the messages of a notification, newest first',
    description:
      'Each message has its state, its attempts and its last error. Only the latest messages ' +
      'are kept.',
    parameters: ['notification'],
    query: DELIVERIES_QUERY,
    answers: { 200: json('One page', 'DeliveryPage') },
    problems: [...READS, 'NOTIFICATION_NOT_FOUND', 'RECORD_UNREADABLE'],
  },
  redeliver: {
    at: 'POST /v1/notifications/{name}:redeliver',
    need: { role: 'author' },
    summary: 'Send a message again, under the same id',
    description:
      'The receiver can tell by the id that it is the same message. Use it after the receiver ' +
      'was mended.',
    actsAgain: true,
    parameters: ['notification', WHO],
    body: body('Redeliver', redeliverReader),
    answers: { 200: json('The message, which waits to be sent', 'Delivery') },
    problems: [...WRITES, 'NOTIFICATION_NOT_FOUND', 'DELIVERY_NOT_FOUND', 'RECORD_UNREADABLE'],
  },
} as const satisfies Routes;
