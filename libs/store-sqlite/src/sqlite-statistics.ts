import { isStatisticsBefore, readStatistics, statisticsId } from '#ports';
import type { RecordForm, RecordReader } from '#ports';
import type { StatisticsQuery, StatisticsRow, StatisticsSpan, StatisticsStore } from '#ports';
import { fromColumn, toColumn } from './column-text.js';
import type { StatisticsCells } from './statistics-cells.js';
import type { WorkerLink } from './worker-link.js';

const FORM: RecordForm<StatisticsCells, StatisticsRow> = {
  kind: 'statistics',
  idOf: ([flow, span, start, owner]) => {
    const key = { flow: fromColumn(flow), span: span as StatisticsSpan, start };
    return statisticsId({ ...key, owner: fromColumn(owner) });
  },
  decode: ([, , , , record]) => readStatistics(record),
};

/** Statistics of flows, in the file of the store. */
export class SqliteStatistics implements StatisticsStore {
  constructor(
    private readonly link: WorkerLink,
    private readonly records: RecordReader,
  ) {}

  async putStatistics(rows: readonly StatisticsRow[]): Promise<void> {
    const cells = rows.map((row): StatisticsCells => {
      const { flow, owner, span, start } = row;
      return [toColumn(flow), span, start, toColumn(owner), JSON.stringify(row)];
    });
    await this.link.ask(['putStatistics', cells]);
    for (const row of rows) this.records.clear('statistics', statisticsId(row));
  }

  async findStatistics(query: StatisticsQuery): Promise<readonly StatisticsRow[]> {
    const { flow, from, limit, span } = query;
    const request = ['findStatistics', [toColumn(flow), span, from, limit]] as const;
    const found = await this.link.ask<readonly StatisticsCells[]>(request);
    return this.records.all(Array.from(found), FORM);
  }

  async removeStatistics(span: StatisticsSpan, before: number, limit: number): Promise<number> {
    const removed = await this.link.ask<number>(['removeStatistics', [span, before, limit]]);
    if (removed < limit) {
      this.records.clearEvery('statistics', (id) => isStatisticsBefore(id, span, before));
    }
    return removed;
  }
}
