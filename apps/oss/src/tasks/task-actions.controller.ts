import { Controller, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Asked, Handles } from '../requests/asked.js';
import { ActOnTask } from './act-on-task.js';
import { ACTION_ROUTES, type ActionRoute } from './actions.routes.js';

/** Carries out persons' actions; each answers with the whole task. */
@Controller()
export class TaskActionsController {
  constructor(private readonly acts: ActOnTask) {}

  /** The action that the route names. */
  @Handles(...Object.values(ACTION_ROUTES))
  act(asked: Asked<ActionRoute>, @Res() reply: FastifyReply): Promise<void> {
    const { path, request, route } = asked;
    const { taskId } = path;
    return this.acts.act({ taskId, verb: route.verb, body: request.body, request }, reply);
  }
}
