import { Controller, Inject } from '@nestjs/common';
import { Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Problem } from '#http-server';
import type { ScheduleRecord } from '#ports';
import { noteTrigger, pauseSchedule, resumeSchedule, upcoming } from '#schedules';
import { authorsOf } from '../access/authors.js';
import { hiddenAmong } from '../access/hidden-tasks.js';
import { labelled, limitsOf } from '../access/may-start.js';
import { type AccessParts, type CommonParts, OSS_OPTIONS, type ScheduleParts } from '../options.js';
import {
  findNamed,
  listNamed,
  removeNamed,
  type StoredRecord,
} from '../requests/named-resource.js';
import { announceTask, originOf, sendReceipt } from '../tasks/answer-task.js';
import { TaskIntake } from '../tasks/task-intake.js';
import { presentSchedule, type PublicSchedule, scheduleTag } from './schedule.presenter.js';
import { taskOrderOf } from './scheduled-starts.js';
import { alterSchedule, schedulesIn, writeSchedule } from './write-schedule.js';
import { SCHEDULE_ROUTES } from './schedules.routes.js';
import { type Asked, Handles } from '../requests/asked.js';
import type { Principal } from '#access';
import { orderOf } from './schedule.request.js';
import { takenFrom } from './schedule-secrets.js';
import type { Shown } from '../requests/shown.js';

/** One page of schedules. */
type PublicSchedules = Shown<'SchedulePage'>;

type AskedSchedule = Pick<
  Asked<typeof SCHEDULE_ROUTES.pauseSchedule>,
  'path' | 'principal' | 'request'
>;

/** Stores schedules, shows them, stops them for a while and starts their tasks by hand. */
@Controller()
export class SchedulesController {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: CommonParts & ScheduleParts & AccessParts,
    private readonly intake: TaskIntake,
  ) {}

  /** By their names. */
  @Handles(SCHEDULE_ROUTES.listSchedules)
  async list({
    principal,
    query,
  }: Asked<typeof SCHEDULE_ROUTES.listSchedules>): Promise<PublicSchedules> {
    const { items, page } = await listNamed(schedulesIn(this.options), query, principal);
    return { items: await this.presentAll(items, principal), page };
  }

  /** One schedule, with `next` its next moments. */
  @Handles(SCHEDULE_ROUTES.getSchedule)
  async get(
    { path: { name }, principal, query }: Asked<typeof SCHEDULE_ROUTES.getSchedule>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PublicSchedule> {
    const { next: count } = query;
    const record = await findNamed(schedulesIn(this.options), name, principal);
    reply.header('etag', scheduleTag(record));
    if (count === undefined) return this.present(record, principal);
    return this.present(record, principal, upcoming(record, count, this.options.clock.now()));
  }

  /** Stores a schedule; the same again changes nothing. */
  @Handles(SCHEDULE_ROUTES.putSchedule)
  async put(
    asked: Asked<typeof SCHEDULE_ROUTES.putSchedule>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PublicSchedule> {
    const {
      path: { name },
      principal,
    } = asked;
    const { isNew, record } = await this.store(asked);
    reply.code(isNew ? 201 : 200).header('etag', scheduleTag(record));
    if (isNew) reply.header('location', `/v1/schedules/${encodeURIComponent(name)}`);
    return this.present(record, principal);
  }

  /** From now on it starts nothing; the tasks that it started stay. */
  @Handles(SCHEDULE_ROUTES.removeSchedule)
  async remove({
    path: { name },
    request,
  }: Asked<typeof SCHEDULE_ROUTES.removeSchedule>): Promise<void> {
    await removeNamed(schedulesIn(this.options), name, request);
  }

  /** Its moments pass without a task until it is resumed. */
  @Handles(SCHEDULE_ROUTES.pauseSchedule)
  pause(asked: Asked<typeof SCHEDULE_ROUTES.pauseSchedule>): Promise<PublicSchedule> {
    const {
      actor: by,
      body: { reason },
    } = asked;
    return this.alter(asked, (record) =>
      pauseSchedule(record, { by, reason, now: this.options.clock.now() }),
    );
  }

  /** It goes on with its next moment. */
  @Handles(SCHEDULE_ROUTES.resumeSchedule)
  resume(asked: Asked<typeof SCHEDULE_ROUTES.resumeSchedule>): Promise<PublicSchedule> {
    return this.alter(asked, (record) =>
      resumeSchedule(record, { by: asked.actor, now: this.options.clock.now() }),
    );
  }

  /** Starts a task now, whatever runs and whether or not the schedule is paused. */
  @Handles(SCHEDULE_ROUTES.triggerSchedule)
  async trigger(
    asked: Asked<typeof SCHEDULE_ROUTES.triggerSchedule>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const record = await findNamed(schedulesIn(this.options), asked.path.name, asked.principal);
    const origin = { ...originOf(asked), bodyBytes: undefined, ...takenFrom(record) };
    const { replayed, task } = await this.intake
      .take(taskOrderOf(record), origin)
      .catch(withoutPointers);
    if (!replayed) await this.noteRun(record, task.plan.taskId);
    announceTask(reply, { task, replayed });
    sendReceipt(reply, task);
  }

  /** For the moments that follow it is the run before. */
  private async noteRun(record: ScheduleRecord, taskId: string): Promise<void> {
    const { clock, schedules } = this.options;
    let current: ScheduleRecord | null = record;
    while (current !== null && current.id === record.id) {
      const next = noteTrigger(current, taskId, clock.now());
      if (next === current || (await schedules.put(next, current))) return;
      current = await schedules.get(record.name);
    }
  }

  private async store({
    actor: by,
    body,
    path: { name },
    principal,
    request,
  }: Asked<typeof SCHEDULE_ROUTES.putSchedule>): Promise<StoredRecord<ScheduleRecord>> {
    const { flow, labels } = body;
    const all = labelled({ flow, ...(labels !== undefined && { labels }) }, principal).labels;
    const order = { ...orderOf(body), ...(all !== undefined && { labels: all }) };
    const sender = { bodyBytes: undefined, principal };
    const { definition } = await this.intake.foresee(taskOrderOf({ name, order }), sender);
    const keyId = principal.keyId ?? undefined;
    const limits = limitsOf(principal);
    const change = { order, by, isPaused: body.paused, keyId, limits, request, definition };
    return writeSchedule(this.options, name, change);
  }

  private async alter(
    { path, principal, request }: AskedSchedule,
    change: (record: ScheduleRecord) => ScheduleRecord,
  ): Promise<PublicSchedule> {
    const record = await alterSchedule(this.options, path.name, { change, request });
    return this.present(record, principal);
  }

  private async present(
    record: ScheduleRecord,
    principal: Principal,
    next?: readonly number[],
  ): Promise<PublicSchedule> {
    const [shown] = await this.presentAll([record], principal, next);
    return shown!;
  }

  /** A run may be of the time before a person let the schedule start another flow. */
  private async presentAll(
    records: readonly ScheduleRecord[],
    principal: Principal,
    next?: readonly number[],
  ): Promise<readonly PublicSchedule[]> {
    const runs = records.flatMap(({ lastRun }) => lastRun?.taskId ?? []);
    const hidden = await hiddenAmong(runs, principal, this.options);
    const authorOf = await authorsOf(this.options, records);
    return records.map((record) => presentSchedule(record, authorOf(record), { hidden, next }));
  }
}

/** They point into what the schedule says, and not into the request. */
function withoutPointers(error: unknown): never {
  if (!(error instanceof Problem)) throw error;
  throw new Problem(error.code, error.message, { headers: error.headers });
}
