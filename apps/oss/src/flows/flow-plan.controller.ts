import { Controller, Inject } from '@nestjs/common';
import { type Principal, seesFlow } from '#access';
import type { FlowVersion, JsonObject } from '#core';
import { CheckerBusy, CheckTooCostly } from '#flow-files';
import { Problem } from '#http-server';
import { RequestWork } from '../access/request-work.js';
import { type CommonParts, type FlowParts, OSS_OPTIONS } from '../options.js';
import { tooManyChecks } from '../requests/too-many-checks.js';
import { findFlow } from './find-flow.js';
import { type FlowPlan, FlowPlanner } from './flow-planner.js';
import { readFlow } from './put-flow.js';
import { FLOW_ROUTES } from './flows.routes.js';
import { type Asked, Handles } from '../requests/asked.js';

/** Name of a flow that has none yet. */
const DRAFT = 'draft';

/** An order for a plan. */
interface PlanOrder {
  readonly parameters: JsonObject;
  readonly principal: Principal;
  /** Aborted when the client has gone, or the time of the plan is over. */
  readonly draft: AbortSignal;
}

/** Says what a task would do before there is one. */
@Controller()
export class FlowPlanController {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: CommonParts & FlowParts,
    private readonly work: RequestWork,
  ) {}

  /** The steps that would run, in order, as far as the parameters tell, and the ways back. */
  @Handles(FLOW_ROUTES.planFlow)
  async plan({
    path: { name },
    body,
    principal,
    request,
  }: Asked<typeof FLOW_ROUTES.planFlow>): Promise<FlowPlan> {
    const { parameters = {} } = body;
    const flow = await findFlow(this.options, { name }, principal);
    return this.work.run(request, 'plan', (draft) => {
      return this.planOf(flow, { parameters, principal, draft });
    });
  }

  /** The same of a flow that is not stored. */
  @Handles(FLOW_ROUTES.planDraft)
  async planDraft({
    body,
    principal,
    request,
  }: Asked<typeof FLOW_ROUTES.planDraft>): Promise<FlowPlan> {
    const { flow, parameters = {} } = body;
    return this.work.run(request, 'plan', async (draft) => {
      const written = { name: DRAFT, text: JSON.stringify(flow) };
      const reading = readFlow(this.options, written, { principal, draft });
      const { definition, hash } = await reading.catch((error: unknown) => {
        throw inBody(error);
      });
      const version = { definition, hash, version: 0, createdAt: this.options.clock.now() };
      return this.planOf(version, { parameters, principal, draft });
    });
  }

  private async planOf(
    flow: FlowVersion,
    { draft, parameters, principal }: PlanOrder,
  ): Promise<FlowPlan> {
    await this.expectInput(flow, parameters, draft);
    const { clock, evaluator, flowStore } = this.options;
    const find = async (name: string, version: number | null): Promise<FlowVersion | null> => {
      const isSeen = !/\p{Cc}/u.test(name) && seesFlow(principal, name);
      return isSeen ? flowStore.getFlow(name, version ?? undefined) : null;
    };
    return new FlowPlanner({ clock, draft, evaluator, find }).plan(flow, parameters);
  }

  private async expectInput(
    flow: FlowVersion,
    parameters: JsonObject,
    draft: AbortSignal,
  ): Promise<void> {
    try {
      const problems = await this.options.checker.checkInput(flow, parameters, draft);
      if (problems.length === 0) return;
      const errors = problems.map((problem) => {
        return { ...problem, pointer: `/parameters${problem.pointer}` };
      });
      throw new Problem('INVALID_PARAMETERS', `${problems[0]?.message}`, { errors });
    } catch (error) {
      if (error instanceof CheckerBusy) throw tooManyChecks();
      if (!(error instanceof CheckTooCostly)) throw error;
      const message = `The parameters cannot be checked: ${error.message}`;
      throw new Problem('INVALID_PARAMETERS', message);
    }
  }
}

/** The text that was read is not the body: its mistakes are found there by their pointers alone. */
function inBody(error: unknown): unknown {
  if (!(error instanceof Problem) || error.code !== 'INVALID_FLOW') return error;
  const errors = error.errors?.map(({ line: _line, column: _column, ...fault }) => {
    return { ...fault, pointer: `/flow${fault.pointer}` };
  });
  const { message, moreErrors } = error;
  return new Problem('INVALID_FLOW', message, { moreErrors, ...(errors && { errors }) });
}
