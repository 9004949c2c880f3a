import type { ConsumeMessage } from 'amqplib';
import type { AckLedger } from './ack-ledger.js';
import type { PriorityClass } from './priority-class.js';

/** A message of one of a module's queues, with the channel that brought it. */
export interface Delivery {
  readonly urgency: PriorityClass;
  readonly ledger: AckLedger;
  readonly message: ConsumeMessage;
}

/** How often the broker says that the message was given back before; 0 when it does not say. */
export function timesReturned({ message }: Delivery): number {
  const count: unknown = message.properties.headers?.['x-delivery-count'];
  return typeof count === 'number' && count > 0 ? count : 0;
}
