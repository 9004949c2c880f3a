import type { FastifyRequest } from 'fastify';
import { type Principal, seesTask } from '#access';
import type { FlowDefinition } from '#core';
import type { ScheduleRecord } from '#ports';
import { type PutChange, changeSchedule, makeSchedule, WrongSchedule } from '#schedules';
import { readFlowReference } from '../flows/flow-name.js';
import type { OssOptions } from '../options.js';
import {
  alterNamed,
  type NamedResource,
  putNamed,
  type StoredRecord,
} from '../requests/named-resource.js';
import { modulesOf } from '../tasks/modules-of.js';
import { sealForSchedule, secretsFor } from './schedule-secrets.js';
import { wrongSchedule } from './schedule.request.js';

/** The parts of the gateway by which a request changes schedules. */
type ScheduleParts = Pick<OssOptions, 'clock' | 'entropy' | 'flows' | 'schedules' | 'secrets'>;

/** The parts that find schedules, and tell what tasks of a schedule use. */
type KnownSchedules = Pick<OssOptions, 'flows' | 'schedules'>;

/** The change that a request writes, the request itself, and the flow that it starts. */
interface ScheduleWrite extends Omit<PutChange, 'now' | 'secretsFor'> {
  readonly request: FastifyRequest;
  readonly definition: FlowDefinition;
}

/** Stores what a request writes under a name, with its secrets sealed. Throws a `Problem`. */
export async function writeSchedule(
  parts: ScheduleParts,
  name: string,
  { definition, request, ...written }: ScheduleWrite,
): Promise<StoredRecord<ScheduleRecord>> {
  const { clock, entropy, secrets } = parts;
  const change = (before: ScheduleRecord | null): ScheduleRecord => {
    const what = { before, definition, name };
    const parameters = sealForSchedule(secrets, written.order.parameters, what);
    const now = clock.now();
    const given = { secretsFor: secretsFor(definition, parameters, now), now };
    const put = { ...written, order: { ...written.order, parameters }, ...given };
    return expectRight(() =>
      before === null
        ? makeSchedule({ name, id: entropy.newId() }, put)
        : changeSchedule(before, put),
    );
  };
  return putNamed(schedulesIn(parts), name, { change, request });
}

/**
 * Changes a schedule that the caller sees; the same object from `change` changes nothing. Throws a
 * `Problem`.
 */
export async function alterSchedule(
  parts: KnownSchedules,
  name: string,
  { change, request }: Alteration,
): Promise<ScheduleRecord> {
  const alter = (before: ScheduleRecord): ScheduleRecord => expectRight(() => change(before));
  return alterNamed(schedulesIn(parts), name, { change: alter, request });
}

/** How a schedule is to be changed, and for whom. */
interface Alteration {
  readonly request: FastifyRequest;
  readonly change: (record: ScheduleRecord) => ScheduleRecord;
}

/** Whether the caller sees a schedule: one who sees the tasks that it starts. */
function seesSchedule(principal: Principal, { order }: ScheduleRecord): boolean {
  const { flow, labels } = order;
  return seesTask(principal, { flow: readFlowReference(flow).name, labels });
}

/** The schedules as requests find and remove them. */
export function schedulesIn({ flows, schedules }: KnownSchedules): NamedResource<ScheduleRecord> {
  return {
    records: schedules,
    noun: 'schedule',
    notFound: 'SCHEDULE_NOT_FOUND',
    sees: seesSchedule,
    changed: ({ order }) => {
      const { name: flow } = readFlowReference(order.flow);
      const newest = flows.find(flow);
      const modules = newest === undefined ? [] : modulesOf(newest);
      return { kind: 'schedule', flow, labels: order.labels, modules };
    },
    wrongName: wrongSchedule,
  };
}

function expectRight(write: () => ScheduleRecord): ScheduleRecord {
  try {
    return write();
  } catch (error) {
    if (!(error instanceof WrongSchedule)) throw error;
    const { code, hint, member, message } = error;
    throw wrongSchedule({ pointer: `/${member}`, code, message, hint });
  }
}
