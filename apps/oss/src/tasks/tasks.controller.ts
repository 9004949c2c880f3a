import { Controller, Inject, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expectRole, invalidRequest, knowsTag } from '#http-server';
import type { TaskPage } from '#ports';
import { asSeen } from '../access/hidden-tasks.js';
import { TaskActs } from '../access/may-act.js';
import { RequestWork } from '../access/request-work.js';
import { findVisible } from '../access/visible.js';
import { progressOfTasks } from '../executors/running-attempts.js';
import { type CommonParts, OSS_OPTIONS, type TaskParts } from '../options.js';
import { expectRevision, reasonIn } from '../requests/headers.js';
import { announceTask, JSON_TYPE, originOf, sendReceipt, sendTask } from './answer-task.js';
import { TaskConsents } from '../operations/task-consents.js';
import { TaskBatch } from './task-batch.js';
import { type Narrowed, TaskSearches } from './task-searches.js';
import { TaskIntake } from './task-intake.js';
import { graphOf, listedJson, tagOf } from './task.presenter.js';
import { TaskWaiting } from './task-waiting.js';
import { WholeLists } from './whole-lists.js';
import { ENDED_ROUTES } from './actions.routes.js';
import { TASK_ROUTES } from './tasks.routes.js';
import { type Asked, Handles } from '../requests/asked.js';

/** Creates tasks and shows them. */
@Controller()
export class TasksController {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: CommonParts & TaskParts,
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
  @Handles(TASK_ROUTES.createTask)
  async create(
    asked: Asked<typeof TASK_ROUTES.createTask>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const {
      body,
      query: { wait },
      request,
    } = asked;
    const leave = wait === undefined ? null : this.waiting.admit(request);
    try {
      const { task, replayed } = await this.intake.take(body, originOf(asked, body));
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
  @Handles(ENDED_ROUTES.restartTask)
  async restart(
    asked: Asked<typeof ENDED_ROUTES.restartTask>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { path, principal, request } = asked;
    const before = await findVisible(this.options.store, path.taskId, principal);
    expectRole(request);
    const { body } = asked;
    const { parameters, reason } = body;
    const expectFirst = (): void => expectRevision(request.headers, before);
    const origin = { ...originOf(asked), reason, expectFirst };
    const order = { task: before, parameters, origin };
    const expectLegal = (): Promise<void> => {
      return this.acts.foreseeRestart(order, { isApproved: true });
    };
    const wanted = { task: before, action: 'restart', body, expectLegal };
    const wait = this.consents.waitingFor(wanted, request, reply);
    const taken = await this.acts.restart(order, { wait });
    // It was answered that it waits.
    if (taken === null) return;
    const { replayed, task } = taken;
    announceTask(reply, { task, replayed });
    await sendTask(reply, task, this.options);
  }

  /** Every entry has an answer of its own. */
  @Handles(TASK_ROUTES.createTasks)
  async createMany(
    asked: Asked<typeof TASK_ROUTES.createTasks>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { body, request } = asked;
    if (request.headers['idempotency-key'] !== undefined) {
      const message = 'A batch takes no idempotency key.';
      const hint = 'Give each entry its own `idempotencyKey`.';
      throw invalidRequest({ pointer: '/Idempotency-Key', message, hint });
    }
    const results = await this.batch.take(body, originOf(asked), '/v1/tasks:batch');
    reply.send({ results });
  }

  /** One page of tasks, newest first: summaries, or whole tasks where they are asked for. */
  @Handles(TASK_ROUTES.listTasks)
  async list(
    { principal, query: wanted, request }: Asked<typeof TASK_ROUTES.listTasks>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { isFull, query, search } = wanted;
    const narrowed = await this.searches.narrow(query, search, { principal });
    if (narrowed === null) return sendNothing(reply);
    if (isFull) return this.wholeLists.send(narrowed, request, reply);
    const { items: found, nextCursor } = await this.search(narrowed, request);
    const items = await asSeen(found, principal, this.options);
    const progress = await progressOfTasks(items, this.options);
    reply.type(JSON_TYPE);
    const page = JSON.stringify({ nextCursor });
    const listed = items.map((item) => listedJson(item, progress.get(item.taskId)));
    reply.send(`{"items":[${listed.join(',')}],"page":${page}}`);
  }

  /** One page by an index costs little; one that looks for texts reads many others. */
  private search(narrowed: Narrowed, request: FastifyRequest): Promise<TaskPage> {
    if (!narrowed.isSifted) return this.searches.list(narrowed);
    return this.work.run(request, 'read', (signal) => this.searches.list(narrowed, signal));
  }

  /** The whole task, unless the client has this revision already. */
  @Handles(TASK_ROUTES.getTask)
  async get(
    { path: { taskId }, principal, request }: Asked<typeof TASK_ROUTES.getTask>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const task = await findVisible(this.options.store, taskId, principal);
    if (!knowsTag(request, tagOf(task))) return sendTask(reply, task, this.options);
    reply.code(304).header('etag', tagOf(task)).send();
  }

  /** The caller must see the task before its state says anything. */
  @Handles(ENDED_ROUTES.deleteTask)
  async delete(
    { path: { taskId }, principal, request }: Asked<typeof ENDED_ROUTES.deleteTask>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const task = await findVisible(this.options.store, taskId, principal);
    expectRole(request);
    expectRevision(request.headers, task);
    const order = { principal, task };
    const expectLegal = (): Promise<void> => this.acts.foreseeDelete(order);
    const body = { reason: reasonIn(request.headers) };
    const wanted = { task, action: 'delete', body, expectLegal };
    const wait = this.consents.waitingFor(wanted, request, reply);
    if (await this.acts.delete(order, { wait })) reply.code(204).send();
  }

  /** The steps as nodes and edges, unless the client has this revision already. */
  @Handles(TASK_ROUTES.getGraph)
  async graph(
    { path: { taskId }, principal, request }: Asked<typeof TASK_ROUTES.getGraph>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const task = await findVisible(this.options.store, taskId, principal);
    reply.header('etag', tagOf(task));
    if (knowsTag(request, tagOf(task))) reply.code(304).send();
    else reply.send(graphOf(task));
  }
}

/** The caller sees no task that fits. */
function sendNothing(reply: FastifyReply): void {
  reply.send({ items: [], page: { nextCursor: null } });
}
