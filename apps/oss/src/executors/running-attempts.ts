import { Inject, Injectable } from '@nestjs/common';
import { type Principal, seesTask } from '#access';
import { LIVE_STATUSES, type Task } from '#core';
import { actionOf, openActions, runIdOf, runOf, stepAt } from '#core/scopes';
import { instanceOf } from '#engine';
import { isUnreadable, type ListedTask, nullWhereUnreadable, type TaskFilter } from '#ports';
import { queryWithin } from '../access/narrow-query.js';
import { type CommonParts, type ExecutorParts, OSS_OPTIONS } from '../options.js';
import type { Shown } from '../requests/shown.js';
import type { AttemptFilter } from './attempts.query.js';
import { ownersOn } from './owners-on.js';

/** Most tasks that are read for one answer. As many run only where there are as many slots. */
const TASKS_MAX = 10_000;

/** One running attempt of a step. Times are milliseconds since 1970. */
export interface RunningAttempt {
  readonly taskId: string;
  readonly flow: string;
  readonly step: string;
  /** Id of its run. */
  readonly id: string;
  readonly direction: 'normal' | 'rollback';
  readonly module: string;
  readonly command: string;
  /** From 1 on. */
  readonly attempt: number;
  /** The instance that runs it. */
  readonly executor: string;
  /** The build of its code, as a worker gave it when it took the attempt. */
  readonly build?: string | undefined;
  readonly since: number;
  /** End of the time for all attempts together; null: there is none. */
  readonly deadline: number | null;
}

/** Running attempts, the oldest first. */
interface RunningAttempts {
  readonly attempts: readonly RunningAttempt[];
  /** More tasks run than were read: those of the newest were. */
  readonly isCut: boolean;
}

/** Finds the attempts that run now. Their number is bounded by the slots of all executors. */
@Injectable()
export class AttemptSearch {
  constructor(
    @Inject(OSS_OPTIONS)
    private readonly options: CommonParts & Pick<ExecutorParts, 'sessions'>,
  ) {}

  /** Those that fit, of tasks that the caller sees, until `signal` is aborted. */
  async find(
    wanted: AttemptFilter,
    principal: Principal,
    signal: AbortSignal,
  ): Promise<RunningAttempts> {
    const within = await queryWithin(await this.queryOf(wanted), principal, this.options);
    if (within === null) return { attempts: [], isCut: false };
    const { limit: _, ...filter } = within;
    const now = this.options.clock.now();
    const attempts: RunningAttempt[] = [];
    let read = 0;
    for await (const { item } of this.options.store.walk(filter)) {
      read += 1;
      if (read > TASKS_MAX || signal.aborted) break;
      if (isUnreadable(item) || !seesTask(principal, item.plan)) continue;
      attempts.push(...attemptsOf(item).filter((attempt) => fits(attempt, wanted, now)));
    }
    const sorted = attempts.toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
    return { attempts: sorted, isCut: read > TASKS_MAX };
  }

  private async queryOf({ executor, flow }: AttemptFilter) {
    const { sessions } = this.options;
    const owners = executor === undefined ? 'any' : await ownersOn([executor], sessions);
    const filter: TaskFilter = { statuses: LIVE_STATUSES, owners, ...(flow && { flow }) };
    return { ...filter, limit: 1 };
  }
}

/** The place of an attempt in the order of lists, as a text that sorts like it. */
export function placeOf({ direction, id, since, taskId }: RunningAttempt): string {
  return `${String(since).padStart(16, '0')} ${taskId} ${direction} ${id}`;
}

/**
 * How far those of these tasks are that run, by their ids: what the attempt says that spoke last.
 * Only tasks of which an attempt has said so are read.
 */
export async function progressOfTasks(
  items: readonly ListedTask[],
  { progress, store }: Pick<CommonParts, 'progress' | 'store'>,
): Promise<ReadonlyMap<string, Shown<'TaskProgress'>>> {
  const live = items.flatMap((item) => {
    return isUnreadable(item) || !LIVE_STATUSES.includes(item.status) ? [] : [item.taskId];
  });
  const progressOf = live.length === 0 ? undefined : await progress.look();
  if (progressOf === undefined) return new Map();
  const told = await Promise.all(
    progress.among(live).map(async (taskId) => {
      const task = await store.get(taskId).catch(nullWhereUnreadable);
      const said = (task === null ? [] : attemptsOf(task)).flatMap((attempt) => {
        const one = progressOf({ ...attempt, run: attempt.id });
        return one === null ? [] : [{ step: attempt.step, ...one }];
      });
      const [last] = said.toSorted((a, b) => (a.at < b.at ? 1 : -1));
      return last === undefined ? [] : [[taskId, last] as const];
    }),
  );
  return new Map(told.flat());
}

function attemptsOf(task: Task): readonly RunningAttempt[] {
  return openActions(task).flatMap((ref): readonly RunningAttempt[] => {
    const { direction } = ref;
    const run = runOf(task, ref);
    const action = actionOf(task, ref);
    if (!run?.lease || action === undefined) return [];
    const step = stepAt(task, ref.step)?.name ?? '';
    const id = runIdOf(task, ref.step);
    const { attempts: attempt, deadline, startedAt } = run;
    // A look at work that goes on elsewhere is no attempt of its own.
    const started = task.journal.findLast((entry) => {
      const isOfRun = (entry.run ?? entry.step) === id && entry.direction === direction;
      return entry.kind === 'started' && isOfRun;
    });
    const { flow, taskId } = task.plan;
    const { command, module } = action;
    const since = started?.at ?? startedAt ?? task.plan.createdAt;
    const executor = instanceOf(run.lease.owner);
    const place = { taskId, flow, step, id, direction };
    const { build } = started ?? {};
    return [{ ...place, module, command, attempt, executor, build, since, deadline }];
  });
}

function fits(attempt: RunningAttempt, wanted: AttemptFilter, now: number): boolean {
  const { age = 0, direction, executor, module, step } = wanted;
  return (
    attempt.since <= now - age &&
    (direction ?? attempt.direction) === attempt.direction &&
    (executor ?? attempt.executor) === attempt.executor &&
    (module ?? attempt.module) === attempt.module &&
    (step ?? attempt.step) === attempt.step
  );
}
