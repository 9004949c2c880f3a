import { DELIVERIES_QUERY, NOTIFICATIONS_QUERY } from './notification.query.js';
import { body, json, type Operation, READS, WRITES } from '../requests/route.js';

/** Problem codes of any change of a notification. */
const CHANGES = [
  ...WRITES,
  'REVISION_CHANGED',
  'NOTIFICATION_NOT_FOUND',
  'RECORD_UNREADABLE',
] as const;

const WHO = 'X-Backstep-Actor';

/** The requests about notifications. */
export const NOTIFICATION_OPERATIONS: readonly Operation[] = [
  {
    route: 'GET /v1/notifications',
    id: 'listNotifications',
    summary: 'List notifications, by name',
    description:
      'Each says which events of which tasks it reports, and where to. Secrets of channels ' +
      'are shown as `***`.',
    tag: 'notifications',
    query: NOTIFICATIONS_QUERY,
    answers: { 200: json('One page', 'NotificationPage') },
    problems: READS,
  },
  {
    route: 'GET /v1/notifications/{name}',
    id: 'getNotification',
    summary: 'A notification: its events, its tasks and its channel',
    description:
      'Its `ETag` is the generation, which grows with each change. The secrets of its channel ' +
      'are shown as `***`.',
    tag: 'notifications',
    parameters: ['notification'],
    answers: { 200: json('The notification', 'Notification', ['ETag']) },
    problems: [...READS, 'NOTIFICATION_NOT_FOUND', 'RECORD_UNREADABLE'],
  },
  {
    route: 'PUT /v1/notifications/{name}',
    id: 'putNotification',
    summary: 'Store a notification; an equal one changes nothing',
    description:
      'The channel is checked for its form, and nothing is sent yet. A secret that is sent as ' +
      '`***` stays as it is stored.',
    tag: 'notifications',
    parameters: ['notification', 'If-Match', 'newNotification', WHO],
    body: body('PutNotification'),
    answers: {
      200: json('The notification, which existed before', 'Notification', ['ETag']),
      201: json('The notification, which is new or replaces an unreadable one', 'Notification', [
        'ETag',
        'Location',
      ]),
    },
    problems: [...WRITES, 'REVISION_CHANGED', 'INVALID_NOTIFICATION', 'RECORD_UNREADABLE'],
  },
  {
    route: 'DELETE /v1/notifications/{name}',
    id: 'removeNotification',
    summary: 'Remove a notification; its unsent messages are dropped',
    description:
      'Events from now on are not reported by it. Messages that were delivered stay ' +
      'delivered.',
    tag: 'notifications',
    parameters: ['notification', 'If-Match'],
    answers: { 204: { description: 'It is removed' } },
    problems: CHANGES,
  },
  {
    route: 'POST /v1/notifications/{name}:test',
    id: 'testNotification',
    summary: 'Send a test message now; answers whether it was delivered',
    description:
      'The message goes through the channel as a real one would. A failure is an answer with ' +
      'its reason, and not an error.',
    tag: 'notifications',
    parameters: ['notification', WHO],
    answers: { 200: json('The message, delivered or failed with a reason', 'Delivery') },
    problems: [...WRITES, 'NOTIFICATION_NOT_FOUND', 'RECORD_UNREADABLE'],
  },
  {
    route: 'GET /v1/notifications/{name}/deliveries',
    id: 'listDeliveries',
    summary: 'List the messages of a notification, newest first',
    description:
      'Each message has its state, its attempts and its last error. Only the latest messages ' +
      'are kept.',
    tag: 'notifications',
    parameters: ['notification'],
    query: DELIVERIES_QUERY,
    answers: { 200: json('One page', 'DeliveryPage') },
    problems: [...READS, 'NOTIFICATION_NOT_FOUND', 'RECORD_UNREADABLE'],
  },
  {
    route: 'POST /v1/notifications/{name}:redeliver',
    id: 'redeliver',
    summary: 'Send a message again, under the same id',
    description:
      'The receiver can tell by the id that it is the same message. Use it after the receiver ' +
      'was mended.',
    tag: 'notifications',
    parameters: ['notification', WHO],
    body: body('Redeliver'),
    answers: { 200: json('The message, which waits to be sent', 'Delivery') },
    problems: [...WRITES, 'NOTIFICATION_NOT_FOUND', 'DELIVERY_NOT_FOUND', 'RECORD_UNREADABLE'],
  },
];
