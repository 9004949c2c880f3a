import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { problemOf } from './problem-of.js';
import type { Problem } from './problems.js';
import { sendProblem } from './send-problem.js';

/** Called for errors that no client has caused, and that the operator must hear of. */
export type OnFault = (problem: Problem, requestId: string) => void;

/** Turns whatever a controller throws into an answer of the catalogue. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly onFault: OnFault) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  /** The same for errors that no controller was reached with. */
  answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const problem = problemOf(error, request.method === 'GET' || request.method === 'HEAD');
    if (problem.code === 'INTERNAL') this.onFault(problem, request.id);
    // One whose client has gone was ended for that.
    const isRefused = problem.code === 'PROCESS_UNAVAILABLE' && !reply.raw.destroyed;
    if (isRefused) this.onFault(problem, request.id);
    // Half an answer cannot be taken back: the client sees that it broke off.
    if (reply.raw.headersSent) reply.raw.destroy();
    else sendProblem(request, reply, problem);
  }
}
