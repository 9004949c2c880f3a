import type { RecordUnreadable } from './errors.js';

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

/**
 * The states of a message. `counted`: another one tells of it. `needless`: there is nothing to
 * tell.
 */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'counted', 'needless'] as const;

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
  /** When somebody must look at it; null: it is done with. */
  readonly dueAt: number | null;
}

/** Which rules to list. */
export interface NotificationQuery {
  /** Only names behind this one. */
  readonly after?: string | undefined;
  /** At least 1. */
  readonly limit: number;
}

/**
 * The stored rule that a write takes the place of: the one that was read, or the very one that
 * could not be.
 */
export type NotificationVersion = Pick<NotificationRecord, 'id' | 'revision'> | RecordUnreadable;

/**
 * Where rules of notifications are kept. Every method may throw `StoreUnavailable`, which says
 * nothing about whether a write took effect.
 */
export interface NotificationStore {
  /** The rule as it is stored now, or null. Throws `RecordUnreadable`. */
  find(name: string): Promise<NotificationRecord | null>;
  /**
   * Stores a rule durably in the place of the one that was read; `previous` null: only if the name
   * is free. False: somebody else was first, and nothing was stored.
   */
  save(next: NotificationRecord, previous: NotificationVersion | null): Promise<boolean>;
  /** Removes the rule that was read. False: it is another one by now, or gone. */
  remove(name: string, previous: NotificationVersion): Promise<boolean>;
  /** By the code units of their names. */
  list(query: NotificationQuery): Promise<readonly NotificationRecord[]>;
  /** Up to which change of tasks rules were looked at; 0: none was. */
  position(): Promise<number>;
  /** Moves it on; it never goes back. */
  moveTo(position: number): Promise<void>;
}

/** Which deliveries to list. */
export interface DeliveryQuery {
  readonly rule: string;
  /** Only those behind this one, in the order of the list. */
  readonly after?: Pick<DeliveryRecord, 'createdAt' | 'id'> | undefined;
  /** At least 1. */
  readonly limit: number;
}

/** Where messages of rules are kept. Every method may throw `StoreUnavailable`. */
export interface DeliveryStore {
  find(id: string): Promise<DeliveryRecord | null>;
  /** Stores a new one durably. False: there is one of this id. */
  add(delivery: DeliveryRecord): Promise<boolean>;
  /** Stores the next revision. False: the stored one is not the one before, or is gone. */
  save(next: DeliveryRecord): Promise<boolean>;
  /** Those whose `dueAt` has come, the earliest first. */
  findDue(now: number, limit: number): Promise<readonly DeliveryRecord[]>;
  /** Those that are about one of these subjects and open. */
  findOpen(subjects: readonly string[]): Promise<readonly DeliveryRecord[]>;
  /** Those of a rule, by its name, newest first. */
  list(query: DeliveryQuery): Promise<readonly DeliveryRecord[]>;
  /** The newest of a rule, by its id, about a subject, at most 20. */
  about(ruleId: string, subject: string): Promise<readonly DeliveryRecord[]>;
  /** Removes all of a rule, by its name, but so many of the newest. */
  prune(rule: string, kept: number): Promise<void>;
}
