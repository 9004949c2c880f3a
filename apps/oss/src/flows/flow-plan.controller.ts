import { Controller, HttpCode, Inject, Param, Post, Req } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { changeSecrets, DEFAULT_TIMING, type FlowVersion, type JsonObject } from '#core';
import { MASK, PlanWalk, runIdOf } from '#core';
import type { PlannedStep } from '#core';
import { CheckerBusy, CheckTooCostly } from '#flow-files';
import { expectNoParameters, nextTurn, principalOf, Problem } from '#nest';
import { OSS_OPTIONS, type OssOptions } from '../options.js';
import { tooManyChecks } from '../requests/too-many-checks.js';
import { findFlow } from './find-flow.js';
import { FILE_FACTOR } from './flows.controller.js';
import { planDraftReader, planFlowReader } from './plan-flow.request.js';
import { readFlow } from './put-flow.js';
import { type Assumption, resolveQuestion } from './resolve-question.js';

/** Steps that one plan lists, and undos of each way back. */
const STEPS_MAX = 200;

/** Questions that one plan has answered. */
const QUESTIONS_MAX = 500;

/** Name of a flow that has none yet. */
const DRAFT = 'draft';

/** A step that a task would come to. */
interface PublicPlanned {
  readonly step: string;
  readonly id: string;
  readonly kind: string;
  readonly module?: string;
  readonly command?: string;
  readonly parameters?: JsonObject;
  readonly back: readonly string[];
}

/** The plan of a task of a flow, before there is one. */
interface FlowPlan {
  readonly flow: string;
  /** 0: it is not stored. */
  readonly version: number;
  readonly items: readonly PublicPlanned[];
  readonly back: readonly string[];
  readonly ends: 'succeeded' | 'fails' | 'open';
  readonly assumptions: readonly (Assumption & { readonly step: string })[];
}

/** Says what a task would do before there is one. */
@Controller('v1')
export class FlowPlanController {
  constructor(@Inject(OSS_OPTIONS) private readonly options: OssOptions) {}

  /** The steps that would run, in order, as far as the parameters tell, and the ways back. */
  @Post('flows/:name([^:]+)::plan')
  @HttpCode(200)
  async plan(@Param('name') name: string, @Req() request: FastifyRequest): Promise<FlowPlan> {
    expectNoParameters(request.query);
    const { parameters = {} } = planFlowReader.read(request.body);
    return this.planOf(await findFlow(this.options, { name }, request), parameters);
  }

  /** The same of a flow that is not stored. */
  @Post('flows::plan')
  @HttpCode(200)
  @RouteConfig({ bodyFactor: FILE_FACTOR })
  async planDraft(@Req() request: FastifyRequest): Promise<FlowPlan> {
    expectNoParameters(request.query);
    const { flow, parameters = {} } = planDraftReader.read(request.body);
    const written = { name: DRAFT, text: JSON.stringify(flow) };
    const reading = readFlow(this.options, written, principalOf(request));
    const { definition, hash } = await reading.catch((error: unknown) => {
      throw inBody(error);
    });
    const draft = { definition, hash, version: 0, createdAt: this.options.clock.now() };
    return this.planOf(draft, parameters);
  }

  private async planOf(flow: FlowVersion, parameters: JsonObject): Promise<FlowPlan> {
    await this.expectInput(flow, parameters);
    const moment = { now: this.options.clock.now(), chance: 0.5, timing: DEFAULT_TIMING };
    // No task is made of it, so that nothing needs the secrets.
    const shown = changeSecrets(flow.definition, parameters, () => MASK);
    return this.walk(flow, new PlanWalk(flow, shown, moment));
  }

  private async walk(flow: FlowVersion, walk: PlanWalk): Promise<FlowPlan> {
    const { name } = flow.definition;
    const items: PublicPlanned[] = [];
    const assumptions: (Assumption & { readonly step: string })[] = [];
    let ends: FlowPlan['ends'] = 'open';
    for (let questions = 0; items.length < STEPS_MAX && questions < QUESTIONS_MAX;) {
      const move = walk.next();
      if (move.kind === 'ended') {
        const { outcome, way } = move.task;
        ends = outcome === 'succeeded' ? outcome : way === 'back' ? 'fails' : 'open';
        break;
      }
      if (move.kind === 'reached') {
        items.push({ ...presentPlanned(move.planned), back: backOf(walk) });
        await nextTurn();
        continue;
      }
      questions += 1;
      const { question } = move;
      const resolved = await resolveQuestion(question, this.options.evaluator);
      const step = walk.idAt(question.ref.step);
      assumptions.push(...resolved.assumptions.map((assumed) => ({ step, ...assumed })));
      walk.answer(question, resolved.values);
    }
    return { flow: name, version: flow.version, items, back: backOf(walk), ends, assumptions };
  }

  private async expectInput(flow: FlowVersion, parameters: JsonObject): Promise<void> {
    try {
      const problems = await this.options.checker.checkInput(flow, parameters);
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

function backOf(walk: PlanWalk): readonly string[] {
  const { task, undos } = walk.wayBack(STEPS_MAX);
  return undos.map(({ place }) => runIdOf(task, place));
}

function presentPlanned({ id, parameters, step }: PlannedStep): Omit<PublicPlanned, 'back'> {
  const { name, normal } = step;
  if (normal === undefined) {
    return { step: name, id, kind: step.wait === undefined ? 'approve' : 'wait' };
  }
  const { command, module } = normal;
  return { step: name, id, kind: 'normal', module, command, parameters: parameters ?? {} };
}
