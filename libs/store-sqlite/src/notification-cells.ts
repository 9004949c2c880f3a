import type { PreviousRow } from './named-row.js';

/** A change of a rule: `tag` tells its writes apart. */
export type NotificationChange =
  | readonly [kind: 'put', name: string, previous: PreviousRow, tag: string, record: string]
  | readonly [kind: 'remove', name: string, previous: PreviousRow]
  | readonly [kind: 'move', position: number];

/** A read of rules. */
export type NotificationsAsked =
  | readonly [kind: 'one', name: string]
  | readonly [kind: 'names', after: string, limit: number, skip: number]
  | readonly [kind: 'position'];

/** A message as stored. */
export type DeliveryCells = readonly [
  id: string,
  revision: number,
  rule: string,
  ruleId: string,
  subject: string,
  createdAt: number,
  dueAt: number | null,
  isOpen: number,
  record: string,
];

/** A change of messages. */
export type DeliveryChange =
  | readonly [kind: 'add', cells: DeliveryCells]
  | readonly [kind: 'save', cells: DeliveryCells]
  | readonly [kind: 'prune', rule: string, kept: number];

/** A read of messages. */
export type DeliveriesAsked =
  | readonly [kind: 'one', id: string]
  | readonly [kind: 'due', now: number, limit: number, skip: number]
  | readonly [kind: 'open', subjects: string]
  | readonly [
      kind: 'rule',
      rule: string,
      createdAt: number,
      id: string,
      limit: number,
      skip: number,
    ]
  | readonly [kind: 'about', subject: string, ruleId: string, limit: number, skip: number];
