import { hash } from 'node:crypto';
import type { Collection, Filter } from 'mongodb';
import { readStoredJson } from '#core/json';
import {
  abilityOf,
  checkExecutor,
  type RecordForm,
  type RecordReader,
  stoppedRecord,
} from '#ports';
import type { ExecutorRecord, ExecutorRegistry, ExecutorSchemas } from '#ports';
import { toDate, toMs } from './bson-values.js';
import { durable } from './connection.js';
import type { ServerCalls } from './server-calls.js';

/** An executor as stored. */
export interface ExecutorDocument extends Omit<ExecutorRecord, ExecutorSchemas | 'seenAt'> {
  /** `module@instance`; of one that has stopped, `module@` and a hash of what it could do. */
  readonly _id: string;
  readonly seenAt: Date;
  /** As JSON, because names in schemas begin with `$`; absent: an older build announced it. */
  readonly parameters?: string;
  /** As JSON too; absent: no command declares one. */
  readonly outputs?: string;
}

/** Silent ones are removed after this, in milliseconds: they ended without saying so. */
const FORGET_AFTER_MS = 7 * 24 * 60 * 60 * 1_000;

const FORM: RecordForm<ExecutorDocument, ExecutorRecord> = {
  kind: 'executor',
  idOf: ({ _id }) => _id,
  decode: ({ _id, outputs, parameters, seenAt, ...record }) => {
    const schemas = parameters !== undefined && {
      parameters: readStoredJson(parameters, 'parameters'),
    };
    const given = outputs !== undefined && { outputs: readStoredJson(outputs, 'outputs') };
    return checkExecutor({ ...record, ...schemas, ...given, seenAt: toMs(seenAt) });
  },
};

/** Keeps what executors announce. */
export class ExecutorRecords implements ExecutorRegistry {
  constructor(
    private readonly executors: Collection<ExecutorDocument>,
    private readonly calls: ServerCalls,
    private readonly records: RecordReader,
  ) {}

  async announce({ outputs, parameters, ...record }: ExecutorRecord): Promise<void> {
    const schemas = {
      ...(parameters && { parameters: JSON.stringify(parameters) }),
      ...(outputs && { outputs: JSON.stringify(outputs) }),
    };
    const document = { ...record, ...schemas, seenAt: toDate(record.seenAt) };
    const _id = idOf(record.instance, record.module);
    const options = { upsert: true, writeConcern: this.durable };
    await this.calls.call('announcing an executor', () =>
      this.executors.replaceOne({ _id }, document, options),
    );
    this.records.clear('executor', _id);
  }

  async withdraw(instance: string, module: string): Promise<void> {
    const options = { writeConcern: this.durable };
    const _id = idOf(instance, module);
    const running = await this.find(_id);
    if (running !== null) await this.keepStopped(stoppedRecord(running));
    await this.calls.call('withdrawing an executor', () =>
      this.executors.deleteOne({ _id }, options),
    );
    this.records.clear('executor', _id);
  }

  private async keepStopped(record: Omit<ExecutorRecord, ExecutorSchemas>): Promise<void> {
    const abilityHash = hash('sha256', abilityOf(record), 'hex');
    const document = { ...record, seenAt: toDate(record.seenAt) };
    const options = { upsert: true, writeConcern: this.durable };
    await this.calls.call('keeping a stopped executor', () =>
      this.executors.replaceOne({ _id: idOf(abilityHash, record.module) }, document, options),
    );
  }

  listExecutors(since: number, module?: string): Promise<readonly ExecutorRecord[]> {
    return this.list({ ...announcedSince(since, module), stopped: { $exists: false } });
  }

  listKnown(since: number, module?: string): Promise<readonly ExecutorRecord[]> {
    return this.list(announcedSince(since, module));
  }

  private async list(filter: Filter<ExecutorDocument>): Promise<readonly ExecutorRecord[]> {
    const read = (): Promise<ExecutorDocument[]> => this.executors.find(filter).toArray();
    return this.records.all(await this.calls.call('listing executors', read), FORM);
  }

  /** Removes those that have been silent for long. */
  async forgetSilent(now: number): Promise<void> {
    const isSilent = { seenAt: { $lt: toDate(now - FORGET_AFTER_MS) } };
    await this.calls.call('forgetting executors', () => this.executors.deleteMany(isSilent));
    await this.records.lookAgain('executor', (_id) => this.find(_id));
  }

  private async find(_id: string): Promise<ExecutorRecord | null> {
    const read = (): Promise<ExecutorDocument | null> => this.executors.findOne({ _id });
    return this.records.found(await this.calls.call('reading an executor', read), _id, FORM);
  }

  private get durable(): ReturnType<typeof durable> {
    return durable(this.calls.settings.operationMs);
  }
}

function announcedSince(since: number, module: string | undefined): Filter<ExecutorDocument> {
  return { seenAt: { $gte: toDate(since) }, ...(module === undefined ? {} : { module }) };
}

function idOf(instance: string, module: string): string {
  return `${module}@${instance}`;
}
