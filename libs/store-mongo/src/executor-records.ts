import type { Collection } from 'mongodb';
import type { ExecutorRecord, ExecutorRegistry } from '#ports';
import { toDate } from './bson-values.js';
import { durable } from './connection.js';
import type { ServerCalls } from './server-calls.js';

/** An executor as stored. */
export interface ExecutorDocument extends Omit<ExecutorRecord, 'parameters' | 'seenAt'> {
  /** `module@instance`. */
  readonly _id: string;
  readonly seenAt: Date;
  /** As JSON, because names in schemas begin with `$`; absent: an older build announced it. */
  readonly parameters?: string;
}

type Schemas = NonNullable<ExecutorRecord['parameters']>;

/** Silent ones are removed after this, in milliseconds: they ended without saying so. */
const FORGET_AFTER_MS = 7 * 24 * 60 * 60 * 1_000;

/** Keeps what executors announce. */
export class ExecutorRecords implements ExecutorRegistry {
  constructor(
    private readonly executors: Collection<ExecutorDocument>,
    private readonly calls: ServerCalls,
  ) {}

  async announce({ parameters, ...record }: ExecutorRecord): Promise<void> {
    const schemas = parameters && { parameters: JSON.stringify(parameters) };
    const document = { ...record, ...schemas, seenAt: toDate(record.seenAt) };
    const _id = idOf(record.instance, record.module);
    const options = { upsert: true, writeConcern: this.durable };
    await this.calls.call('announcing an executor', () =>
      this.executors.replaceOne({ _id }, document, options),
    );
  }

  async withdraw(instance: string, module: string): Promise<void> {
    const options = { writeConcern: this.durable };
    await this.calls.call('withdrawing an executor', () =>
      this.executors.deleteOne({ _id: idOf(instance, module) }, options),
    );
  }

  async listExecutors(since: number, module?: string): Promise<readonly ExecutorRecord[]> {
    const filter = { seenAt: { $gte: toDate(since) }, ...(module === undefined ? {} : { module }) };
    const read = (): Promise<ExecutorDocument[]> => this.executors.find(filter).toArray();
    return (await this.calls.call('listing executors', read)).map(toRecord);
  }

  /** Removes those that have been silent for long. */
  async forgetSilent(now: number): Promise<void> {
    const isSilent = { seenAt: { $lt: toDate(now - FORGET_AFTER_MS) } };
    await this.calls.call('forgetting executors', () => this.executors.deleteMany(isSilent));
  }

  private get durable(): ReturnType<typeof durable> {
    return durable(this.calls.settings.operationMs);
  }
}

function idOf(instance: string, module: string): string {
  return `${module}@${instance}`;
}

function toRecord({ _id, parameters, seenAt, ...record }: ExecutorDocument): ExecutorRecord {
  const schemas = parameters === undefined ? undefined : (JSON.parse(parameters) as Schemas);
  return { ...record, ...(schemas && { parameters: schemas }), seenAt: seenAt.getTime() };
}
