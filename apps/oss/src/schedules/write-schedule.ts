import type { FastifyRequest } from 'fastify';
import { type ChangedRecord, type Principal, seesTask } from '#access';
import type { FlowDefinition } from '#core';
import { expectMayChange, invalidRequest, principalOf, Problem } from '#http-server';
import { RecordUnreadable, StoreUnavailable, type ScheduleRecord } from '#ports';
import { type PutChange, changeSchedule, makeSchedule, WrongSchedule } from '#schedules';
import { nameTaken, nullWhereHidden } from '../access/visible.js';
import { FLOW_NAME_PATTERN, readFlowReference } from '../flows/flow-name.js';
import type { OssOptions } from '../options.js';
import { expectedRevisions } from '../requests/headers.js';
import { expectAnyGeneration, orUnreadable } from '../requests/unreadable-record.js';
import { modulesOf } from '../tasks/modules-of.js';
import { sealForSchedule, secretsFor } from './schedule-secrets.js';
import { wrongSchedule } from './schedule-problem.js';

/** The parts of the gateway by which a request changes schedules. */
type ScheduleParts = Pick<OssOptions, 'clock' | 'entropy' | 'flows' | 'schedules' | 'secrets'>;

/** The change that a request writes, the request itself, and the flow that it starts. */
interface ScheduleWrite extends Omit<PutChange, 'now' | 'secretsFor'> {
  readonly request: FastifyRequest;
  readonly definition: FlowDefinition;
}

/** A schedule that was stored. */
export interface StoredSchedule {
  readonly record: ScheduleRecord;
  readonly isNew: boolean;
}

/** Writes that are tried: each of the others was overtaken by one that took effect. */
const TRIES = 50;

/** Stores what a request writes under a name, with its secrets sealed. Throws a `Problem`. */
export async function writeSchedule(
  { clock, entropy, flows, schedules, secrets }: ScheduleParts,
  name: string,
  { definition, request, ...change }: ScheduleWrite,
): Promise<StoredSchedule> {
  expectName(name);
  const principal = principalOf(request);
  for (let n = 0; n < TRIES; n += 1) {
    const hidden = (): Problem => nameTaken(principal, 'schedule');
    const stored = await orUnreadable(schedules.find(name), principal, hidden);
    // In the place of one that cannot be read a new one is made: nothing of it is known.
    const before = stored instanceof RecordUnreadable ? null : stored;
    if (before !== null) {
      if (!seesSchedule(principal, before)) throw hidden();
      expectMayChange(principal, changedBy(before, flows));
    }
    expectGeneration(stored, request);
    const what = { before, definition, name };
    const parameters = sealForSchedule(secrets, change.order.parameters, what);
    const now = clock.now();
    const given = { secretsFor: secretsFor(definition, parameters, now), now };
    const put = { ...change, order: { ...change.order, parameters }, ...given };
    const next = written(() =>
      before === null
        ? makeSchedule({ name, id: entropy.newId() }, put)
        : changeSchedule(before, put),
    );
    const isNew = before === null;
    if (next === before || (await schedules.save(next, stored))) return { record: next, isNew };
  }
  throw overtaken(name);
}

/**
 * Changes a schedule that the caller sees; the same object from `change` changes nothing. Throws a
 * `Problem`.
 */
export async function alterSchedule(
  { flows, schedules }: Pick<ScheduleParts, 'flows' | 'schedules'>,
  name: string,
  { change, request }: Alteration,
): Promise<ScheduleRecord> {
  const principal = principalOf(request);
  for (let n = 0; n < TRIES; n += 1) {
    const before = await findSchedule({ schedules }, name, principal);
    expectMayChange(principal, changedBy(before, flows));
    expectGeneration(before, request);
    const next = written(() => change(before));
    if (next === before || (await schedules.save(next, before))) return next;
  }
  throw overtaken(name);
}

