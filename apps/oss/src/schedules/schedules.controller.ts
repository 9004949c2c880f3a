import { Controller, Delete, Get, HttpCode, Inject, Param } from '@nestjs/common';
import { Post, Put, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expectNoParameters, principalOf, Problem } from '#http-server';
import type { ScheduleRecord } from '#ports';
import { noteTrigger, pauseSchedule, resumeSchedule, upcoming } from '#schedules';
import { authorsOf } from '../access/authors.js';
import { hiddenAmong } from '../access/hidden-tasks.js';
import { labelled, limitsOf } from '../access/may-start.js';
import { OSS_OPTIONS, type OssOptions } from '../options.js';
import { actorOf } from '../requests/headers.js';
import { PAGE_MAX } from '../requests/limits.js';
import type { StoredRecord } from '../requests/named-resource.js';
import { reasonReader } from '../requests/operate.request.js';
import { announceTask, originOf, sendReceipt } from '../tasks/answer-task.js';
import { TaskIntake } from '../tasks/task-intake.js';
import { SCHEDULE_QUERY, SCHEDULES_QUERY } from './schedule.query.js';
import { orderOf, readScheduleRequest, triggerReader } from './schedule.request.js';
import { takenFrom } from './schedule-secrets.js';
import { presentSchedule, type PublicSchedule, scheduleTag } from './schedule.presenter.js';
import { taskOrderOf } from './scheduled-starts.js';
import { alterSchedule, findSchedule, removeSchedule } from './write-schedule.js';
import { seesSchedule, writeSchedule } from './write-schedule.js';

/** One page of schedules. */
interface PublicSchedules {
  readonly items: readonly PublicSchedule[];
  readonly page: { readonly nextCursor: string | null };
}

/** Stores schedules, shows them, stops them for a while and starts their tasks by hand. */
@Controller('v1/schedules')
export class SchedulesController {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: OssOptions,
    private readonly intake: TaskIntake,
  ) {}

  /** By their names. */
  @Get()
  async list(@Req() request: FastifyRequest): Promise<PublicSchedules> {
    const { cursor, limit } = SCHEDULES_QUERY.read(request.query);
    const principal = principalOf(request);
    const found: ScheduleRecord[] = [];
    let after = cursor === undefined ? undefined : { id: cursor };
    let isMore = true;
    while (isMore && found.length <= limit) {
      const page = await this.options.schedules.list({ after, limit: PAGE_MAX });
      found.push(...page.filter((record) => seesSchedule(principal, record)));
      isMore = page.length === PAGE_MAX;
      after = { id: page.at(-1)?.name ?? '' };
    }
    const items = found.slice(0, limit);
    const nextCursor = found.length > limit ? (items.at(-1)?.name ?? null) : null;
    return { items: await this.presentAll(items, request), page: { nextCursor } };
  }

  /** One schedule, with `next` its next moments. */
  @Get(':name([^:]+)')
  async get(
    @Param('name') name: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PublicSchedule> {
    const { next: count } = SCHEDULE_QUERY.read(request.query);
    const record = await findSchedule(this.options, name, principalOf(request));
    reply.header('etag', scheduleTag(record));
    if (count === undefined) return this.present(record, request);
    return this.present(record, request, upcoming(record, count, this.options.clock.now()));
  }

  /** Stores a schedule; the same again changes nothing. */
  @Put(':name([^:]+)')
  async put(
    @Param('name') name: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PublicSchedule> {
    expectNoParameters(request.query);
    const { isNew, record } = await this.store(name, request);
    reply.code(isNew ? 201 : 200).header('etag', scheduleTag(record));
    if (isNew) reply.header('location', `/v1/schedules/${encodeURIComponent(name)}`);
    return this.present(record, request);
  }

  /** From now on it starts nothing; the tasks that it started stay. */
  @Delete(':name([^:]+)')
  @HttpCode(204)
  async remove(@Param('name') name: string, @Req() request: FastifyRequest): Promise<void> {
    expectNoParameters(request.query);
    await removeSchedule(this.options, name, request);
  }

  /** Its moments pass without a task until it is resumed. */
  @Post(':name([^:]+)::pause')
  @HttpCode(200)
  pause(@Param('name') name: string, @Req() request: FastifyRequest): Promise<PublicSchedule> {
    expectNoParameters(request.query);
    const { reason } = reasonReader.read(request.body);
    const by = actorOf(request);
    return this.alter(name, request, (record) =>
      pauseSchedule(record, { by, reason, now: this.options.clock.now() }),
    );
  }

  /** It goes on with its next moment. */
  @Post(':name([^:]+)::resume')
  @HttpCode(200)
  resume(@Param('name') name: string, @Req() request: FastifyRequest): Promise<PublicSchedule> {
    expectNoParameters(request.query);
    reasonReader.read(request.body);
    const by = actorOf(request);
    return this.alter(name, request, (record) =>
      resumeSchedule(record, { by, now: this.options.clock.now() }),
    );
  }

  /** Starts a task now, whatever runs and whether or not the schedule is paused. */
  @Post(':name([^:]+)::trigger')
  async trigger(
    @Param('name') name: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    expectNoParameters(request.query);
    if (request.body !== undefined) triggerReader.read(request.body);
    const record = await findSchedule(this.options, name, principalOf(request));
    const origin = { ...originOf(request), bodyBytes: undefined, ...takenFrom(record) };
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

  private async store(
    name: string,
    request: FastifyRequest,
  ): Promise<StoredRecord<ScheduleRecord>> {
    const principal = principalOf(request);
    const body = readScheduleRequest(request.body);
    const { flow, labels } = body;
    const all = labelled({ flow, ...(labels !== undefined && { labels }) }, principal).labels;
    const order = { ...orderOf(body), ...(all !== undefined && { labels: all }) };
    const sender = { bodyBytes: undefined, principal };
    const { definition } = await this.intake.foresee(taskOrderOf({ name, order }), sender);
    const by = actorOf(request);
    const keyId = principal.keyId ?? undefined;
    const limits = limitsOf(principal);
    const change = { order, by, isPaused: body.paused, keyId, limits, request, definition };
    return writeSchedule(this.options, name, change);
  }

  private async alter(
    name: string,
    request: FastifyRequest,
    change: (record: ScheduleRecord) => ScheduleRecord,
  ): Promise<PublicSchedule> {
    return this.present(await alterSchedule(this.options, name, { change, request }), request);
  }

  private async present(
    record: ScheduleRecord,
    request: FastifyRequest,
    next?: readonly number[],
  ): Promise<PublicSchedule> {
    const [shown] = await this.presentAll([record], request, next);
    return shown!;
  }

  /** A run may be of the time before somebody let the schedule start another flow. */
  private async presentAll(
    records: readonly ScheduleRecord[],
    request: FastifyRequest,
    next?: readonly number[],
  ): Promise<readonly PublicSchedule[]> {
    const runs = records.flatMap(({ lastRun }) => lastRun?.taskId ?? []);
    const hidden = await hiddenAmong(runs, principalOf(request), this.options);
    const authorOf = await authorsOf(this.options, records);
    return records.map((record) => presentSchedule(record, authorOf(record), { hidden, next }));
  }
}

/** They point into what the schedule says, and not into the request. */
function withoutPointers(error: unknown): never {
  if (!(error instanceof Problem)) throw error;
  throw new Problem(error.code, error.message, { headers: error.headers });
}
