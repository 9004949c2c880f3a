import { Inject, Injectable } from '@nestjs/common';
import { TASK_STATUS, type TaskPlan, type TaskStatus } from '#core';
import { isUnreadable, StoreUnavailable } from '#ports';
import { OSS_OPTIONS, type OssOptions } from '../options.js';
import { type Past, PAST_MIN } from './remaining.js';
import { type StepTimes, timesOf } from './step-times.js';

/** Tasks of a flow that are looked at, the newest. */
const LOOK_MAX = 50;

/** Times of steps that are kept of one flow: long flows are known by fewer tasks. */
const TIMES_MAX = 20_000;

/** For so long what was read is good enough, in milliseconds. */
const KEPT_MS = 60_000;

/** The same of as many tasks as are looked at, which one more hardly changes. */
const KEPT_FULL_MS = 5 * 60_000;

/** Flows of which it is kept. */
const FLOWS_MAX = 100;

/** Where nothing can be read, nothing is known. */
const NOTHING: readonly StepTimes[] = Object.freeze([]);

interface Kept {
  until: number;
  readonly times: Promise<readonly StepTimes[]>;
}

/** The final tasks of flows that lately ended, and how long their steps took. */
@Injectable()
export class PastTasks {
  private readonly kept = new Map<string, Kept>();

  constructor(@Inject(OSS_OPTIONS) private readonly options: Pick<OssOptions, 'clock' | 'store'>) {}

  /** Tasks of the same flow that succeeded, of the same version where there are enough of these. */
  succeeded(plan: TaskPlan): Promise<Past> {
    return this.pastOf(plan, TASK_STATUS.succeeded);
  }

  /** The same of those that were rolled back. */
  rolledBack(plan: TaskPlan): Promise<Past> {
    return this.pastOf(plan, TASK_STATUS.rolled_back);
  }

  private async pastOf(
    { flow, flowVersion }: Pick<TaskPlan, 'flow' | 'flowVersion'>,
    status: TaskStatus,
  ): Promise<Past> {
    const all = await this.timesOf(flow, status);
    const same = all.filter((times) => times.flowVersion === flowVersion);
    if (same.length >= PAST_MIN || same.length === all.length) return { flowVersion, tasks: same };
    return { flowVersion: null, tasks: all };
  }

  private timesOf(flow: string, status: TaskStatus): Promise<readonly StepTimes[]> {
    const key = `${status} ${flow}`;
    const now = this.options.clock.monotonic();
    const known = this.kept.get(key);
    if (known !== undefined && known.until > now) return known.times;
    const times = this.read(flow, status);
    this.kept.delete(key);
    const kept: Kept = { until: now + KEPT_MS, times };
    this.kept.set(key, kept);
    void times.then(({ length }) => {
      if (length >= LOOK_MAX) kept.until = now + KEPT_FULL_MS;
    }, ignore);
    const [oldest] = this.kept.keys();
    if (this.kept.size > FLOWS_MAX && oldest !== undefined) this.kept.delete(oldest);
    return times;
  }

  /** An estimate is worth no failed request: without the store there is none for a while. */
  private async read(flow: string, status: TaskStatus): Promise<readonly StepTimes[]> {
    const found: StepTimes[] = [];
    let looked = 0;
    let times = 0;
    try {
      for await (const { item } of this.options.store.walk({ flow, statuses: [status] })) {
        looked += 1;
        const told = isUnreadable(item) ? null : timesOf(item);
        if (told !== null) found.push(told);
        times += (told?.forward.size ?? 0) + (told?.back.size ?? 0);
        if (looked >= LOOK_MAX || times >= TIMES_MAX) break;
      }
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      return NOTHING;
    }
    return found;
  }
}

/** Whoever asked is told of it. */
function ignore(): void {}
