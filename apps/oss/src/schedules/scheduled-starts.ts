import { EVERYBODY } from '#access';
import type { TaskStarter } from '#core';
import { LabelsFailed } from '#core/values';
import type { Engine } from '#engine';
import { Problem, problemOf } from '#http-server';
import { NoSecretKey, nullWhereUnreadable, TaskUnreadable } from '#ports';
import type {
  KeyRecord,
  Records,
  ScheduledStart,
  ScheduleOrder,
  ScheduleRecord,
  TaskStore,
} from '#ports';
import type { ScheduleStarter, StartResult } from '#schedules';
import { limitsFor } from '../access/may-start.js';
import { CreateTaskRequest } from '../requests/create-task.request.js';
import type { TaskIntake } from '../tasks/task-intake.js';
import { takenFrom } from './schedule-secrets.js';
import { MOMENT_LABEL, SCHEDULE_LABEL } from './schedule.request.js';

/** The parts of the gateway by which schedules start tasks. */
interface StartParts {
  readonly engine: Pick<Engine, 'submitOnce'>;
  readonly intake: Pick<TaskIntake, 'admit'>;
  readonly tasks: Pick<TaskStore, 'get'>;
  readonly keys: Pick<Records<KeyRecord>, 'get'>;
}

/**
 * Makes the tasks of schedules as requests make theirs: of the flow as it is then, whose input the
 * parameters must fit.
 */
export class ScheduledStarts implements ScheduleStarter {
  constructor(private readonly parts: StartParts) {}

  async start(record: ScheduleRecord, { moment, taskId }: ScheduledStart): Promise<StartResult> {
    const { engine, intake } = this.parts;
    const request = taskOrderOf(record);
    const { parameters = {}, priority } = request;
    const labels = { ...request.labels, [MOMENT_LABEL]: new Date(moment).toISOString() };
    try {
      // The author's role is not asked about again; the limits that he had bind what he stored.
      const sender = { bodyBytes: undefined, principal: EVERYBODY, ...takenFrom(record) };
      const actor = `schedule ${record.name}`;
      const starter = await this.authorOf(record);
      const bound = { limits: limitsFor(sender), sealedFor: sender.handed?.sealedFor };
      const origin = { operator: actor };
      const started = { parameters, labels, priority, starter, origin, actor, ...bound };
      await intake.admit(request, sender, (flow) => engine.submitOnce(flow, started, taskId));
      return { kind: 'started' };
    } catch (error) {
      if (error instanceof LabelsFailed) {
        return { kind: 'failed', code: 'EXPRESSION_FAILED', message: `${error.message}.` };
      }
      if (error instanceof Problem && error.code === 'TOO_MANY_LIVE') {
        return this.withoutRoom(error, record, taskId);
      }
      if (error instanceof Problem) return refused(error);
      if (error instanceof NoSecretKey) return refused(problemOf(error));
      throw error;
    }
  }

  /** The person who stored the schedule, whose tasks they are; of a key that is gone its id. */
  private async authorOf({ keyId }: ScheduleRecord): Promise<TaskStarter | undefined> {
    if (keyId === undefined) return undefined;
    const isKey = !keyId.includes('#');
    const key = isKey ? await this.parts.keys.get(keyId).catch(nullWhereUnreadable) : null;
    const maker = key?.madeBy === undefined ? {} : { madeBy: key.madeBy };
    return { name: key?.name ?? keyId, keyId, ...maker };
  }

  /** The start before may have stored the task and died: then it is one of those that are live. */
  private async withoutRoom(
    full: Problem,
    { order }: ScheduleRecord,
    taskId: string,
  ): Promise<StartResult> {
    if (await this.isThere(taskId)) return { kind: 'started' };
    if (order.overlap === 'queue') return refused(full);
    return { kind: 'skipped', reason: 'too_many_live' };
  }

  private async isThere(taskId: string): Promise<boolean> {
    try {
      return (await this.parts.tasks.get(taskId)) !== null;
    } catch (error) {
      if (error instanceof TaskUnreadable) return true;
      throw error;
    }
  }
}

/** The request for a task of a schedule. */
export function taskOrderOf({
  name,
  order,
}: {
  readonly name: string;
  readonly order: ScheduleOrder;
}): CreateTaskRequest {
  const { flow, labels, parameters, priority } = order;
  const all = { ...labels, [SCHEDULE_LABEL]: name };
  return Object.assign(new CreateTaskRequest(), { flow, parameters, labels: all, priority });
}

/** A start refused with 429 or 5xx (too many tasks, a busy check) is tried later. */
function refused({ code, message, status }: Problem): StartResult {
  return { kind: status === 429 || status >= 500 ? 'later' : 'failed', code, message };
}
