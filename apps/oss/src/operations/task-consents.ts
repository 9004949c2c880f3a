import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { JsonObject, Task } from '#core';
import { principalOf } from '#http-server';
import type { ApprovalRule, OperationAction, OperationRequester } from '#ports';
import { actorOf, expectRevision, idempotencyKeyOf } from '../requests/headers.js';
import { OperationDesk } from './operation-desk.js';
import { presentWhole } from './operation.presenter.js';

/** An action that a person wants to take on a task. */
interface Wanted {
  readonly task: Task;
  readonly action: string;
  /** As it came with the request, and found good. */
  readonly body: unknown;
  /** Throws the `Problem` that the action is not legal now. */
  readonly expectLegal: () => Promise<unknown>;
}

/** Makes actions on a task wait for a second person. */
@Injectable()
export class TaskConsents {
  constructor(private readonly desk: OperationDesk) {}

  /**
   * Answers a request with the operation that waits by a rule. The result is for the gate through
   * which the action passes.
   */
  waitingFor(
    wanted: Wanted,
    request: FastifyRequest,
    reply: FastifyReply,
  ): (rule: ApprovalRule) => Promise<void> {
    return (rule) => this.answer({ ...wanted, rule }, request, reply);
  }

  private async answer(
    { rule, ...wanted }: Wanted & { readonly rule: ApprovalRule },
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const { action, body, task } = wanted;
    const expectLegal = async (): Promise<void> => {
      expectRevision(request.headers, task);
      await wanted.expectLegal();
    };
    const { reason, ...details } = body as JsonObject & { readonly reason: string };
    const { record, replayed } = await this.desk.start({
      order: {
        action: action as OperationAction,
        q: '',
        taskId: task.plan.taskId,
        reason,
        details,
        ratePerSecond: null,
        isDryRun: false,
      },
      request,
      requester: requesterOf(request),
      key: idempotencyKeyOf(request.headers),
      waiting: { rule, task, expectLegal },
    });
    if (replayed) reply.header('idempotent-replayed', 'true');
    reply.code(202).header('location', `/v1/operations/${record.operationId}`);
    reply.send(presentWhole(record));
  }
}

/** The requester, with the rights that he has now. */
export function requesterOf(request: FastifyRequest): OperationRequester {
  const { flows, keyId, labels, madeBy, modules, name, role } = principalOf(request);
  const maker = madeBy === undefined ? {} : { madeBy };
  return { actor: actorOf(request), name, keyId, ...maker, role, flows, labels, modules };
}
