import type { Run, Task, TaskEvent } from '../api/shapes.js';
import { secondsOf } from '../ui/durations.js';
import { allSteps } from './steps.js';

/** The time that a half of a step took, from its first start on. Seconds since 1970. */
export interface HalfSpan {
  /** Id of the run. */
  readonly id: string;
  readonly direction: 'normal' | 'rollback';
  readonly state: string;
  readonly from: number;
  /** Null: it has not ended. */
  readonly to: number | null;
}

type Part = Pick<HalfSpan, 'from' | 'to'>;

/** Halves of steps that have begun, by when they did. */
export function spansOf(
  { steps }: Pick<Task, 'steps'>,
  events: readonly TaskEvent[],
): readonly HalfSpan[] {
  const told = toldBy(events);
  const spans = allSteps(steps).flatMap(({ step }) => {
    const halves = { normal: step, rollback: step.rollback } as const;
    return (['normal', 'rollback'] as const).flatMap((direction): HalfSpan[] => {
      const run = halves[direction];
      if (!run || run.timeStart === null) return [];
      const { id } = step;
      const part = exactly(run, told.get(`${direction} ${id}`));
      return [{ id, direction, state: run.state, ...part }];
    });
  });
  return spans.sort((one, other) => one.from - other.from);
}

/** The first and the last moment that the events tell of each half. */
function toldBy(events: readonly TaskEvent[]): ReadonlyMap<string, Part> {
  const told = new Map<string, Part>();
  for (const { at, direction, kind, run, step } of events) {
    const id = run ?? step;
    if (id === undefined || direction === undefined) continue;
    const key = `${direction} ${id}`;
    const moment = secondsOf(at);
    const from = told.get(key)?.from;
    if (from !== undefined) told.set(key, { from, to: moment });
    else if (kind === 'started') told.set(key, { from: moment, to: moment });
  }
  return told;
}

/** The task tells whole seconds; its events tell milliseconds, where they still have the moment. */
function exactly({ timeEnd, timeStart }: Run, told: Part | undefined): Part {
  const from = nearest(timeStart ?? 0, told?.from);
  return { from, to: timeEnd === null ? null : Math.max(from, nearest(timeEnd, told?.to)) };
}

function nearest(second: number, moment: number | null | undefined): number {
  return moment !== null && moment !== undefined && Math.floor(moment) === second ? moment : second;
}
