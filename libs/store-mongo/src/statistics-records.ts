import type { Collection, Db } from 'mongodb';
import { isStatisticsBefore, readStatistics, statisticsId } from '#ports';
import type { RecordForm, RecordReader } from '#ports';
import type { StatisticsQuery, StatisticsRow, StatisticsSpan, StatisticsStore } from '#ports';
import { fromSafe, toDate, toSafe } from './bson-values.js';
import { durable } from './connection.js';
import { COLLECTIONS } from './migrations.js';
import type { ServerCalls } from './server-calls.js';

/** A row of statistics as stored. */
interface StatisticsDocument {
  /** As `statisticsId` makes it. */
  readonly _id: string;
  readonly flow: string;
  readonly span: StatisticsSpan;
  readonly start: Date;
  /** All of it, as JSON. */
  readonly record: string;
}

const FORM: RecordForm<StatisticsDocument, StatisticsRow> = {
  kind: 'statistics',
  idOf: ({ _id }) => fromSafe(_id),
  decode: ({ record }) => readStatistics(record),
};

/** Statistics of flows. */
export class StatisticsRecords implements StatisticsStore {
  private readonly rows: Collection<StatisticsDocument>;

  constructor(
    db: Db,
    private readonly calls: ServerCalls,
    private readonly records: RecordReader,
  ) {
    this.rows = db.collection<StatisticsDocument>(COLLECTIONS.statistics);
  }

  async putStatistics(rows: readonly StatisticsRow[]): Promise<void> {
    if (rows.length === 0) return;
    const replacements = rows.map((row) => {
      const { _id, ...replacement } = documentOf(row);
      return { replaceOne: { filter: { _id }, replacement, upsert: true } };
    });
    const writeConcern = durable(this.calls.settings.operationMs);
    const write = (): Promise<unknown> =>
      this.rows.bulkWrite(replacements, { ordered: false, writeConcern });
    await this.calls.call('storing statistics', write);
    for (const row of rows) this.records.clear('statistics', statisticsId(row));
  }

  async findStatistics(query: StatisticsQuery): Promise<readonly StatisticsRow[]> {
    const { flow, from, limit, span } = query;
    const filter = { flow: toSafe(flow), span, start: { $gte: toDate(from) } };
    const read = (): Promise<StatisticsDocument[]> =>
      this.rows.find(filter).sort({ start: -1 }).limit(limit).toArray();
    return this.records.all(await this.calls.call('reading statistics', read), FORM);
  }

  /** Found by their ids first: a server removes all that match, or one. */
  async removeStatistics(span: StatisticsSpan, before: number, limit: number): Promise<number> {
    const filter = { span, start: { $lt: toDate(before) } };
    const remove = async (): Promise<number> => {
      const options = { projection: { _id: 1 } } as const;
      const old = await this.rows.find(filter, options).limit(limit).toArray();
      if (old.length === 0) return 0;
      const ids = old.map(({ _id }) => _id);
      return (await this.rows.deleteMany({ _id: { $in: ids } })).deletedCount;
    };
    const removed = await this.calls.call('removing statistics', remove);
    if (removed < limit) {
      this.records.clearEvery('statistics', (id) => isStatisticsBefore(id, span, before));
    }
    return removed;
  }
}

function documentOf(row: StatisticsRow): StatisticsDocument {
  const { flow, span, start } = row;
  const _id = toSafe(statisticsId(row));
  return { _id, flow: toSafe(flow), span, start: toDate(start), record: JSON.stringify(row) };
}
