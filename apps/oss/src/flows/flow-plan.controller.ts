import { Controller, HttpCode, Inject, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { changeSecrets, DEFAULT_TIMING, type FlowVersion, type JsonObject } from '#core';
import { MASK, PlanWalk, runIdOf } from '#core';
import type { PlannedStep } from '#core';
import { CheckerBusy, CheckTooCostly } from '#flow-files';
import { expectNoParameters, nextTurn, Problem } from '#nest';
import { OSS_OPTIONS, type OssOptions } from '../options.js';
import { tooManyChecks } from '../requests/too-many-checks.js';
import { findFlow } from './find-flow.js';
import { planFlowReader } from './plan-flow.request.js';
import { type Assumption, resolveQuestion } from './resolve-question.js';

/** Steps that one plan lists, and undos of each way back. */
const STEPS_MAX = 200;

/** Questions that one plan has answered. */
const QUESTIONS_MAX = 500;

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
  readonly version: number;
  readonly items: readonly PublicPlanned[];
  readonly back: readonly string[];
  readonly ends: 'succeeded' | 'fails' | 'open';
  readonly assumptions: readonly (Assumption & { readonly step: string })[];
}

/** Says what a task would do before there is one. */
@Controller('v1/flows')
export class FlowPlanController {
  constructor(@Inject(OSS_OPTIONS) private readonly options: OssOptions) {}

  /** The steps that would run, in order, as far as the parameters tell, and the ways back. */
  @Post(':name([^:]+)::plan')
  @HttpCode(200)
  async plan(@Param('name') name: string, @Req() request: FastifyRequest): Promise<FlowPlan> {
    expectNoParameters(request.query);
    const { parameters = {} } = planFlowReader.read(request.body);
    const flow = await findFlow(this.options, { name }, request);
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
