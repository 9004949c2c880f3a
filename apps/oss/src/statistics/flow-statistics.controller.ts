import { Controller, Inject } from '@nestjs/common';
import { Problem } from '#http-server';
import { SPAN_MS } from '#platform';
import type { StatisticsRow } from '#ports';
import { RequestWork } from '../access/request-work.js';
import { findFlow } from '../flows/find-flow.js';
import { type CommonParts, type FlowParts, OSS_OPTIONS } from '../options.js';
import { presentStatistics, type PublicStatistics } from './statistics.presenter.js';
import { PERIODS } from './statistics.query.js';
import { FLOW_ROUTES } from '../flows/flows.routes.js';
import { type Asked, Handles } from '../requests/asked.js';

/** Rows that are read for one answer at most: each process has one of each hour or day. */
const ROWS_MAX = 4_000;

/** Shows how flows do over time. */
@Controller()
export class FlowStatisticsController {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: CommonParts & FlowParts,
    private readonly work: RequestWork,
  ) {}

  /**
   * How tasks and steps of a flow ended in the last hours or days, all versions together. They
   * count tasks whatever their labels, so a caller who sees only some of these is refused.
   */
  @Handles(FLOW_ROUTES.getFlowStatistics)
  async get({
    path: { name },
    query: { over },
    principal,
    request,
  }: Asked<typeof FLOW_ROUTES.getFlowStatistics>): Promise<PublicStatistics> {
    const flow = await findFlow(this.options, { name }, principal);
    if (principal.labels !== null) {
      const detail = 'Statistics count tasks of all labels, and yours are limited to some.';
      throw new Problem('FORBIDDEN', detail);
    }
    const now = this.options.clock.now();
    const { count, span } = PERIODS[over];
    const from = (Math.floor(now / SPAN_MS[span]) - count + 1) * SPAN_MS[span];
    const newest = { index: 'flow', of: [span, name], isDescending: true } as const;
    return this.work.run(request, 'read', async () => {
      const stored = await this.options.statistics.list({ ...newest, from, limit: ROWS_MAX });
      const rows = this.withOwn(stored, { flow: name, from, span });
      const isComplete = stored.length < ROWS_MAX;
      return presentStatistics({ flow, over, from, now, rows, isComplete });
    });
  }

  /** This process knows better than the store what it counted itself. */
  private withOwn(
    stored: readonly StatisticsRow[],
    { flow, from, span }: Pick<StatisticsRow, 'flow' | 'span'> & { readonly from: number },
  ): readonly StatisticsRow[] {
    const own = this.options.counted.rowsOf(flow, span).filter(({ start }) => start >= from);
    const owners = new Set(own.map(({ owner }) => owner));
    return [...stored.filter(({ owner }) => !owners.has(owner)), ...own];
  }
}
