import { type Collection, MongoServerError, type UpdateResult } from 'mongodb';
import type { SessionRecord, SessionState } from '#ports';
import { toDate } from './bson-values.js';
import { durable } from './connection.js';
import { DUPLICATE_KEY } from './failure.js';
import type { ServerCalls } from './server-calls.js';

/** A session as stored. The times are for people: nothing is decided by them. */
export interface SessionDocument {
  /** The session's name. */
  readonly _id: string;
  readonly beat: number;
  readonly leaseMs: number;
  readonly renewedAt: Date;
  /** Present once it is over. */
  readonly endedAt?: Date;
}

type Update = Parameters<Collection<SessionDocument>['updateOne']>[1];

/**
 * Keeps the sessions of all processes. Every change is one conditional update of one document; none
 * waits for the writes of tasks, nor for the gate that holds them back while the server is slow.
 */
export class SessionRecords {
  constructor(
    private readonly sessions: Collection<SessionDocument>,
    private readonly calls: ServerCalls,
  ) {}

  async open(session: string, leaseMs: number): Promise<void> {
    const $setOnInsert = { beat: 0, leaseMs, renewedAt: this.now };
    const options = { upsert: true, writeConcern: this.durable };
    const write = (): Promise<unknown> =>
      this.sessions.updateOne({ _id: session }, { $setOnInsert }, options).catch(unlessDuplicate);
    await this.calls.ask('beginning a session', write);
  }

  async renew(session: string): Promise<SessionState> {
    const filter = { _id: session, endedAt: { $exists: false } };
    const update = { $inc: { beat: 1 }, $set: { renewedAt: this.now } };
    const isAlive = await this.update('renewing a session', filter, update);
    return isAlive ? 'alive' : 'ended';
  }

  /**
   * A repetition by the driver finds it ended by the first try, and is answered by what is there.
   */
  async end(session: string, beat: number): Promise<boolean> {
    const filter = { _id: session, beat, endedAt: { $exists: false } };
    return this.update('ending a session', filter, { $set: { endedAt: this.now } });
  }

  async close(session: string): Promise<void> {
    const filter = { _id: session, endedAt: { $exists: false } };
    await this.update('closing a session', filter, { $set: { endedAt: this.now } });
  }

  async list(): Promise<readonly SessionRecord[]> {
    const read = (): Promise<SessionDocument[]> => this.sessions.find().toArray();
    return (await this.calls.ask('listing sessions', read)).map(toRecord);
  }

  async forget(session: string): Promise<void> {
    const filter = { _id: session, endedAt: { $exists: true } };
    await this.calls.ask('forgetting a session', () => this.sessions.deleteOne(filter));
  }

  private async update(
    what: string,
    filter: Parameters<Collection<SessionDocument>['updateOne']>[0],
    update: Update,
  ): Promise<boolean> {
    const options = { writeConcern: this.durable };
    const write = (): Promise<UpdateResult> => this.sessions.updateOne(filter, update, options);
    return (await this.calls.ask(what, write)).matchedCount === 1;
  }

  private get durable(): ReturnType<typeof durable> {
    return durable(this.calls.settings.operationMs);
  }

  private get now(): Date {
    return toDate(this.calls.settings.clock.now());
  }
}

function toRecord({ _id: session, beat, endedAt, leaseMs }: SessionDocument): SessionRecord {
  return { session, beat, leaseMs, isOver: endedAt !== undefined };
}

/** Two calls may begin a session at once: then one of them did. */
function unlessDuplicate(error: unknown): void {
  if (error instanceof MongoServerError && error.code === DUPLICATE_KEY) return;
  throw error;
}
