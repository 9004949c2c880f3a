import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { JsonObject, Task } from '#core';
import { principalOf, Problem } from '#http-server';
import type { OperationAction, OperationRequester } from '#ports';
import { OSS_OPTIONS, type OssOptions } from '../options.js';
import { actorOf, expectedRevisions, idempotencyKeyOf } from '../requests/headers.js';
import { ruleFor } from './consent.js';
import { OperationDesk } from './operation-desk.js';
import { presentWhole } from './operation.presenter.js';

/** An action that a person wants to take on a task. */
interface Wanted {
  readonly task: Task;
  readonly action: string;
  /** As it came with the request, and found good. */
  readonly body: unknown;
  /** Throws the `Problem` that the action is not legal now. */
  readonly expectLegal: () => Promise<void>;
}

/** Makes actions on a task wait for a second person where a rule wants it. */
@Injectable()
export class TaskConsents {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: OssOptions,
    private readonly desk: OperationDesk,
  ) {}

  /** Answers that the action waits. False: one person is enough, and nothing was answered. */
  async answered(wanted: Wanted, request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    const { action, body, task } = wanted;
    const rule = ruleFor(this.options.approvals, action, task.plan.flow);
    if (rule === undefined) return false;
    const revisions = expectedRevisions(request.headers);
    const expectLegal = async (): Promise<void> => {
      if (revisions !== undefined && !revisions.includes(task.revision)) {
        throw new Problem('REVISION_CHANGED', `The task is at revision ${task.revision} by now.`);
      }
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
      requester: requesterOf(request),
      key: idempotencyKeyOf(request.headers),
      waiting: { rule, task, expectLegal },
    });
    if (replayed) reply.header('idempotent-replayed', 'true');
    reply.code(202).header('location', `/v1/operations/${record.operationId}`);
    reply.send(presentWhole(record));
    return true;
  }
}

/** The requester, with the rights that he has now. */
export function requesterOf(request: FastifyRequest): OperationRequester {
  const { flows, keyId, labels, madeBy, modules, name, role } = principalOf(request);
  const maker = madeBy === undefined ? {} : { madeBy };
  return { actor: actorOf(request), name, keyId, ...maker, role, flows, labels, modules };
}
