import type { Collection, Db } from 'mongodb';
import { checkDrill, type DrillRecord, type DrillStore } from '#ports';
import { type RecordForm, type RecordReader, RecordUnreadable } from '#ports';
import { toDate, toMs } from './bson-values.js';
import { durable } from './connection.js';
import { COLLECTIONS } from './migrations.js';
import type { ServerCalls } from './server-calls.js';

/** The result of a drill as stored. */
interface DrillDocument extends Omit<DrillRecord, 'at'> {
  /** Flow and version. */
  readonly _id: string;
  readonly at: Date;
}

const FORM: RecordForm<DrillDocument, DrillRecord> = {
  kind: 'drill',
  idOf: ({ _id }) => _id,
  decode: ({ _id, at, ...rest }) => checkDrill({ ...rest, at: toMs(at) }),
};

/** The last drill of each version of a flow. */
export class DrillRecords implements DrillStore {
  private readonly drills: Collection<DrillDocument>;

  constructor(
    db: Db,
    private readonly calls: ServerCalls,
    private readonly records: RecordReader,
  ) {
    this.drills = db.collection<DrillDocument>(COLLECTIONS.drills);
  }

  async putDrill({ at, failures, flow, total, version }: DrillRecord): Promise<void> {
    const _id = `${flow}@${version}`;
    const document = { _id, flow, version, at: toDate(at), failures, total };
    const options = { upsert: true, writeConcern: durable(this.calls.settings.operationMs) };
    const write = (): Promise<unknown> => this.drills.replaceOne({ _id }, document, options);
    await this.calls.call('storing a drill', write);
    this.records.clear('drill', _id);
  }

  /** One that cannot be read is none. */
  async findDrill(flow: string, version: number): Promise<DrillRecord | null> {
    const filter = { flow, version: { $lte: version } };
    const read = (): Promise<DrillDocument | null> =>
      this.drills.findOne(filter, { sort: { version: -1 } });
    const found = await this.calls.call('reading a drill', read);
    const drill = found && this.records.attempt(found, FORM);
    return drill instanceof RecordUnreadable ? null : drill;
  }

  async listDrills(): Promise<readonly DrillRecord[]> {
    const pipeline = [
      { $sort: { flow: 1, version: -1 } },
      { $group: { _id: '$flow', newest: { $first: '$$ROOT' } } },
    ];
    const read = (): Promise<{ newest: DrillDocument }[]> =>
      this.drills.aggregate<{ newest: DrillDocument }>(pipeline).toArray();
    const found = (await this.calls.call('listing drills', read)).map(({ newest }) => newest);
    const drills = this.records.all(found, FORM);
    return drills.toSorted((one, other) => (one.flow < other.flow ? -1 : 1));
  }
}
