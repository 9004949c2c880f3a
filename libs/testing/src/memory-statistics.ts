import {
  type StatisticsQuery,
  type StatisticsRow,
  type StatisticsSpan,
  statisticsId,
} from '#ports';
import type { StatisticsStore } from '#ports';

/** Statistics of flows in memory, by their ids. */
export class MemoryStatistics implements StatisticsStore {
  constructor(private readonly open: () => Map<string, StatisticsRow>) {}

  async putStatistics(rows: readonly StatisticsRow[]): Promise<void> {
    for (const row of rows) this.open().set(statisticsId(row), row);
  }

  async findStatistics(query: StatisticsQuery): Promise<readonly StatisticsRow[]> {
    const { flow, from, limit, span } = query;
    const found = [...this.open().values()].filter((row) => {
      return row.flow === flow && row.span === span && row.start >= from;
    });
    return found.sort((one, other) => other.start - one.start).slice(0, limit);
  }

  async removeStatistics(span: StatisticsSpan, before: number, limit: number): Promise<number> {
    const rows = this.open();
    const old = [...rows].filter(([, row]) => row.span === span && row.start < before);
    for (const [id] of old.slice(0, limit)) rows.delete(id);
    return Math.min(old.length, limit);
  }
}
