import {
  COUNT,
  DATE,
  FINITE,
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
} from '#core/json';
import { recordKind } from '../record-kind.js';

/** The facts about tasks that a notification can be about. */
export const TASK_NOTIFICATION_KINDS = [
  /** The task has done its work. */
  'succeeded',
  /** The task ended without having done its work: rolled back, or terminated. */
  'failed',
  /** The task is on hold and waits for a person. */
  'held',
  /** A rollback of the task failed: nothing moves until a person acts. */
  'stuck',
  /** A step of the task waits for a person's yes or no. */
  'waiting',
  /** The rest of the task takes longer than its deadline allows, as past tasks tell. */
  'deadline_at_risk',
] as const;

/** All facts that a notification can be about. */
export const NOTIFICATION_KINDS = [
  ...TASK_NOTIFICATION_KINDS,
  /** No executor serves a module that a flow uses. */
  'executor_gone',
  /** Many messages of a module wait. */
  'backlog',
  /** A moment of a schedule passed while no gateway lived. */
  'schedule_missed',
] as const;

/** A fact that a notification can be about. */
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

/** Where messages go. Texts that are secret are sealed. */
export type NotificationChannel =
  | { readonly type: 'webhook'; readonly url: string; readonly secret?: string | undefined }
  | { readonly type: 'slack'; readonly url: string }
  | { readonly type: 'pagerduty'; readonly routingKey: string; readonly url?: string | undefined }
  | {
      readonly type: 'email';
      /** `smtp://user:password@host:587`, or `smtps:`. */
      readonly server: string;
      readonly from: string;
      readonly to: readonly string[];
    };

/** The definition of a notification rule, as it was written. */
export interface NotificationOrder {
  /** At least one, each once. */
  readonly on: readonly NotificationKind[];
  /** Which tasks, by the grammar of lists; null: all. */
  readonly q: string | null;
  readonly channel: NotificationChannel;
  /** At most one message in this time, in milliseconds; 0: as many as come. */
  readonly throttleMs: number;
}

/** Tasks that the author of a rule could see; null: all of them. */
export interface NotificationScope {
  readonly flows: readonly string[] | null;
  readonly labels: Readonly<Record<string, string>> | null;
}

/** A rule as stored. Times are milliseconds since 1970. */
export interface NotificationRecord {
  readonly name: string;
  /** New with every rule that is stored under a name that was free. */
  readonly id: string;
  /** 1 and one more with every write: every write is conditional on it. */
  readonly revision: number;
  /** 1 and one more with every change by a person. */
  readonly generation: number;
  readonly order: NotificationOrder;
  readonly scope: NotificationScope;
  /** Number of the change of tasks after which it looks. */
  readonly since: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly updatedBy: string;
  /** Of the key or the token that it was stored with; absent: nobody was asked for one. */
  readonly keyId?: string;
  /** Before this moment, none of its messages is sent except those that were begun. */
  readonly quietUntil: number;
}

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

/** Rules of notifications. */
export const NOTIFICATION = recordKind<NotificationRecord>({
  name: 'notification',
  plural: 'notifications',
  shape: {
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
  idOf: ({ name }) => name,
  version: ['id', 'revision'],
  moments: ['createdAt', 'updatedAt', 'quietUntil'],
  indexes: {},
});

/** Up to which change of tasks the rules were looked at. */
export interface NotificationPosition {
  /** The kind of changes: `tasks`. */
  readonly of: string;
  readonly position: number;
}

/** How far the rules are. */
export const NOTIFICATION_POSITION = recordKind<NotificationPosition>({
  name: 'notification_position',
  plural: 'notification_positions',
  shape: { of: TEXT, position: FINITE },
  idOf: (record) => record.of,
  version: ['position'],
  indexes: {},
});
