import { allOf, type Deliveries, RecordUnreadable } from '#ports';
import type { Clock, DeliveryRecord, Entropy, NotificationRecord } from '#ports';
import type { Fact, Subject } from './facts.js';

/** Messages of a rule that are kept: the newest; and the most, with older ones that are needed. */
const KEPT = 500;
const KEPT_MAX = 10_000;

/** Messages about one subject that are looked at: the newest. */
const ABOUT_MAX = 20;

/** Writes that are tried: each of the others was overtaken by one that took effect. */
const TRIES = 20;

/** The parts of a ledger. */
interface LedgerParts {
  readonly deliveries: Deliveries;
  readonly clock: Pick<Clock, 'now'>;
  readonly entropy: Pick<Entropy, 'idOf'>;
}

/** A subject, and which rules are about it. */
export interface JudgedSubject extends Subject {
  readonly fits: (rule: NotificationRecord) => boolean;
}

/** Whether a channel takes the news that something is over. */
function tellsEnds({ order }: Pick<NotificationRecord, 'order'>): boolean {
  return order.channel.type === 'webhook' || order.channel.type === 'pagerduty';
}

/**
 * Makes messages of facts: one for each time that something begins, and one for its end. Their ids
 * follow from the rule, the subject and which time it is, so that any number of gateways may look
 * at the same, and look again.
 */
export class FactLedger {
  constructor(private readonly parts: LedgerParts) {}

  /** Compares what is now with what was told. Throws `StoreUnavailable`. */
  async settle(
    rules: readonly NotificationRecord[],
    subjects: readonly JudgedSubject[],
  ): Promise<void> {
    if (subjects.length === 0) return;
    const { deliveries } = this.parts;
    const ids = subjects.map(({ id }) => id);
    const open = await allOf(deliveries, { index: 'open', anyOf: ids });
    const grown = new Set<NotificationRecord>();
    for (const subject of subjects) {
      for (const rule of rules) {
        const own = open.filter(({ kind, ruleId, subject: id }) => {
          return id === subject.id && ruleId === rule.id && subject.kinds.some((k) => k === kind);
        });
        if (await this.compare(rule, subject, own)) grown.add(rule);
      }
    }
    for (const rule of grown) await this.tidy(rule);
  }

  /**
   * Removes old messages, but those that are to be sent, or whose end is to be told. A page is
   * enough: it begins with those that new ones have just pushed out of the newest, which are fewer.
   */
  private async tidy({ id, name }: NotificationRecord): Promise<void> {
    const { deliveries } = this.parts;
    const own = { index: 'rule', of: [name], isDescending: true } as const;
    await deliveries.removeAll({ ...own, skip: KEPT_MAX, limit: KEPT });
    const old = await deliveries.list({ ...own, skip: KEPT, limit: KEPT });
    const done = old.filter(({ isOpen, kind, ruleId, state }) => {
      const mayEnd = isOpen && kind !== 'failed' && kind !== 'succeeded';
      return ruleId !== id || (state !== 'pending' && !mayEnd);
    });
    await Promise.all(done.map((told) => deliveries.remove(told.id, told)));
  }

  /** Whether there is a new message. */
  private async compare(
    rule: NotificationRecord,
    subject: JudgedSubject,
    open: readonly DeliveryRecord[],
  ): Promise<boolean> {
    const isOf = (a: Fact, b: DeliveryRecord): boolean => a.kind === b.kind && a.key === b.key;
    let isGrown = false;
    for (const told of open) {
      const isOn = subject.facts.some((fact) => isOf(fact, told) && fact.isOver !== true);
      if (isOn || told.mark > subject.mark) continue;
      if (await this.resolve(rule, subject, told)) isGrown = true;
    }
    const wanted = subject.facts.filter(({ kind }) => rule.order.on.includes(kind));
    if (wanted.length === 0 || !subject.fits(rule)) return isGrown;
    for (const fact of wanted) {
      if (open.some((told) => isOf(fact, told))) continue;
      if (await this.fire(rule, subject, fact)) isGrown = true;
    }
    return isGrown;
  }

