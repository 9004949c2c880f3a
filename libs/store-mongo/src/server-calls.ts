import {
  type Collection,
  type Db,
  type Document,
  MongoBulkWriteError,
  MongoServerError,
} from 'mongodb';
import { type StoreDamaged, StoreUnavailable } from '#ports';
import { durable } from './connection.js';
import { within } from './deadline.js';
import { asStoreError, isAnswer, isOwnFault, isRefusal } from './failure.js';
import { Gate } from './gate.js';
import type { Settings } from './options.js';
import { Secret } from './secret.js';
import type { StoreWatch } from './store-watch.js';

/** The result of a bulk write, as far as the server said. */
export interface BulkReport {
  /** Documents that the filters found, or that were inserted. */
  readonly applied: number;
  /** Position and code of each operation that the server said it did not do. */
  readonly errors: ReadonlyMap<number, number>;
  /** Whether operations not in `errors` may be taken as done and durable. */
  readonly isSure: boolean;
  /** The error of the write as a whole. */
  readonly cause?: unknown;
}

/**
 * Passes operations to the server, each bounded in time, with errors that callers may see; while
 * the server does not answer, few at a time.
 */
export class ServerCalls {
  private readonly secret: Secret;
  private readonly gate: Gate;
  private isClosed = false;
  private watch: Pick<StoreWatch, 'harm'> | null = null;

  constructor(readonly settings: Settings) {
    this.secret = new Secret(settings.url);
    this.gate = new Gate(settings.clock);
  }

  /** From now on every call is refused while the watch sees harm. */
  heed(watch: Pick<StoreWatch, 'harm'>): void {
    this.watch = watch;
  }

  /** Why no call is sent; null: calls are. */
  get harm(): StoreDamaged | null {
    return this.watch?.harm ?? null;
  }

  /** Whether the server answers every call, as far as is known. */
  get isAnswered(): boolean {
    return this.gate.isWide;
  }

  /** The operation's result; throws `StoreUnavailable` where it has none in time. */
  call<T>(what: string, operation: () => Promise<T>, ms = this.settings.operationMs): Promise<T> {
    return this.bounded(what, () => this.gate.pass(operation, ms));
  }

  /**
   * The same for what costs the server nothing and tells nothing of how much it can bear: it waits
   * for no other call, and no other call passes because of it.
   */
  ask<T>(what: string, question: () => Promise<T>, ms = this.settings.operationMs): Promise<T> {
    return this.bounded(what, () => within(question, { clock: this.settings.clock, ms }));
  }

  private async bounded<T>(what: string, attempt: () => Promise<T>): Promise<T> {
    if (this.isClosed) throw new StoreUnavailable('The store is closed.');
    if (this.harm !== null) throw this.harm;
    try {
      return await attempt();
    } catch (error) {
      throw asStoreError(error, what, this.secret);
    }
  }

  /**
   * Writes in one round trip, none depending on another. Throws only what is this side's fault;
   * everything else is in the report.
   */
  write<D extends Document>(
    collection: Collection<D>,
    operations: Parameters<Collection<D>['bulkWrite']>[0],
    ms: number,
  ): Promise<BulkReport> {
    const options = { ordered: false, writeConcern: durable(ms) };
    return this.report(ms, () =>
      collection.bulkWrite(operations, options).then(reportOf, partialReport),
    );
  }

  /**
   * One update, by the server's own command: for a batch of one the driver does more than for the
   * update itself. It is sent once, whatever becomes of it. Throws as `write` does.
   */
  update(
    db: Pick<Db, 'command'>,
    { collection, ...update }: Update,
    ms: number,
  ): Promise<BulkReport> {
    const writeConcern = { w: 'majority', j: true, wtimeout: ms };
    const command = { update: collection, updates: [update], writeConcern };
    return this.report(ms, async () => answerReport(await db.command(command, COMMAND)));
  }

  private async report(ms: number, run: () => Promise<BulkReport>): Promise<BulkReport> {
    try {
      return await this.call('a write', run, ms);
    } catch (error) {
      if (isOwnFault(error)) throw error;
      return { applied: 0, errors: new Map(), isSure: false, cause: error };
    }
  }

  /** Refuses every further call; the driver would connect again. */
  close(): void {
    this.isClosed = true;
  }

  /** The error for writes whose result is unknown, with what was seen last. */
  unavailable(what: string, cause: unknown): StoreUnavailable {
    const error = asStoreError(cause, what, this.secret);
    if (error instanceof StoreUnavailable) return error;
    return new StoreUnavailable(`MongoDB, ${what}`, { cause: error });
  }
}

/** One update of one document, in the words of the server's command. */
interface Update {
  readonly collection: string;
  readonly q: Document;
  readonly u: Document;
}

/** A command does not inherit what the client was told about values. */
const COMMAND = { ignoreUndefined: true } as const;

interface UpdateAnswer {
  readonly n?: number;
  readonly writeErrors?: readonly { readonly index: number; readonly code: number }[];
  readonly writeConcernError?: unknown;
}

function answerReport(answer: UpdateAnswer): BulkReport {
  const { n = 0, writeConcernError, writeErrors = [] } = answer;
  const errors = new Map(writeErrors.map(({ index, code }) => [index, code]));
  const isSure = writeConcernError === undefined;
  const isDone = isSure && errors.size === 0;
  return { applied: n, errors, isSure, ...(isDone ? {} : { cause: new MongoServerError(answer) }) };
}

interface Totals {
  readonly matchedCount: number;
  readonly insertedCount: number;
}

function reportOf(result: Totals): BulkReport {
  const applied = result.matchedCount + result.insertedCount;
  return { applied, errors: new Map(), isSure: true };
}

/** Some operations failed, or their durability is not known. */
function partialReport(error: unknown): BulkReport {
  if (!(error instanceof MongoBulkWriteError)) throw error;
  const errors = [error.writeErrors].flat().map(({ index, code }) => [index, code] as const);
  const concern = error.result.getWriteConcernError();
  const isSure = concern === undefined && errors.length > 0;
  if (errors.length === 0 && (isRefusal(error.code) || !isAnswer(error))) throw error;
  const applied = error.insertedCount + error.matchedCount;
  return { applied, errors: new Map(errors), isSure, cause: error };
}
