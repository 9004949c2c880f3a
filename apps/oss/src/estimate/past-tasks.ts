import { Inject, Injectable } from '@nestjs/common';
import { fitsLabels, type Limits, plainLabels } from '#access';
import { TASK_STATUS, type TaskPlan, type TaskStatus } from '#core';
import { isUnreadable, StoreUnavailable } from '#ports';
import { OSS_OPTIONS, type OssOptions } from '../options.js';
import { type Past, PAST_MIN } from './remaining.js';
import { type StepTimes, timesOf } from './step-times.js';

/** Tasks of a flow that tell it, the newest. */
const TASKS_MAX = 50;

/** Tasks that are looked at for these: child tasks may run parts of the same flow. */
const LOOK_MAX = 500;

/** Times of steps that are kept of one flow: long flows are known by fewer tasks. */
const TIMES_MAX = 20_000;

/** For so long what was read is good enough, in milliseconds. */
const KEPT_MS = 60_000;

/** The same of so few that the next ones tell more. */
const KEPT_FEW_MS = 2_000;

/** The same of as many tasks as there can be, which one more hardly changes. */
const KEPT_FULL_MS = 5 * 60_000;

/** Flows of which it is kept. */
const FLOWS_MAX = 100;

/** Where nothing can be read, nothing is known. */
const NOTHING: readonly StepTimes[] = Object.freeze([]);

/** How long something is kept, on the monotonic clock. */
interface Life {
  until: number;
}

/** The past tasks that are looked for. */
interface Wanted {
  readonly plan: TaskPlan;
  readonly status: TaskStatus;
  /** Those with these labels alone; null: whatever their labels. */
  readonly labels: Limits['labels'];
}

interface Kept {
  readonly life: Life;
  readonly times: Promise<readonly StepTimes[]>;
}

/** Tells how the tasks of a flow fared that lately ended. */
export interface KnownPast {
  /** Tasks of the same flow that succeeded, of the same version where there are enough of these. */
  succeeded(plan: TaskPlan): Promise<Past>;
  /** The same of those that were rolled back. */
  rolledBack(plan: TaskPlan): Promise<Past>;
}

/** The final tasks of flows that lately ended, and how long their steps took. */
@Injectable()
export class PastTasks implements KnownPast {
  private readonly kept = new Map<string, Kept>();

  constructor(@Inject(OSS_OPTIONS) private readonly options: Pick<OssOptions, 'clock' | 'store'>) {}

  succeeded(plan: TaskPlan): Promise<Past> {
    return this.pastOf({ plan, status: TASK_STATUS.succeeded, labels: null });
  }

  rolledBack(plan: TaskPlan): Promise<Past> {
    return this.pastOf({ plan, status: TASK_STATUS.rolled_back, labels: null });
  }

  /** The same of the tasks that the caller sees: of a flow that he sees, those with his labels. */
  seenBy({ labels }: Pick<Limits, 'labels'>): KnownPast {
    if (labels === null) return this;
    return {
      succeeded: (plan) => this.pastOf({ plan, status: TASK_STATUS.succeeded, labels }),
      rolledBack: (plan) => this.pastOf({ plan, status: TASK_STATUS.rolled_back, labels }),
    };
  }

  private async pastOf(wanted: Wanted): Promise<Past> {
    const { flowVersion } = wanted.plan;
    const all = await this.timesOf(wanted);
    const same = all.filter((times) => times.flowVersion === flowVersion);
    if (same.length >= PAST_MIN || same.length === all.length) return { flowVersion, tasks: same };
    return { flowVersion: null, tasks: all };
  }

  private timesOf(wanted: Wanted): Promise<readonly StepTimes[]> {
    const { labels, plan, status } = wanted;
    const key = `${status} ${plan.flow} ${partOf(plan)} ${JSON.stringify(labels)}`;
    const now = this.options.clock.monotonic();
    const known = this.kept.get(key);
    if (known !== undefined && known.life.until > now) return known.times;
    const life = { until: now + KEPT_MS };
    const times = this.read(wanted, life);
    this.kept.delete(key);
    this.kept.set(key, { life, times });
    const [oldest] = this.kept.keys();
    if (this.kept.size > FLOWS_MAX && oldest !== undefined) this.kept.delete(oldest);
    return times;
  }

  /** An estimate is worth no failed request: while the store is away there is none. */
  private async read({ labels, plan, status }: Wanted, life: Life): Promise<readonly StepTimes[]> {
    const found: StepTimes[] = [];
    const { flow } = plan;
    const part = partOf(plan);
    let looked = 0;
    let times = 0;
    try {
      const filter = { flow, statuses: [status], labels: plainLabels(labels) };
      for await (const { item } of this.options.store.walk(filter)) {
        looked += 1;
        const isAlike =
          !isUnreadable(item) && partOf(item.plan) === part && fitsLabels(labels, item.plan.labels);
        const told = isAlike ? timesOf(item) : null;
        if (told !== null) found.push(told);
        times += (told?.forward.size ?? 0) + (told?.back.size ?? 0);
        if (found.length >= TASKS_MAX || looked >= LOOK_MAX || times >= TIMES_MAX) break;
      }
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      life.until = -Infinity;
      return NOTHING;
    }
    if (looked >= TASKS_MAX) life.until += KEPT_FULL_MS - KEPT_MS;
    else if (found.length < PAST_MIN) life.until += KEPT_FEW_MS - KEPT_MS;
    return found;
  }
}

/** The step of its parent's flow that a child task runs steps of; empty: it runs a whole flow. */
function partOf({ parent }: TaskPlan): string {
  return parent?.isPart === true ? parent.run.replace(/(~\d+)?#\d+$/, '') : '';
}
