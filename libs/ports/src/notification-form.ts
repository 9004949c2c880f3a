import {
  COUNT,
  DATE,
  FINITE,
  FLAG,
  listOf,
  MOMENT,
  NUMBERED,
  OBJECT,
  oneOf,
  orAbsent,
  orNull,
  type Rule,
  TEXT,
  TEXT_LIST,
  TEXTS,
  withMembers,
} from '#core';
import { DELIVERY_STATES, NOTIFICATION_KINDS } from './notification-store.js';
import type {
  DeliveryRecord,
  NotificationOrder,
  NotificationRecord,
  NotificationScope,
} from './notification-store.js';
import { textCheck } from './record-form.js';

const CHANNELS: Readonly<Record<string, Rule>> = {
  webhook: withMembers({ url: TEXT, secret: orAbsent(TEXT) }, 'a webhook'),
  slack: withMembers({ url: TEXT }, 'a channel of Slack'),
  pagerduty: withMembers({ routingKey: TEXT, url: orAbsent(TEXT) }, 'a service of PagerDuty'),
  email: withMembers({ server: TEXT, from: TEXT, to: TEXT_LIST }, 'addresses of mail'),
};

const CHANNEL: Rule = {
  means: 'a channel that this version knows',
  holds: (value) => {
    if (!OBJECT.holds(value)) return false;
    return CHANNELS[String((value as { type?: unknown }).type)]?.holds(value) === true;
  },
};

const ORDER = withMembers<NotificationOrder>(
  {
    on: listOf(oneOf(NOTIFICATION_KINDS, 'a fact'), 'a list of facts'),
    q: orNull(TEXT),
    channel: CHANNEL,
    throttleMs: FINITE,
  },
  'the order of a notification',
);

const SCOPE = withMembers<NotificationScope>(
  { flows: orNull(TEXT_LIST), labels: orNull(TEXTS) },
  'what its author could see',
);

/** The rule of a stored text, under its name. Throws `DocumentFault`. */
export const readNotification = textCheck<NotificationRecord>(
  {
    name: TEXT,
    id: TEXT,
    revision: NUMBERED,
    generation: COUNT,
    order: ORDER,
    scope: SCOPE,
    since: FINITE,
    createdAt: DATE,
    updatedAt: DATE,
    updatedBy: TEXT,
    keyId: orAbsent(TEXT),
    quietUntil: MOMENT,
  },
  'name',
);

/** The message of a stored text, under its id. Throws `DocumentFault`. */
export const readDelivery = textCheck<DeliveryRecord>(
  {
    id: TEXT,
    revision: NUMBERED,
    rule: TEXT,
    ruleId: TEXT,
    kind: oneOf([...NOTIFICATION_KINDS, 'test'], 'a fact'),
    subject: TEXT,
    episode: NUMBERED,
    key: TEXT,
    mark: FINITE,
    phase: oneOf(['firing', 'resolved'], 'a phase'),
    of: orNull(TEXT),
    isOpen: FLAG,
    message: TEXT,
    flow: orNull(TEXT),
    state: oneOf(DELIVERY_STATES, 'a state of messages'),
    counted: COUNT,
    isCarrier: FLAG,
    attempts: COUNT,
    lastError: orNull(TEXT),
    createdAt: DATE,
    deliveredAt: orNull(MOMENT),
    dueAt: orNull(MOMENT),
  },
  'id',
);
