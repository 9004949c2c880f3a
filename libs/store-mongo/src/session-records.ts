import type { Collection, UpdateResult } from 'mongodb';
import {
  checkSession,
  NO_BEAT,
  type RecordForm,
  type RecordReader,
  RecordUnreadable,
} from '#ports';
import type { SessionOrigin, SessionRecord, SessionState } from '#ports';
import { toDate } from './bson-values.js';
import { durable } from './connection.js';
import { unlessDuplicate } from './failure.js';
import type { ServerCalls } from './server-calls.js';

/** A session as stored. The times are for people: nothing is decided by them. */
export interface SessionDocument {
  /** The session's name. */
  readonly _id: string;
  readonly beat: number;
  readonly leaseMs: number;
  readonly renewedAt: Date;
  readonly home?: string;
  readonly governs?: true;
  /** Present once it is over. */
  readonly endedAt?: Date;
}

/** The filter for what `checkSession` takes. */
const NUMBER = { $gte: 0, $lte: Number.MAX_SAFE_INTEGER };
const READABLE = { beat: NUMBER, leaseMs: NUMBER };
const UNREADABLE = { $nor: [READABLE] };

/** Lease of a session whose own cannot be read, where this process has none, in milliseconds. */
const LEASE_MS = 60_000;

const FORM: RecordForm<SessionDocument, SessionRecord> = {
  kind: 'session',
  idOf: ({ _id }) => _id,
  decode: ({ _id: session, beat, endedAt, governs, home, leaseMs }) => {
    const record = checkSession({ session, beat, leaseMs, isOver: endedAt !== undefined });
    // A home that is no text helps nobody, and says nothing about the rest.
    return {
      ...record,
      ...(typeof home === 'string' && { home }),
      ...(governs === true && { governs }),
    };
  },
};

type Update = Parameters<Collection<SessionDocument>['updateOne']>[1];

/**
 * Keeps the sessions of all processes. Every change is one conditional update of one document; none
 * waits for the writes of tasks, nor for the gate that holds them back while the server is slow.
 */
export class SessionRecords {
  /** Of the session that this process began last. */
  private leaseMs = LEASE_MS;

  constructor(
    private readonly sessions: Collection<SessionDocument>,
    private readonly calls: ServerCalls,
    private readonly records: RecordReader,
  ) {}

  async open(session: string, leaseMs: number, origin: SessionOrigin): Promise<void> {
    this.leaseMs = leaseMs;
    const $setOnInsert = { beat: 0, leaseMs, renewedAt: this.now, ...origin };
    const options = { upsert: true, writeConcern: this.durable };
    // Two calls may begin a session at once: then one of them did.
    const write = (): Promise<unknown> =>
      this.sessions.updateOne({ _id: session }, { $setOnInsert }, options).catch(unlessDuplicate);
    await this.calls.ask('beginning a session', write);
  }

  async renew(session: string): Promise<SessionState> {
    const filter = { _id: session, endedAt: { $exists: false } };
    const update = { $inc: { beat: 1 }, $set: { renewedAt: this.now } };
    const sound = { ...filter, ...READABLE };
    const isAlive = await this.update('renewing a session', sound, update);
    return isAlive || (await this.writeAnew(session)) ? 'alive' : 'ended';
  }

  /**
   * A person has broken the document of a session that lives. Its beats go on from the time of day:
   * nobody has ever seen that one.
   */
  private async writeAnew(session: string): Promise<boolean> {
    const filter = { _id: session, endedAt: { $exists: false }, ...UNREADABLE };
    const { leaseMs, now: renewedAt } = this;
    const update = { $set: { beat: renewedAt.getTime(), leaseMs, renewedAt } };
    const write = this.update('writing a session anew', filter, update);
    return this.records.clearAfter('session', session, write);
  }

  /**
   * A repetition by the driver finds it ended by the first try, and is answered by what is there.
   */
  async end(session: string, beat: number): Promise<boolean> {
    const was = beat === NO_BEAT ? UNREADABLE : { beat };
    const filter = { _id: session, ...was, endedAt: { $exists: false } };
    return this.update('ending a session', filter, { $set: { endedAt: this.now } });
  }

  async close(session: string): Promise<void> {
    const filter = { _id: session, endedAt: { $exists: false } };
    await this.update('closing a session', filter, { $set: { endedAt: this.now } });
  }

  async list(): Promise<readonly SessionRecord[]> {
    const read = (): Promise<SessionDocument[]> => this.sessions.find().toArray();
    const found = await this.calls.ask('listing sessions', read);
    return found.flatMap((document) => this.recordOf(document));
  }

  /** One that cannot be read is judged all the same: its leases must not be held for ever. */
  private recordOf(document: SessionDocument): readonly SessionRecord[] {
    const record = this.records.attempt(document, FORM);
    if (!(record instanceof RecordUnreadable)) return [record];
    const { _id: session, endedAt } = document;
    if (typeof session !== 'string') return [];
    return [{ session, beat: NO_BEAT, leaseMs: this.leaseMs, isOver: endedAt !== undefined }];
  }

  async forget(session: string): Promise<void> {
    const filter = { _id: session, endedAt: { $exists: true } };
    await this.calls.ask('forgetting a session', () => this.sessions.deleteOne(filter));
    this.records.clear('session', session);
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
