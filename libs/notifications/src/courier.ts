import { growingDelay } from '#core';
import { allOf, type Observer, type Records, RecordUnreadable } from '#ports';
import type { Clock, Deliveries, DeliveryRecord, NotificationRecord } from '#ports';
import { blankDelivery, changeDelivery } from './ledger.js';

/** The other side did not take a message; it may be sent again. The message is a sentence. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
}

/** Hands messages to what people read. */
export interface MessageSender {
  /** Resolves when the other side has it. Throws `NotSent`. */
  send(rule: NotificationRecord, delivery: DeliveryRecord): Promise<void>;
}

/** The parts of a courier. */
interface CourierParts {
  readonly notifications: Pick<Records<NotificationRecord>, 'get' | 'put'>;
  readonly deliveries: Deliveries;
  readonly sender: MessageSender;
  readonly clock: Pick<Clock, 'now'>;
  readonly observer: Pick<Observer, 'noticed'>;
}

/** Longer than sending may take: after it, the process that had a message is taken for gone. */
const CLAIM_MS = 30_000;

/** Messages that are sent side by side. */
const PAGE = 20;

/** Pages of one tick, so that a great backlog does not keep a loop from stopping. */
const PAGES_MAX = 20;

/** Times that a message is tried: for about a day. */
const ATTEMPTS_MAX = 50;

/** Waits between attempts, doubling from the first to the last, in milliseconds. */
const WAITS = { firstMs: 5_000, maxMs: 1_800_000 };

/** How long the end of something waits for the message that it began, in milliseconds. */
const ORDER_MS = 2_000;

/** How long a message waits whose rule, or whose beginning, cannot be read, in milliseconds. */
const UNREADABLE_MS = 60_000;

/** Messages that one tells of at most besides itself. */
const COUNTED_MAX = 1_000;

/**
 * Sends messages that are due. Each is claimed by a conditional write first, for longer than
 * sending takes; one whose sender died is sent again by another process, under the same id.
 */
export class Courier {
  constructor(private readonly parts: CourierParts) {}

