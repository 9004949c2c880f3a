import type { StatisticsInterval } from '../api/shapes.js';

/** The ends that each have a colour of a bar, from its bottom to its top. */
export const ENDS = ['succeeded', 'rolled_back', 'terminated', 'rollbackFailed'] as const;

/** One of them. */
export type End = (typeof ENDS)[number];

/** How often each happened. */
type EndCounts = Readonly<Record<End, number>>;

/** The counts of a stretch of time. */
export function endsOf({
  ended,
  rollbackFailed,
}: Pick<StatisticsInterval, 'ended' | 'rollbackFailed'>): EndCounts {
  return { ...ended, rollbackFailed };
}

/** A part of a bar, as shares of the height of the chart, from its bottom. */
interface BarPart {
  readonly end: End;
  readonly from: number;
  readonly size: number;
}

/** A bar has less than this of the height only where nothing is to be seen. */
const LEAST = 0.015;

/** The parts of a bar, in a chart whose full height stands for `most`; nothing has no part. */
export function partsOf(counts: EndCounts, most: number): readonly BarPart[] {
  let from = 0;
  const parts: BarPart[] = [];
  for (const end of ENDS) {
    if (counts[end] === 0) continue;
    const size = Math.max(LEAST, counts[end] / most);
    parts.push({ end, from, size });
    from += size;
  }
  return parts;
}

/** All ends of a stretch of time. */
export function totalOf(counts: EndCounts): number {
  return ENDS.reduce((sum, end) => sum + counts[end], 0);
}

/**
 * A share from 0 to 1 as a percentage with one digit. It is told as all or nothing only where it is
 * that.
 */
export function percentWords(share: number): string {
  const told = Math.min(0.999, Math.max(0.001, share));
  const exact = share === 0 || share === 1 ? share : told;
  const style = { style: 'percent', maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(undefined, style).format(exact);
}
