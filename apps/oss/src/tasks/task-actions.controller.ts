import { Controller, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ActOnTask } from './act-on-task.js';

/** Carries out persons' actions; each answers with the whole task. */
@Controller('v1/tasks')
export class TaskActionsController {
  constructor(private readonly acts: ActOnTask) {}

  /** Stop going forward and undo everything that ran, or all down to a step. */
  @Post(':taskId([^:]+)::rollback')
  @HttpCode(200)
  rollback(
    @Param('taskId') taskId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.acts.act({ taskId, verb: 'rollback' }, request, reply);
  }

  /** Stop here for good without undoing. */
  @Post(':taskId([^:]+)::terminate')
  @HttpCode(200)
  terminate(
    @Param('taskId') taskId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.acts.act({ taskId, verb: 'terminate' }, request, reply);
  }

  /** Give what failed a fresh budget. */
  @Post(':taskId([^:]+)::retry')
  @HttpCode(200)
  retry(
    @Param('taskId') taskId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.acts.act({ taskId, verb: 'retry' }, request, reply);
  }

  /** Count a step as undone by hand, or as done. */
  @Post(':taskId([^:]+)::skip')
  @HttpCode(200)
  skip(
    @Param('taskId') taskId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.acts.act({ taskId, verb: 'skip' }, request, reply);
  }

  /** Start nothing more, in either direction, until the task is resumed. */
  @Post(':taskId([^:]+)::pause')
  @HttpCode(200)
  pause(
    @Param('taskId') taskId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.acts.act({ taskId, verb: 'pause' }, request, reply);
  }

  /** Let a paused task go on. */
  @Post(':taskId([^:]+)::resume')
  @HttpCode(200)
  resume(
    @Param('taskId') taskId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.acts.act({ taskId, verb: 'resume' }, request, reply);
  }

  /** Undo a step and what needs it, and run them again. */
  @Post(':taskId([^:]+)::reset')
  @HttpCode(200)
  reset(
    @Param('taskId') taskId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.acts.act({ taskId, verb: 'reset' }, request, reply);
  }

  /** Undo a task that succeeded. */
  @Post(':taskId([^:]+)::undo')
  @HttpCode(200)
  undo(
    @Param('taskId') taskId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.acts.act({ taskId, verb: 'undo' }, request, reply);
  }

  /** Tell the task what a step of it waits for, or will wait for. */
  @Post(':taskId([^:]+)::signal')
  @HttpCode(200)
  signal(
    @Param('taskId') taskId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.acts.act({ taskId, verb: 'signal' }, request, reply);
  }

  /** Say yes to a step that asks. */
  @Post(':taskId([^:]+)::approve')
  @HttpCode(200)
  approve(
    @Param('taskId') taskId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.acts.act({ taskId, verb: 'approve' }, request, reply);
  }

  /** Say no to a step that asks. */
  @Post(':taskId([^:]+)::reject')
  @HttpCode(200)
  reject(
    @Param('taskId') taskId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.acts.act({ taskId, verb: 'reject' }, request, reply);
  }
}
