import { COUNT, DATE, FINITE, FLAG, MOMENT, NUMBERED, oneOf, orNull, TEXT } from '#core/json';
import { recordKind } from '../record-kind.js';
import type { Records } from '../record-store.js';
import { NOTIFICATION_KINDS, type NotificationKind } from './notification.js';

/**
 * The states of a message. `counted`: another one tells of it. `needless`: there is nothing to
 * tell.
 */
const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'counted', 'needless'] as const;

type DeliveryState = (typeof DELIVERY_STATES)[number];

/** One message of a rule, as stored. Times are milliseconds since 1970. */
export interface DeliveryRecord {
  /** It follows from the rule and the fact, so that the same fact has one message. */
  readonly id: string;
  /** 1 and one more with every write: every write is conditional on it. */
  readonly revision: number;
  /** Name and id of its rule. */
  readonly rule: string;
  readonly ruleId: string;
  readonly kind: NotificationKind | 'test';
  /** Id of the task, or name of the module or the schedule. */
  readonly subject: string;
  /** Which time of the same kind and subject this is: 1 and more. */
  readonly episode: number;
  /** Tells the fact from a later one of which the end was not seen. */
  readonly key: string;
  /** Grows as the subject moves: what is older is known. */
  readonly mark: number;
  /** `firing`: something began; `resolved`: it is over. */
  readonly phase: 'firing' | 'resolved';
  /**
   * `resolved`: id of the message about the beginning. `counted`: id of the one that counts it.
   * Else null.
   */
  readonly of: string | null;
  /** The fact that it reports has not ended, as far as is known. */
  readonly isOpen: boolean;
  readonly message: string;
  /** Flow of the task; null: it is about no task. */
  readonly flow: string | null;
  readonly state: DeliveryState;
  /** How many others it tells of besides. */
  readonly counted: number;
  /** It was begun, so that the quiet time of its rule does not stop it. */
  readonly isCarrier: boolean;
  readonly attempts: number;
  readonly lastError: string | null;
  readonly createdAt: number;
  readonly deliveredAt: number | null;
  /** When the engine must look at it; null: it is done with. */
  readonly dueAt: number | null;
}

type DeliveryIndex = 'about' | 'due' | 'open' | 'rule';

/** Messages of rules in a store. */
export type Deliveries = Records<DeliveryRecord, DeliveryIndex>;

/**
 * Messages of rules. `rule`: those of a rule, by its name; `about`: those of a rule, by its id,
 * about a subject; `open`: about a subject, and open.
 */
export const DELIVERY = recordKind<DeliveryRecord, DeliveryIndex>({
  name: 'delivery',
  plural: 'notification_deliveries',
  shape: {
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
  idOf: ({ id }) => id,
  version: ['revision'],
  moments: ['createdAt', 'deliveredAt', 'dueAt'],
  indexes: {
    due: { of: [], by: 'dueAt' },
    rule: { of: ['rule'], by: 'createdAt' },
    about: { of: ['ruleId', 'subject'], by: 'createdAt' },
    open: { of: ['subject'], by: 'createdAt', where: 'isOpen' },
  },
});
