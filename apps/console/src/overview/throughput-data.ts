import type { Counted } from '../api/shapes.js';

/** Statuses of tasks under way: of these some may ask a person. */
const MOVING = ['not_started', 'running', 'rolling_back', 'paused'] as const;

/** Statuses that one colour stands for, from the bottom of a bar to its top. */
export const GROUPS = [
  ['succeeded', ['succeeded']],
  ['moving', MOVING],
  ['terminated', ['terminated']],
  ['rolled_back', ['rolled_back']],
  ['person', ['rollback_failed', 'on_hold', 'asking']],
] as const;

/** One of them. */
export type Group = (typeof GROUPS)[number][0];

/** A stretch of time, and how it is cut. In seconds. */
export interface Span {
  readonly length: number;
  readonly every: number;
}

/** One interval; where it has no tasks, its counts are zeros. */
export interface Bar {
  readonly at: number;
  readonly counts: Readonly<Record<Group, number>>;
  readonly total: number;
}

/**
 * Every interval of the span that ends now, the oldest first. Where not all tasks were counted, it
 * begins after the oldest interval that was: that one may lack some of its tasks.
 */
export function barsOf(counted: Counted, { every, length }: Span, now: number): readonly Bar[] {
  const known = new Map((counted.intervals ?? []).map(({ at, counts }) => [at, counts]));
  const oldest = counted.intervals?.[0]?.at ?? 0;
  const last = Math.floor(now / every) * every;
  const wanted = last - length + every;
  const first = counted.isComplete ? wanted : Math.max(wanted, oldest + every);
  const size = Math.max(0, Math.round((last - first) / every) + 1);
  return Array.from({ length: size }, (_, index) => {
    const at = first + index * every;
    return barOf(at, known.get(at) ?? {});
  });
}

function barOf(at: number, statuses: Readonly<Record<string, number>>): Bar {
  const pairs = GROUPS.map(([group, names]) => {
    const sum = names.reduce((all, name) => all + (statuses[name] ?? 0), 0);
    return [group, sum] as const;
  });
  const counts = Object.fromEntries(pairs) as Record<Group, number>;
  return { at, counts, total: pairs.reduce((all, [, count]) => all + count, 0) };
}

/**
 * The counts, in which tasks that run and ask a person are `asking`. `waiting`: the same counts of
 * those tasks alone that wait for a person.
 */
export function withAsking(counted: Counted, waiting: Counted | null): Counted {
  const asking = new Map((waiting?.intervals ?? []).map(({ at, counts }) => [at, counts]));
  const intervals = (counted.intervals ?? []).map(({ at, counts }) => {
    const own = asking.get(at) ?? {};
    const moved = MOVING.map((status) => {
      return [status, Math.min(own[status] ?? 0, counts[status] ?? 0)] as const;
    });
    const rest = moved.map(([status, count]) => [status, (counts[status] ?? 0) - count] as const);
    const sum = moved.reduce((all, [, count]) => all + count, 0);
    return { at, counts: { ...counts, ...Object.fromEntries(rest), asking: sum } };
  });
  return { ...counted, intervals };
}

/** All bars together. */
export function sumOf(bars: readonly Bar[]): Readonly<Record<Group, number>> {
  const pairs = GROUPS.map(([group]) => {
    return [group, bars.reduce((all, { counts }) => all + counts[group], 0)] as const;
  });
  return Object.fromEntries(pairs) as Record<Group, number>;
}
