import { Controller, Get, HttpCode, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  expectNoParameters,
  expectRole,
  invalidRequest,
  knowsTag,
  principalOf,
} from '#http-server';
import type { TaskPage } from '#ports';
import { asSeen } from '../access/hidden-tasks.js';
import { TaskActs } from '../access/may-act.js';
import { RequestWork } from '../access/request-work.js';
import { findVisible } from '../access/visible.js';
import { OSS_OPTIONS, type OssOptions } from '../options.js';
import { batchReader } from '../requests/batch.request.js';
import { createTaskReader } from '../requests/create-task.request.js';
import { readListRequest } from '../requests/list-tasks.query.js';
import { restartReader } from '../requests/operate.request.js';
import { readWait } from '../requests/wait.query.js';
import { announceTask, JSON_TYPE, originOf, sendReceipt } from './answer-task.js';
import { sendTask } from './send-task.js';
import { TaskConsents } from '../operations/task-consents.js';
import { TaskBatch } from './task-batch.js';
import { type Narrowed, TaskSearches } from './task-searches.js';
import { TaskIntake } from './task-intake.js';
import { listedJson, tagOf } from './task.presenter.js';
import { TaskWaiting } from './task-waiting.js';
import { WholeLists } from './whole-lists.js';

/** A batch may be this many times as large as a request for one task. */
const BATCH_FACTOR = 16;

/** Creates tasks and shows them. */
@Controller('v1')
export class TasksController {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: OssOptions,
    private readonly intake: TaskIntake,
    private readonly batch: TaskBatch,
    private readonly waiting: TaskWaiting,
    private readonly wholeLists: WholeLists,
    private readonly searches: TaskSearches,
    private readonly acts: TaskActs,
    private readonly consents: TaskConsents,
    private readonly work: RequestWork,
  ) {}

  /** Answers once the task is stored; with `wait`, once it stops moving. */
  @Post('tasks')
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const wait = readWait(request.query);
    const leave = wait === undefined ? null : this.waiting.admit(request);
    try {
      const body = createTaskReader.read(request.body);
      const { task, replayed } = await this.intake.take(body, originOf(request, body));
      announceTask(reply, { task, replayed });
      if (wait === undefined) sendReceipt(reply, task);
      else {
        const seen = await this.waiting.waitFor(task, wait, request);
        await sendTask(reply, seen, this.options);
      }
    } finally {
      leave?.();
    }
  }

  /** Creates a task of the same flow and parameters as one that has ended. */
  @Post('tasks/:taskId([^:]+)::restart')
  async restart(
    @Param('taskId') taskId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    expectNoParameters(request.query);
    const before = await findVisible(this.options.store, taskId, request);
    expectRole(request);
    const { parameters, reason } = restartReader.read(request.body);
    const order = { task: before, parameters, origin: { ...originOf(request), reason } };
    const expectLegal = (): Promise<void> => {
      return this.acts.foreseeRestart(order, { isApproved: true });
    };
    const wanted = { task: before, action: 'restart', body: request.body, expectLegal };
    const wait = this.consents.waitingFor(wanted, request, reply);
    const taken = await this.acts.restart(order, { wait });
    // It was answered that it waits.
    if (taken === null) return;
    const { replayed, task } = taken;
    announceTask(reply, { task, replayed });
    sendReceipt(reply, task);
  }

  /** Every entry has an answer of its own. */
  @Post('tasks::batch')
  @HttpCode(200)
  @RouteConfig({ bodyFactor: BATCH_FACTOR })
  async createMany(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    expectNoParameters(request.query);
    if (request.headers['idempotency-key'] !== undefined) {
      const message = 'A batch takes no idempotency key.';
      const hint = 'Give each entry its own `idempotencyKey`.';
      throw invalidRequest({ pointer: '/Idempotency-Key', message, hint });
    }
    const { tasks } = batchReader.read(request.body);
    const results = await this.batch.take(tasks, originOf(request), '/v1/tasks:batch');
    reply.send({ results });
  }

  /** One page of tasks, newest first: summaries, or whole tasks where they are asked for. */
  @Get('tasks')
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { isFull, query, search } = readListRequest(request.query);
    const principal = principalOf(request);
    const narrowed = await this.searches.narrow(query, search, { principal });
    if (narrowed === null) return sendNothing(reply);
    if (isFull) return this.wholeLists.send(narrowed, request, reply);
    const { items: found, nextCursor } = await this.search(narrowed, request);
    const items = await asSeen(found, principal, this.options);
    reply.type(JSON_TYPE);
    const page = JSON.stringify({ nextCursor });
    reply.send(`{"items":[${items.map(listedJson).join(',')}],"page":${page}}`);
  }

  /** One page by an index costs little; one that looks for texts reads many others. */
  private search(narrowed: Narrowed, request: FastifyRequest): Promise<TaskPage> {
    if (narrowed.texts.length === 0) return this.searches.list(narrowed);
    return this.work.run(request, 'read', (signal) => this.searches.list(narrowed, signal));
  }

  /** The whole task, unless the client has this revision already. */
  @Get('tasks/:taskId([^:]+)')
  async get(
    @Param('taskId') taskId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    expectNoParameters(request.query);
    const task = await findVisible(this.options.store, taskId, request);
    if (!knowsTag(request, tagOf(task))) return sendTask(reply, task, this.options);
    reply.code(304).header('etag', tagOf(task)).send();
  }
}

/** The caller sees no task that fits. */
function sendNothing(reply: FastifyReply): void {
  reply.send({ items: [], page: { nextCursor: null } });
}
