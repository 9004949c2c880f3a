import { MongoBulkWriteError, type Collection, type Document } from 'mongodb';
import { StoreUnavailable } from '#ports';
import { durable } from './connection.js';
import { within } from './deadline.js';
import { asStoreError, isOwnFault, isRefusal } from './failure.js';
import type { Settings } from './options.js';
import { Secret } from './secret.js';

/** What a bulk write came to, as far as the server said. */
export interface BulkReport {
  /** Documents that the filters found, or that were inserted. */
  readonly applied: number;
  /** Position and code of each operation that the server said it did not do. */
  readonly errors: ReadonlyMap<number, number>;
  /** Whether operations not in `errors` may be taken as done and durable. */
  readonly isSure: boolean;
  /** What went wrong as a whole. */
  readonly cause?: unknown;
}

/** Passes operations to the server, each bounded in time, with errors that callers may see. */
export class ServerCalls {
  private readonly secret: Secret;
  private isClosed = false;

  constructor(readonly settings: Settings) {
    this.secret = new Secret(settings.url);
  }

  /** The operation's result; throws `StoreUnavailable` where it has none in time. */
  async call<T>(
    what: string,
    operation: () => Promise<T>,
    ms = this.settings.operationMs,
  ): Promise<T> {
    if (this.isClosed) throw new StoreUnavailable('The store is closed.');
    try {
      return await within(operation, { clock: this.settings.clock, ms });
    } catch (error) {
      throw asStoreError(error, what, this.secret);
    }
  }

  /**
   * Writes in one round trip, none depending on another. Throws only what is this side's fault;
   * everything else is in the report.
   */
  async write<D extends Document>(
    collection: Collection<D>,
    operations: Parameters<Collection<D>['bulkWrite']>[0],
    ms: number,
  ): Promise<BulkReport> {
    const options = { ordered: false, writeConcern: durable(ms) };
    const run = (): Promise<BulkReport> =>
      collection.bulkWrite(operations, options).then(reportOf, partialReport);
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

  /** The error for writes of which nothing is known, with what was seen last. */
  unavailable(what: string, cause: unknown): StoreUnavailable {
    const error = asStoreError(cause, what, this.secret);
    if (error instanceof StoreUnavailable) return error;
    return new StoreUnavailable(`MongoDB, ${what}`, { cause: error });
  }
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
  if (errors.length === 0 && isRefusal(error.code)) throw error;
  const applied = error.insertedCount + error.matchedCount;
  return { applied, errors: new Map(errors), isSure, cause: error };
}
