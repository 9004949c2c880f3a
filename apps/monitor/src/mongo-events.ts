import type { Collection, Db } from 'mongodb';
import { orUnavailable } from '#barrier';
import type { EventLog, ReportedEvent, StoredEvent, Storing } from './event-log.js';

/** An event as stored; `_id` is its id. */
interface EventDocument extends Omit<StoredEvent, 'at' | 'id'> {
  readonly _id: string;
  readonly at: Date;
}

const DUPLICATE_KEY = 11_000;

/** Events in a database that executors on several machines share. */
export class MongoEvents implements EventLog {
  readonly #events: Collection<EventDocument>;

  private constructor(db: Db) {
    this.#events = db.collection<EventDocument>('monitor_events');
  }

  /** The events of a database, with the indexes that their lists need. */
  static async open(db: Db): Promise<MongoEvents> {
    const events = new MongoEvents(db);
    await events.#events.createIndex({ at: 1 });
    await events.#events.createIndex({ taskId: 1, at: 1 });
    return events;
  }

  async add(
    { id, ...event }: ReportedEvent,
    { hasReceiver, now }: Storing,
  ): Promise<{ event: StoredEvent; isNew: boolean }> {
    const document = { ...event, at: new Date(now), delivered: hasReceiver ? false : null };
    const before = await orUnavailable(this.#insert({ _id: id, ...document }));
    return { event: storedEvent(before ?? { _id: id, ...document }), isNew: before === null };
  }

  async markDelivered(id: string): Promise<void> {
    await orUnavailable(this.#events.updateOne({ _id: id }, { $set: { delivered: true } }));
  }

  async removeOld(before: number, limit: number): Promise<number> {
    const old = { at: { $lt: new Date(before) } };
    const found = this.#events
      .find(old)
      .sort({ at: 1 })
      .limit(limit)
      .project<{ _id: string }>({ _id: 1 });
    const ids = (await orUnavailable(found.toArray())).map(({ _id }) => _id);
    if (ids.length === 0) return 0;
    const removed = await orUnavailable(this.#events.deleteMany({ _id: { $in: ids } }));
    return removed.deletedCount;
  }

  async list(limit: number, taskId?: string): Promise<readonly StoredEvent[]> {
    const found = this.#events
      .find(taskId === undefined ? {} : { taskId })
      .sort({ at: -1, _id: -1 })
      .limit(limit);
    return (await orUnavailable(found.toArray())).map(storedEvent);
  }

  /** Returns what is there already, or null where there was nothing. */
  async #insert(event: EventDocument): Promise<EventDocument | null> {
    try {
      await this.#events.insertOne(event);
      return null;
    } catch (error) {
      if ((error as { code?: unknown } | null)?.code !== DUPLICATE_KEY) throw error;
      return this.#events.findOne({ _id: event._id });
    }
  }
}

function storedEvent({ _id, at, ...event }: EventDocument): StoredEvent {
  return { ...event, id: _id, at: at.toISOString() };
}
