import { Controller, Get, HttpCode, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expectNoParameters, principalOf } from '#http-server';
import { expectSeesChild } from '../access/named-child.js';
import { RequestWork } from '../access/request-work.js';
import { OSS_OPTIONS, type OssOptions } from '../options.js';
import { actorOf, idempotencyKeyOf } from '../requests/headers.js';
import { ruleForMany } from './consent.js';
import { OPERATIONS_QUERY, placeText } from './operation.query.js';
import { cancelReader } from './cancel.request.js';
import { OperationDesk } from './operation-desk.js';
import { decideReader } from './decide.request.js';
import { readOperation } from './operation.request.js';
import { OperationTasks } from './operation-tasks.js';
import { requesterOf } from './task-consents.js';
import {
  presentOperation,
  presentWhole,
  type PublicOperation,
  type WholeOperation,
} from './operation.presenter.js';

/** One page of operations. */
interface OperationPage {
  readonly items: readonly PublicOperation[];
  readonly page: { readonly nextCursor: string | null };
}

/** Actions on all tasks that match. */
@Controller('v1/operations')
export class OperationsController {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: OssOptions,
    private readonly desk: OperationDesk,
    private readonly tasks: OperationTasks,
    private readonly work: RequestWork,
  ) {}

  /** Answers once it is stored: it is carried out whatever becomes of this process. */
  @Post()
  @HttpCode(202)
  async start(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    expectNoParameters(request.query);
    const order = readOperation(request.body, this.options.maxParameters);
    const key = idempotencyKeyOf(request.headers);
    await expectSeesChild(order.details['children'], principalOf(request), this.options);
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
  @Get()
  async list(@Query() query: unknown, @Req() request: FastifyRequest): Promise<OperationPage> {
    const { cursor: beyond, ...wanted } = OPERATIONS_QUERY.read(query);
    const { items, place } = await this.work.run(request, 'read', (signal) => {
      return this.desk.list(principalOf(request), { ...wanted, beyond, signal });
    });
    const nextCursor = place ? placeText(place) : null;
    return { items: items.map(presentOperation), page: { nextCursor } };
  }

  /** How far it is, and what was in its way. */
  @Get(':operationId([^:]+)')
  async get(
    @Param('operationId') operationId: string,
    @Query() query: unknown,
    @Req() request: FastifyRequest,
  ): Promise<WholeOperation> {
    expectNoParameters(query);
    return presentWhole(await this.desk.find(operationId, principalOf(request)));
  }

  /** Begin nothing more; what was done stays done. */
  @Post(':operationId([^:]+)::cancel')
  @HttpCode(200)
  async cancel(
    @Param('operationId') operationId: string,
    @Req() request: FastifyRequest,
  ): Promise<WholeOperation> {
    const found = await this.desk.find(operationId, principalOf(request));
    const { reason = null } = cancelReader.read(request.body ?? {});
    expectNoParameters(request.query);
    const record = await this.desk.cancel(found, { actor: actorOf(request), reason });
    return presentWhole(record);
  }

  /** Somebody else wants it too: it begins. */
  @Post(':operationId([^:]+)::approve')
  @HttpCode(200)
  approve(
    @Param('operationId') operationId: string,
    @Req() request: FastifyRequest,
  ): Promise<WholeOperation> {
    return this.decide({ operationId, isApproved: true }, request);
  }

  /** Somebody else does not want it, or whoever asked takes it back: it never begins. */
  @Post(':operationId([^:]+)::reject')
  @HttpCode(200)
  reject(
    @Param('operationId') operationId: string,
    @Req() request: FastifyRequest,
  ): Promise<WholeOperation> {
    return this.decide({ operationId, isApproved: false }, request);
  }

  private async decide(
    { isApproved, operationId }: { readonly operationId: string; readonly isApproved: boolean },
    request: FastifyRequest,
  ): Promise<WholeOperation> {
    const principal = principalOf(request);
    const found = await this.desk.find(operationId, principal);
    const { comment = null } = decideReader.read(request.body ?? {});
    expectNoParameters(request.query);
    return presentWhole(await this.desk.decide(found, { principal, isApproved, comment }));
  }
}
