import { Controller, HttpCode, Inject, Param, Post, Req } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { seesFlow } from '#access';
import type { FlowVersion, JsonObject } from '#core';
import { CheckerBusy, CheckTooCostly } from '#flow-files';
import { expectNoParameters, principalOf, Problem } from '#http-server';
import { RequestWork } from '../access/request-work.js';
import { OSS_OPTIONS, type OssOptions } from '../options.js';
import { tooManyChecks } from '../requests/too-many-checks.js';
import { findFlow } from './find-flow.js';
import { type FlowPlan, FlowPlanner } from './flow-planner.js';
import { FILE_FACTOR } from './flows.controller.js';
import { planDraftReader, planFlowReader } from './plan-flow.request.js';
import { readFlow } from './put-flow.js';

/** Name of a flow that has none yet. */
const DRAFT = 'draft';

/** An order for a plan. */
interface PlanOrder {
  readonly parameters: JsonObject;
  readonly request: FastifyRequest;
  /** Aborted when the client has gone, or the time of the plan is over. */
  readonly draft: AbortSignal;
}

/** Says what a task would do before there is one. */
@Controller('v1')
export class FlowPlanController {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: OssOptions,
    private readonly work: RequestWork,
  ) {}

  /** The steps that would run, in order, as far as the parameters tell, and the ways back. */
  @Post('flows/:name([^:]+)::plan')
  @HttpCode(200)
  async plan(@Param('name') name: string, @Req() request: FastifyRequest): Promise<FlowPlan> {
    expectNoParameters(request.query);
    const { parameters = {} } = planFlowReader.read(request.body);
    const flow = await findFlow(this.options, { name }, request);
    return this.work.run(request, 'plan', (draft) => {
      return this.planOf(flow, { parameters, request, draft });
    });
  }

  /** The same of a flow that is not stored. */
  @Post('flows::plan')
  @HttpCode(200)
  @RouteConfig({ bodyFactor: FILE_FACTOR })
  async planDraft(@Req() request: FastifyRequest): Promise<FlowPlan> {
    expectNoParameters(request.query);
    const { flow, parameters = {} } = planDraftReader.read(request.body);
    return this.work.run(request, 'plan', async (draft) => {
      const written = { name: DRAFT, text: JSON.stringify(flow) };
      const reading = readFlow(this.options, written, { principal: principalOf(request), draft });
      const { definition, hash } = await reading.catch((error: unknown) => {
        throw inBody(error);
      });
      const version = { definition, hash, version: 0, createdAt: this.options.clock.now() };
      return this.planOf(version, { parameters, request, draft });
    });
  }

  private async planOf(
    flow: FlowVersion,
    { draft, parameters, request }: PlanOrder,
  ): Promise<FlowPlan> {
    await this.expectInput(flow, parameters, draft);
    const { clock, evaluator, flowStore } = this.options;
    const find = async (name: string, version: number | null): Promise<FlowVersion | null> => {
      const isSeen = !/\p{Cc}/u.test(name) && seesFlow(principalOf(request), name);
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