  private async fire(rule: NotificationRecord, subject: Subject, fact: Fact): Promise<boolean> {
    const { clock, deliveries, entropy } = this.parts;
    const { isOver = false, key, kind, message } = fact;
    const about = { index: 'about', of: [rule.id, subject.id], isDescending: true } as const;
    const told = (await deliveries.list({ ...about, limit: ABOUT_MAX }))
      .filter((each) => each.kind === kind && each.phase === 'firing')
      .toSorted((a, b) => b.episode - a.episode);
    const [last] = told;
    // An older look tells nothing new.
    const same = told.find((each) => each.key === key);
    if (same !== undefined && (isOver || same.mark >= subject.mark)) return false;
    const first = (last?.episode ?? 0) + 1;
    for (let episode = first; episode < first + TRIES; episode += 1) {
      const id = entropy.idOf(`notification ${rule.id} ${kind} ${subject.id} ${episode}`);
      const { flow, id: about, mark } = subject;
      const own = { id, kind, subject: about, episode, key, mark, isOpen: true, message, flow };
      if (await deliveries.put({ ...blankDelivery(rule, clock.now()), ...own }, null)) return true;
      if (await this.canBeRead(id)) return false;
    }
    return false;
  }

  /** A message that cannot be read may be of an earlier time, and must not hide this one. */
  private async canBeRead(id: string): Promise<boolean> {
    try {
      await this.parts.deliveries.get(id);
      return true;
    } catch (error) {
      if (error instanceof RecordUnreadable) return false;
      throw error;
    }
  }

  /**
   * The message of the end is there before what began counts as over: whichever process dies, it is
   * sent.
   */
  private async resolve(
    rule: NotificationRecord,
    { mark }: Subject,
    told: DeliveryRecord,
  ): Promise<boolean> {
    const { clock, deliveries, entropy } = this.parts;
    let isNew = false;
    if (tellsEnds(rule)) {
      const { episode, flow, id, key, kind, message, subject } = told;
      const end: DeliveryRecord = {
        ...blankDelivery(rule, clock.now()),
        id: entropy.idOf(`${id} resolved`),
        ...{ episode, flow, key, kind, mark, message, subject },
        phase: 'resolved',
        of: id,
      };
      isNew = await deliveries.put(end, null);
    }
    await changeDelivery(deliveries, told.id, (current) => {
      return current.isOpen ? { isOpen: false, mark: Math.max(mark, current.mark) } : null;
    });
    return isNew;
  }
}

/** A message of a rule that is due now. */
export function blankDelivery(rule: NotificationRecord, now: number): DeliveryRecord {
  return {
    id: '',
    revision: 1,
    rule: rule.name,
    ruleId: rule.id,
    kind: 'test',
    subject: '',
    episode: 1,
    key: '',
    mark: 0,
    phase: 'firing',
    of: null,
    isOpen: false,
    message: '',
    flow: null,
    state: 'pending',
    counted: 0,
    isCarrier: false,
    attempts: 0,
    lastError: null,
    createdAt: now,
    deliveredAt: null,
    dueAt: now,
  };
}

/** Changes a message beside other processes; null from `change` leaves it. Tells how it is then. */
export async function changeDelivery(
  deliveries: Pick<Deliveries, 'get' | 'put'>,
  id: string,
  change: (current: DeliveryRecord) => Partial<DeliveryRecord> | null,
): Promise<DeliveryRecord | null> {
  for (let n = 0; n < TRIES; n += 1) {
    const current = await deliveries.get(id);
    const more = current && change(current);
    if (current === null || more === null) return current;
    const next = { ...current, ...more, revision: current.revision + 1 };
    if (await deliveries.put(next, current)) return next;
  }
  return null;
}
