import type { FlowVersion, StepPlan } from '#core';
import { innerLists } from '#core/flow';
import { quantileMs, REST, SPAN_MS, type StatisticsSum, sumStatistics } from '#platform';
import type { DurationStatistics, StatisticsRow, StepStatistics } from '#ports';
import { type PeriodName, PERIODS } from './statistics.query.js';
import type { Shown } from '../requests/shown.js';

/** Error codes that are shown of a step, the most frequent. */
const CODES_MAX = 5;

/** How long something took, in seconds. */
type PublicDuration = Shown<'StatisticsDuration'>;

/** How tasks ended. */
type PublicEnds = Omit<PublicStatistics['intervals'][number], 'at'>;

/** How one action of a flow did, as HTTP shows it. */
type PublicStep = Shown<'StepStatistics'>;

/** How a flow did, as HTTP shows it. */
export type PublicStatistics = Shown<'FlowStatistics'>;

/** The rows of a flow, and what they are about. */
interface Found {
  readonly flow: FlowVersion;
  readonly over: PeriodName;
  /** Begin of the first interval, and now, in milliseconds since 1970. */
  readonly from: number;
  readonly now: number;
  readonly rows: readonly StatisticsRow[];
  /** All rows were read. */
  readonly isComplete: boolean;
}

/** The statistics of a flow: all together, by hour or day, and by step in the order of the flow. */
export function presentStatistics(found: Found): PublicStatistics {
  const { flow, from, isComplete, now, over, rows } = found;
  const { count, span } = PERIODS[over];
  const lengthMs = SPAN_MS[span];
  const starts = Array.from({ length: count }, (_, n) => from + n * lengthMs);
  const sum = sumStatistics(rows);
  return {
    flow: flow.definition.name,
    over,
    from: from / 1_000,
    to: Math.floor(now / 1_000),
    every: lengthMs / 1_000,
    isComplete,
    ...presentEnds(sum),
    intervals: starts.map((start) => {
      const own = sumStatistics(rows.filter((row) => row.start === start));
      return { at: start / 1_000, ...presentEnds(own) };
    }),
    steps: inOrder(sum.steps, flow).map(presentStep),
  };
}

function presentEnds({ duration, ended, rollbackFailed, started }: StatisticsSum): PublicEnds {
  const { rolled_back = 0, succeeded = 0, terminated = 0 } = ended;
  return {
    started,
    ended: { succeeded, rolled_back, terminated },
    rollbackFailed,
    successRate: share(succeeded, succeeded + rolled_back + terminated),
    duration: presentDuration(duration),
  };
}

function presentStep(step: StepStatistics): PublicStep {
  const { cancelled, direction, duration, errors, failed, retries, succeeded } = step;
  const codes = Object.entries(errors).map(([code, count]) => ({ code, count }));
  codes.sort((one, other) => other.count - one.count || (one.code < other.code ? -1 : 1));
  return {
    step: step.step,
    direction,
    succeeded,
    failed,
    cancelled,
    retries,
    failureRate: share(failed, succeeded + failed),
    duration: presentDuration(duration),
    errors: codes.slice(0, CODES_MAX),
  };
}

/** In the order of the newest version, each before its rollback; then those that it lacks. */
function inOrder(steps: readonly StepStatistics[], flow: FlowVersion): readonly StepStatistics[] {
  const places = stepOrder(flow.definition.steps);
  const placeOf = ({ step }: StepStatistics): number => {
    return places.get(step) ?? (step === REST ? Infinity : places.size);
  };
  return steps.toSorted((one, other) => {
    const [place, otherPlace] = [placeOf(one), placeOf(other)];
    if (place !== otherPlace) return place - otherPlace;
    if (one.step !== other.step) return one.step < other.step ? -1 : 1;
    return one.direction < other.direction ? -1 : 1;
  });
}

function presentDuration(durations: DurationStatistics): PublicDuration | null {
  const [p50, p95] = [0.5, 0.95].map((part) => quantileMs(durations, part));
  if (typeof p50 !== 'number' || typeof p95 !== 'number') return null;
  const max = durations.maxMs / 1_000;
  return { p50: toSeconds(p50, max), p95: toSeconds(p95, max), max };
}

/** More than two digits are not known. */
function toSeconds(ms: number, max: number): number {
  return Math.min(max, Number((ms / 1_000).toPrecision(2)));
}

/** Four digits are enough for a share. */
function share(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;
}

/** The places of all steps of a flow in its file, by the names around each and its own. */
function stepOrder(steps: readonly StepPlan[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  addSteps(steps, '', places);
  return places;
}

function addSteps(steps: readonly StepPlan[], around: string, places: Map<string, number>): void {
  for (const step of steps) {
    const path = `${around}${step.name}`;
    if (!places.has(path)) places.set(path, places.size);
    for (const inner of innerLists(step)) addSteps(inner, `${path}/`, places);
  }
}
