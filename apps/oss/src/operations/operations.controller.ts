import { Controller, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Principal } from '#access';
import { readStoredJson } from '#core/json';
import type { OperationRecord } from '#ports';
import { hiddenAmong, withoutIds } from '../access/hidden-tasks.js';
import { expectSeesChild, namedChild } from '../access/named-child.js';
import { RequestWork } from '../access/request-work.js';
import { type CommonParts, OSS_OPTIONS, type TaskParts } from '../options.js';
import { idempotencyKeyOf } from '../requests/headers.js';
import { ruleForMany } from './consent.js';
import { placeText } from './operation.query.js';
import { OperationDesk } from './operation-desk.js';
import { readOperation } from './operation.request.js';
import { OperationTasks } from './operation-tasks.js';
import { requesterOf } from './task-consents.js';
import { presentOperation, presentWhole, type WholeOperation } from './operation.presenter.js';
import { OPERATION_ROUTES } from './operations.routes.js';
import { type Asked, Handles } from '../requests/asked.js';
import type { Shown } from '../requests/shown.js';

/** One page of operations. */
type OperationPage = Shown<'OperationPage'>;

/** Actions on all tasks that match. */
@Controller()
export class OperationsController {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: CommonParts & TaskParts,
    private readonly desk: OperationDesk,
    private readonly tasks: OperationTasks,
    private readonly work: RequestWork,
  ) {}

  /** Answers once it is stored: it is carried out whatever becomes of this process. */
  @Handles(OPERATION_ROUTES.startOperation)
  async start(
    { body, principal, request }: Asked<typeof OPERATION_ROUTES.startOperation>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const order = readOperation(body, this.options.maxParameters);
    const key = idempotencyKeyOf(request.headers);
    await expectSeesChild(order.details['children'], principal, this.options);
    const requester = requesterOf(request);
    const scope = { createdAt: this.options.clock.now(), order, requester };
    const { approvals } = this.options;
    const rule =
      approvals.length === 0
        ? undefined
        : ruleForMany(approvals, order, await this.tasks.flows(scope));
    const asked = { order, request, requester, key, ...(rule && { waiting: { rule } }) };
    const { record, replayed } = await this.desk.start(asked);
    if (replayed) reply.header('idempotent-replayed', 'true');
    reply.header('location', `/v1/operations/${record.operationId}`);
    reply.send(presentWhole(record));
  }

  /** The newest first. */
  @Handles(OPERATION_ROUTES.listOperations)
  async list({
    query,
    principal,
    request,
  }: Asked<typeof OPERATION_ROUTES.listOperations>): Promise<OperationPage> {
    const { cursor: beyond, ...wanted } = query;
    const { items, place } = await this.work.run(request, 'read', (signal) => {
      return this.desk.list(principal, { ...wanted, beyond, signal });
    });
    const nextCursor = place ? placeText(place) : null;
    return { items: items.map(presentOperation), page: { nextCursor } };
  }

  /** How far it is, and what was in its way. */
  @Handles(OPERATION_ROUTES.getOperation)
  async get({
    path: { operationId },
    principal,
  }: Asked<typeof OPERATION_ROUTES.getOperation>): Promise<WholeOperation> {
    return this.whole(await this.desk.find(operationId, principal), principal);
  }

  /** Begin nothing more; what was done stays done. */
  @Handles(OPERATION_ROUTES.cancelOperation)
  async cancel(asked: Asked<typeof OPERATION_ROUTES.cancelOperation>): Promise<WholeOperation> {
    const found = await this.desk.find(asked.path.operationId, asked.principal);
    const { reason = null } = asked.body;
    const record = await this.desk.cancel(found, { actor: asked.actor, reason });
    return this.whole(record, asked.principal);
  }

  /** Another person wants it too: it begins. */
  @Handles(OPERATION_ROUTES.approveOperation)
  approve(asked: Asked<typeof OPERATION_ROUTES.approveOperation>): Promise<WholeOperation> {
    return this.decide(asked, true);
  }

  /** Another person does not want it, or whoever asked takes it back: it never begins. */
  @Handles(OPERATION_ROUTES.rejectOperation)
  reject(asked: Asked<typeof OPERATION_ROUTES.rejectOperation>): Promise<WholeOperation> {
    return this.decide(asked, false);
  }

  private async decide(asked: Decision, isApproved: boolean): Promise<WholeOperation> {
    const { path, principal } = asked;
    const found = await this.desk.find(path.operationId, principal);
    const { comment = null } = asked.body;
    const record = await this.desk.decide(found, { principal, isApproved, comment });
    return this.whole(record, principal);
  }

  /** It may name a child task that the caller does not see. */
  private async whole(record: OperationRecord, principal: Principal): Promise<WholeOperation> {
    const named = namedChild(record.order.details['children']);
    const hidden = await hiddenAmong(named, principal, this.options);
    const json = withoutIds(JSON.stringify(presentWhole(record)), hidden);
    return readStoredJson(json, 'an operation') as WholeOperation;
  }
}

/** The answer of a second person. */
type Decision = Asked<
  typeof OPERATION_ROUTES.approveOperation | typeof OPERATION_ROUTES.rejectOperation
>;