  /** Sends everything that is due now. Throws `StoreUnavailable`. */
  async tick(): Promise<void> {
    const { clock, deliveries } = this.parts;
    // A receiver that hangs must not hold up those of other rules with all of its messages.
    const refusing = new Set<string>();
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const due = await deliveries.list({ index: 'due', upTo: clock.now(), limit: PAGE });
      const sent = await Promise.allSettled(due.map((each) => this.look(each, refusing)));
      const failed = sent.find(({ status }) => status === 'rejected');
      if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
      if (due.length < PAGE) return;
    }
  }

  /** Tries a message at once, once. It is not tried again by itself. */
  async test(rule: NotificationRecord, id: string): Promise<DeliveryRecord> {
    const { clock, deliveries } = this.parts;
    const message = `A test of the notification ${rule.name}.`;
    const first = { ...blankDelivery(rule, clock.now()), id, message, subject: rule.name };
    await deliveries.put({ ...first, dueAt: null, attempts: 1 }, null);
    const error = await this.errorOf(rule, first);
    const result = error === null ? this.delivered() : { state: 'failed' as const };
    const stored = await changeDelivery(deliveries, id, () => ({ ...result, lastError: error }));
    return stored ?? { ...first, ...result, lastError: error };
  }

  /** A delivery whose record cannot be read must not take the place of others. */
  private async look(delivery: DeliveryRecord, refusing: Set<string>): Promise<void> {
    try {
      if (!refusing.has(delivery.rule)) return await this.deliver(delivery, refusing);
      await this.postpone(delivery, this.parts.clock.now() + WAITS.firstMs);
    } catch (error) {
      if (!(error instanceof RecordUnreadable)) throw error;
      await this.postpone(delivery, this.parts.clock.now() + UNREADABLE_MS);
    }
  }

  /** `refusing`: rules with a message that was not taken in this round. */
  private async deliver(delivery: DeliveryRecord, refusing: Set<string>): Promise<void> {
    const { notifications } = this.parts;
    const rule = await notifications.get(delivery.rule);
    if (rule === null || rule.id !== delivery.ruleId) return this.settle(delivery, 'needless');
    if (delivery.phase === 'resolved' && !(await this.isTurn(delivery))) return;
    const claimed = await this.claimOf(rule, delivery);
    if (claimed === null) return;
    const counted = await this.gather(rule, claimed);
    const error = await this.errorOf(rule, { ...claimed, counted });
    if (error === null) return this.note(claimed, { ...this.delivered(), counted });
    refusing.add(rule.name);
    await this.noteFailure(claimed, error);
  }

  /** The end is told after the beginning, and only where that was told, or is not kept any more. */
  private async isTurn(delivery: DeliveryRecord): Promise<boolean> {
    const { clock, deliveries } = this.parts;
    const began = delivery.of === null ? null : await deliveries.get(delivery.of);
    if (began === null || began.state === 'delivered') return true;
    if (began.state === 'pending') await this.postpone(delivery, clock.now() + ORDER_MS);
    else await this.settle(delivery, 'needless');
    return false;
  }

  /** Claims where the rule may send: one message in its quiet time; an end is never kept back. */
  private async claimOf(
    rule: NotificationRecord,
    delivery: DeliveryRecord,
  ): Promise<DeliveryRecord | null> {
    const { clock, notifications } = this.parts;
    const { throttleMs } = rule.order;
    const isFree = throttleMs === 0 || delivery.isCarrier || delivery.phase === 'resolved';
    if (isFree) return this.claim(delivery);
    const now = clock.now();
    if (now < rule.quietUntil) {
      await this.postpone(delivery, rule.quietUntil);
      return null;
    }
    // Others wait while it is claimed, and for all of the time only once it is: it may fail.
    const quietUntil = now + Math.min(throttleMs, CLAIM_MS);
    const first = { ...rule, quietUntil, revision: rule.revision + 1 };
    const claimed = (await notifications.put(first, rule)) && (await this.claim(delivery));
    if (!claimed) return null;
    const whole = { ...first, quietUntil: now + throttleMs, revision: first.revision + 1 };
    await notifications.put(whole, first).catch(() => false);
    return claimed;
  }

  private async claim(delivery: DeliveryRecord): Promise<DeliveryRecord | null> {
    const { clock, deliveries } = this.parts;
    const next: DeliveryRecord = {
      ...delivery,
      revision: delivery.revision + 1,
      attempts: delivery.attempts + 1,
      dueAt: clock.now() + CLAIM_MS,
      isCarrier: true,
    };
    return (await deliveries.put(next, delivery)) ? next : null;
  }

  /** How many others it tells of: those that wait for the end of the same quiet time. */
  private async gather(rule: NotificationRecord, carrier: DeliveryRecord): Promise<number> {
    if (rule.order.throttleMs === 0 || carrier.phase === 'resolved') return 0;
    const { deliveries } = this.parts;
    let counted = 0;
    for (const other of await allOf(deliveries, { index: 'rule', of: [rule.name] })) {
      if (counted === COUNTED_MAX) break;
      if (other.ruleId !== rule.id || other.phase === 'resolved') continue;
      if (other.state === 'counted' && other.of === carrier.id) counted += 1;
      if (other.state !== 'pending' || other.isCarrier) continue;
      const next = { ...other, state: 'counted', of: carrier.id, dueAt: null } as const;
      if (await deliveries.put({ ...next, revision: other.revision + 1 }, other)) counted += 1;
    }
    return counted;
  }

  private async errorOf(
    rule: NotificationRecord,
    delivery: DeliveryRecord,
  ): Promise<string | null> {
    try {
      await this.parts.sender.send(rule, delivery);
      return null;
    } catch (error) {
      if (error instanceof NotSent) return error.message;
      const message = `a message of ${rule.name} could not be made`;
      this.parts.observer.noticed({ level: 'error', name: 'notification_failed', message, error });
      return 'The message could not be made; the log of the gateway says why.';
    }
  }

  private async noteFailure(claimed: DeliveryRecord, lastError: string): Promise<void> {
    const { clock, observer } = this.parts;
    const isLast = claimed.attempts >= ATTEMPTS_MAX;
    const waitMs = growingDelay(WAITS, claimed.attempts);
    const message = `a message of ${claimed.rule} was not accepted: ${lastError}`;
    const level = isLast ? 'error' : 'warn';
    observer.noticed({ level, name: 'notification_not_taken', message });
    const next = isLast
      ? { state: 'failed' as const, dueAt: null }
      : { dueAt: clock.now() + waitMs };
    await this.note(claimed, { ...next, lastError });
  }

  private delivered(): Partial<DeliveryRecord> {
    return { state: 'delivered', deliveredAt: this.parts.clock.now(), dueAt: null };
  }

  private async settle({ id }: DeliveryRecord, state: DeliveryRecord['state']): Promise<void> {
    await changeDelivery(this.parts.deliveries, id, (current) => {
      return current.state === 'pending' ? { state, dueAt: null } : null;
    });
  }

  private async postpone(delivery: DeliveryRecord, dueAt: number): Promise<void> {
    const next = { ...delivery, dueAt, revision: delivery.revision + 1 };
    await this.parts.deliveries.put(next, delivery);
  }

  /** Another process may have noted meanwhile that what it tells of is over. */
  private async note({ id }: DeliveryRecord, more: Partial<DeliveryRecord>): Promise<void> {
    await changeDelivery(this.parts.deliveries, id, (current) => {
      return current.state === 'pending' ? more : null;
    });
  }
}