/** How a schedule is to be changed, and for whom. */
interface Alteration {
  readonly request: FastifyRequest;
  readonly change: (record: ScheduleRecord) => ScheduleRecord;
}

/** Removes a schedule that the caller sees, or one that nobody can read. Throws a `Problem`. */
export async function removeSchedule(
  { flows, schedules }: Pick<ScheduleParts, 'flows' | 'schedules'>,
  name: string,
  request: FastifyRequest,
): Promise<void> {
  const principal = principalOf(request);
  for (let n = 0; n < TRIES; n += 1) {
    const before = await orUnreadable(findSchedule({ schedules }, name, principal), principal);
    if (!(before instanceof RecordUnreadable)) {
      expectMayChange(principal, changedBy(before, flows));
    }
    expectGeneration(before, request);
    if (await schedules.remove(name, before)) return;
  }
  throw overtaken(name);
}

/** A schedule, where the caller sees it. Throws the `Problem` that there is none. */
export async function findSchedule(
  { schedules }: Pick<ScheduleParts, 'schedules'>,
  name: string,
  principal: Principal,
): Promise<ScheduleRecord> {
  const finding = FLOW_NAME_PATTERN.test(name) ? schedules.find(name) : null;
  const found = await finding?.catch(nullWhereHidden(principal));
  if (found && seesSchedule(principal, found)) return found;
  const shown = name.length > 200 ? `${name.slice(0, 200)}...` : name;
  throw new Problem('SCHEDULE_NOT_FOUND', `There is no schedule ${JSON.stringify(shown)}.`);
}

/** Whether somebody sees a schedule: one who sees the tasks that it starts. */
export function seesSchedule(principal: Principal, { order }: ScheduleRecord): boolean {
  const { flow, labels } = order;
  return seesTask(principal, { flow: readFlowReference(flow).name, labels });
}

/** The tasks that a schedule starts, as the gate of changes knows them. */
function changedBy({ order }: ScheduleRecord, flows: ScheduleParts['flows']): ChangedRecord {
  const { name: flow } = readFlowReference(order.flow);
  const newest = flows.find(flow);
  const modules = newest === undefined ? [] : modulesOf(newest);
  return { kind: 'schedule', flow, labels: order.labels, modules };
}

function expectName(name: string): void {
  if (FLOW_NAME_PATTERN.test(name)) return;
  const message = 'The name of a schedule has letters, digits, `-`, `_` and `.`, at most 100.';
  const hint = 'It begins with a letter or digit.';
  throw wrongSchedule({ pointer: '/name', code: 'WRONG_NAME', message, hint });
}

function expectGeneration(
  before: ScheduleRecord | RecordUnreadable | null,
  request: FastifyRequest,
): void {
  const { headers } = request;
  const none = headers['if-none-match']?.trim();
  if (none !== undefined && none !== '*') {
    const message =
      'The header `If-None-Match` can only be `*` here, which stores only what is new.';
    throw invalidRequest({ pointer: '/If-None-Match', message });
  }
  if (before instanceof RecordUnreadable) return expectAnyGeneration(before, request);
  if (none === '*' && before !== null) {
    throw new Problem('REVISION_CHANGED', `There is a schedule ${before.name} already.`);
  }
  if (headers['if-match'] === undefined) return;
  if (before === null) throw new Problem('REVISION_CHANGED', 'There is no such schedule yet.');
  const { generation, name } = before;
  if (expectedRevisions(headers)?.includes(generation) !== false) return;
  throw new Problem('REVISION_CHANGED', `Schedule ${name} is at generation ${generation}.`);
}

function written(write: () => ScheduleRecord): ScheduleRecord {
  try {
    return write();
  } catch (error) {
    if (!(error instanceof WrongSchedule)) throw error;
    const { code, hint, member, message } = error;
    throw wrongSchedule({ pointer: `/${member}`, code, message, hint });
  }
}

function overtaken(name: string): StoreUnavailable {
  return new StoreUnavailable(`The schedule ${name} is being changed all the time.`);
}
