import { Controller, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { statusName } from '#core';
import type { ReportAnswer, WorkClaim, WorkOutcome } from '#engine';
import { Problem } from '#http-server';
import { type CommonParts, OSS_OPTIONS, type TaskParts, type WorkParts } from '../options.js';
import { type Asked, Handles } from '../requests/asked.js';
import { leaseLost, outcomeDiffers, taskGone } from './outcome-problems.js';
import { failureOf, lookOf, type OutcomeRequest, waitOf } from './outcome.request.js';
import { outputFault, UnfitOutput } from './unfit-output.js';
import { WORK_ROUTES } from './work.routes.js';
import { WorkAnswers } from './work-answers.js';

/** A request about one claim. */
interface OfClaim<Body> extends Pick<Asked, 'principal'> {
  readonly path: { readonly claim: string };
  readonly body: Body;
}

/** The body of `:complete`, of which the output was checked. */
type Success = Partial<Omit<Extract<WorkOutcome, { kind: 'complete' }>, 'kind'>>;

/** Takes what workers report of their claims. */
@Controller()
export class OutcomesController {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: CommonParts & TaskParts & WorkParts,
    private readonly answers: WorkAnswers,
  ) {}

  /** The action is done. */
  @Handles(WORK_ROUTES.completeWork)
  complete(
    asked: Asked<typeof WORK_ROUTES.completeWork>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.report<OutcomeRequest | UnfitOutput>(asked, reply, (body) => {
      if (body instanceof UnfitOutput) return body;
      return this.successOf(body as Success);
    });
  }

  /** The action failed. */
  @Handles(WORK_ROUTES.failWork)
  fail(asked: Asked<typeof WORK_ROUTES.failWork>, @Res() reply: FastifyReply): Promise<void> {
    return this.report(asked, reply, failureOf);
  }

  /** The action goes on elsewhere, and is looked at again. */
  @Handles(WORK_ROUTES.repeatWork)
  again(asked: Asked<typeof WORK_ROUTES.repeatWork>, @Res() reply: FastifyReply): Promise<void> {
    return this.report(asked, reply, lookOf);
  }

  /** Somebody outside completes the action. */
  @Handles(WORK_ROUTES.awaitWork)
  later(asked: Asked<typeof WORK_ROUTES.awaitWork>, @Res() reply: FastifyReply): Promise<void> {
    return this.report(asked, reply, waitOf);
  }

  /** The action is handed back unharmed. */
  @Handles(WORK_ROUTES.releaseWork)
  release(asked: Asked<typeof WORK_ROUTES.releaseWork>, @Res() reply: FastifyReply): Promise<void> {
    return this.report(asked, reply, ({ reason }) => {
      return { kind: 'release', ...(reason !== undefined && { reason }) };
    });
  }

  /** A wrong claim is told before anything is said of the body. */
  private async report<Body extends OutcomeRequest | UnfitOutput>(
    asked: OfClaim<Body>,
    reply: FastifyReply,
    outcomeOf: (body: Body) => WorkOutcome | UnfitOutput,
  ): Promise<void> {
    const request = this.answers.requestOf(asked.principal, reply);
    const claim = this.answers.claims.read(asked.path.claim, asked.principal);
    const outcome = await this.checked(claim, outcomeOf(asked.body));
    const { desk } = this.options;
    const said: OutcomeRequest = asked.body instanceof UnfitOutput ? {} : asked.body;
    // They tell people why an output does not fit.
    const isLogCut = await this.answers.keepOnce(asked.path.claim, claim, said);
    const isUnfit = outcome instanceof UnfitOutput;
    const report = isUnfit
      ? await desk.report(claim, failureBy(outcome))
      : await desk.report(claim, outcome, said.poll);
    this.answers.settled(asked.path.claim);
    const { isReplayed, isTooLarge, items, taskStatus } = expectTaken(report);
    if (isUnfit) throw unfit(outcome);
    if (isTooLarge) throw unfit(tooLarge('The output makes the task too large.'));
    if (isReplayed) reply.header('idempotent-replayed', 'true');
    const told = { taskStatus, status: statusName(taskStatus) };
    this.answers.send(request, { ...told, ...(isLogCut && { logTruncated: true }) }, items);
  }

  /** The outcome; or, of one whose output its worker has declared otherwise, the fault. */
  private async checked(
    claim: WorkClaim,
    outcome: WorkOutcome | UnfitOutput,
  ): Promise<WorkOutcome | UnfitOutput> {
    if (outcome instanceof UnfitOutput || outcome.kind !== 'complete') return outcome;
    const rules = await this.options.desk.outputRules(claim);
    if (rules === null) return outcome;
    const fault = await outputFault(this.options.checker, rules, outcome.output ?? {});
    return fault ?? outcome;
  }

  private successOf({ creates, output = null, released }: Success): WorkOutcome | UnfitOutput {
    const most = this.options.maxParameters;
    const bytes = output === null ? 0 : Buffer.byteLength(JSON.stringify(output));
    const outside = { ...(creates && { creates }), ...(released && { released }) };
    if (bytes <= most) return { kind: 'complete', output, ...outside };
    return tooLarge(`The output has ${bytes} bytes; at most ${most} are taken.`);
  }
}

function tooLarge(message: string): UnfitOutput {
  return new UnfitOutput('OUTPUT_TOO_LARGE', message);
}

/** As of a command in a process. */
function failureBy({ code, message }: UnfitOutput): WorkOutcome {
  const failure = code === 'OUTPUT_TOO_LARGE' ? { failure: code } : { error: code };
  return { kind: 'fail', terminal: true, message, ...failure };
}

function unfit({ code, errors, headers, message }: UnfitOutput): Problem {
  return new Problem(code, `${message} The step has failed for good.`, { errors, headers });
}

/** Throws the `Problem` of a report that does not count. */
function expectTaken(answer: ReportAnswer): Extract<ReportAnswer, { kind: 'taken' }> {
  switch (answer.kind) {
    case 'taken':
      return answer;
    case 'differs':
      throw outcomeDiffers();
    case 'late':
      throw leaseLost(answer.reason);
    default:
      throw taskGone();
  }
}
