import { RecordUnreadable } from '#ports';
import type {
  DeliveryQuery,
  DeliveryRecord,
  DeliveryStore,
  NotificationQuery,
  NotificationRecord,
  NotificationStore,
  NotificationVersion,
} from '#ports';

/** The notification rules and deliveries that a memory store keeps. */
export interface NotificationContents {
  readonly rules: Map<string, NotificationRecord>;
  readonly deliveries: Map<string, DeliveryRecord>;
  position: number;
}

/** Rules of notifications in memory. */
export class MemoryNotifications implements NotificationStore {
  /** Names of those that cannot be read; a write in the place of one mends it. */
  readonly unreadable = new Set<string>();

  /** `answer`: called after a write took effect, and throws where its answer is lost. */
  constructor(
    private readonly open: () => NotificationContents,
    private readonly answer: () => void,
  ) {}

  async find(name: string): Promise<NotificationRecord | null> {
    const found = this.open().rules.get(name) ?? null;
    if (!this.unreadable.has(name)) return found;
    throw new RecordUnreadable('notification', name, 'order is missing', found);
  }

  async save(next: NotificationRecord, previous: NotificationVersion | null): Promise<boolean> {
    const { rules } = this.open();
    if (!isSame(rules.get(next.name), previous)) return false;
    rules.set(next.name, next);
    this.unreadable.delete(next.name);
    this.answer();
    return true;
  }

  async remove(name: string, previous: NotificationVersion): Promise<boolean> {
    const { rules } = this.open();
    if (!isSame(rules.get(name), previous)) return false;
    rules.delete(name);
    this.unreadable.delete(name);
    this.answer();
    return true;
  }

  async list({ after = '', limit }: NotificationQuery): Promise<readonly NotificationRecord[]> {
    const { rules } = this.open();
    const names = [...rules.keys()].filter((name) => name > after).toSorted();
    return names.slice(0, limit).map((name) => rules.get(name)!);
  }

  async position(): Promise<number> {
    return this.open().position;
  }

  async moveTo(position: number): Promise<void> {
    const contents = this.open();
    contents.position = Math.max(contents.position, position);
    this.answer();
  }
}

function isSame(
  stored: NotificationRecord | undefined,
  previous: NotificationVersion | null,
): boolean {
  if (previous === null) return stored === undefined;
  if (previous instanceof RecordUnreadable) return previous.stored() === stored;
  return stored?.id === previous.id && stored.revision === previous.revision;
}

/** Messages of notifications in memory. */
export class MemoryDeliveries implements DeliveryStore {
  /** `answer`: called after a write took effect, and throws where its answer is lost. */
  constructor(
    private readonly open: () => Pick<NotificationContents, 'deliveries'>,
    private readonly answer: () => void,
  ) {}

  async find(id: string): Promise<DeliveryRecord | null> {
    return this.open().deliveries.get(id) ?? null;
  }

  async add(delivery: DeliveryRecord): Promise<boolean> {
    const { deliveries } = this.open();
    if (deliveries.has(delivery.id)) return false;
    deliveries.set(delivery.id, delivery);
    this.answer();
    return true;
  }

  async save(next: DeliveryRecord): Promise<boolean> {
    const { deliveries } = this.open();
    if (deliveries.get(next.id)?.revision !== next.revision - 1) return false;
    deliveries.set(next.id, next);
    this.answer();
    return true;
  }

  async findDue(now: number, limit: number): Promise<readonly DeliveryRecord[]> {
    const due = [...this.open().deliveries.values()].filter(
      ({ dueAt }) => dueAt !== null && dueAt <= now,
    );
    return due.sort((a, b) => (a.dueAt ?? 0) - (b.dueAt ?? 0)).slice(0, limit);
  }

  async findOpen(subjects: readonly string[]): Promise<readonly DeliveryRecord[]> {
    return this.newest(({ isOpen, subject }) => isOpen && subjects.includes(subject));
  }

  async list({ after, limit, rule }: DeliveryQuery): Promise<readonly DeliveryRecord[]> {
    const own = this.newest((delivery) => delivery.rule === rule);
    const rest = after === undefined ? own : own.filter((each) => isNewer(after, each));
    return rest.slice(0, limit);
  }

  async about(ruleId: string, subject: string): Promise<readonly DeliveryRecord[]> {
    const found = this.newest((each) => each.ruleId === ruleId && each.subject === subject);
    return found.slice(0, 20);
  }

  async prune(rule: string, kept: number): Promise<void> {
    const { deliveries } = this.open();
    const own = this.newest((delivery) => delivery.rule === rule);
    for (const { id } of own.slice(kept)) deliveries.delete(id);
    this.answer();
  }

  private newest(fits: (delivery: DeliveryRecord) => boolean): readonly DeliveryRecord[] {
    const found = [...this.open().deliveries.values()].filter(fits);
    return found.sort((a, b) => (isNewer(a, b) ? -1 : 1));
  }
}

type Place = Pick<DeliveryRecord, 'createdAt' | 'id'>;

function isNewer(a: Place, b: Place): boolean {
  return a.createdAt === b.createdAt ? a.id > b.id : a.createdAt > b.createdAt;
}
