import {
  type AnswerValues,
  DEFAULT_TIMING,
  type FlowOfTask,
  type FlowVersion,
  type JsonObject,
  type JsonValue,
  type Question,
  type TaskRequest,
} from '#core';
import { childQuestion, childRequest, type ChildSource, partOfFlow } from '#core/children';
import { PLANNED_TASK, type PlannedStep, PlanWalk } from '#core/read';
import { runIdOf } from '#core/scopes';
import { changeSecrets, isReference, MASK } from '#core/secrets';
import { LabelsFailed } from '#core/values';
import { nextTurn } from '#http-server';
import { withFlowLabels } from '#ports';
import type { OssOptions } from '../options.js';
import { type Assumption, isAssumedItem, resolveQuestion } from './resolve-question.js';
import type { Shown } from '../requests/shown.js';

/** Steps that one plan lists, those of child tasks included, and undos of each way back. */
const STEPS_MAX = 200;

/** Questions that one plan has answered. */
const QUESTIONS_MAX = 500;

/** A step that a task would come to. */
type PublicPlanned = Shown<'PlannedStep'>;

/** The child tasks that a step would have. */
type PublicChildren = NonNullable<PublicPlanned['children']>;

/** The plan of a task of a flow, before there is one. */
export type FlowPlan = Shown<'FlowPlan'>;

/** The parts of a plan. */
interface PlanSources extends Pick<OssOptions, 'clock' | 'evaluator'> {
  /** Once it is aborted, the plan ends with what it has. */
  readonly draft: AbortSignal;
  /** The flow of child tasks, where the caller may see it; null: there is none. */
  readonly find: (name: string, version: number | null) => Promise<FlowVersion | null>;
}

/** One task in a plan. */
interface Planned {
  readonly flow: FlowOfTask;
  readonly request: TaskRequest;
  /** Ids of the steps around it; of the task that is planned: none. */
  readonly around: readonly string[];
  /** Flows around it, which are not planned once more. */
  readonly flows: readonly string[];
}

/** Plans a task of a flow, and one of the child tasks of each of its steps. */
export class FlowPlanner {
  private stepsLeft = STEPS_MAX;
  private questionsLeft = QUESTIONS_MAX;
  private readonly assumptions: (Assumption & { readonly step: string })[] = [];

  constructor(private readonly sources: PlanSources) {}

  /** The plan of a flow with these parameters, of which secrets are not looked at. */
  async plan(flow: FlowVersion, parameters: JsonObject): Promise<FlowPlan> {
    const { name } = flow.definition;
    const request = requestWith(flow, { parameters, actor: 'plan' });
    const planned = await this.walk({ flow, request, around: [], flows: [name] });
    return { flow: name, version: flow.version, ...planned, assumptions: this.assumptions };
  }

  private async walk(planned: Planned): Promise<Pick<FlowPlan, 'items' | 'back' | 'ends'>> {
    const moment = { now: this.sources.clock.now(), chance: 0.5, timing: DEFAULT_TIMING };
    const walk = new PlanWalk(planned.flow, await this.labelled(planned, moment.now), moment);
    const items: PublicPlanned[] = [];
    while (this.stepsLeft > 0 && this.questionsLeft > 0 && !this.sources.draft.aborted) {
      const move = walk.next();
      if (move.kind === 'ended') {
        const { outcome, way } = move.task;
        const ends = outcome === 'succeeded' ? outcome : way === 'back' ? 'fails' : 'open';
        return { items, back: backOf(walk), ends };
      }
      if (move.kind === 'reached') {
        this.stepsLeft -= 1;
        const back = backOf(walk);
        items.push({ ...(await this.present(move.planned, planned)), back });
        await nextTurn();
        continue;
      }
      const { question } = move;
      const step = [...planned.around, walk.idAt(question.ref.step)].join('/');
      const answer = await this.resolve(step, question);
      if (answer !== null) walk.answer(question, answer);
    }
    return { items, back: backOf(walk), ends: 'open' };
  }

  /** Without labels that cannot be worked out: a real start says why. */
  private async labelled({ around, flow, request }: Planned, now: number): Promise<TaskRequest> {
    const answer = async (question: Question) => {
      return { values: (await this.resolve([...around, '$labels'].join('/'), question)) ?? {} };
    };
    try {
      return await withFlowLabels(flow, request, { answer, taskId: PLANNED_TASK, now });
    } catch (error) {
      if (error instanceof LabelsFailed) return request;
      throw error;
    }
  }

  /** Null: the time of the plan was over before there was an answer. */
  private async resolve(step: string, question: Question): Promise<AnswerValues | null> {
    const { draft, evaluator } = this.sources;
    this.questionsLeft -= 1;
    try {
      const resolved = await resolveQuestion(question, { draft, evaluator });
      this.assumptions.push(...resolved.assumptions.map((assumed) => ({ step, ...assumed })));
      return resolved.values;
    } catch (error) {
      if (draft.aborted) return null;
      throw error;
    }
  }

  private async present(
    { children, id, parameters, step }: PlannedStep,
    around: Planned,
  ): Promise<Omit<PublicPlanned, 'back'>> {
    const { flow, name, normal, wait } = step;
    if (children !== null) {
      const kind = flow === undefined ? 'foreach' : 'flow';
      return { step: name, id, kind, children: await this.childrenOf(children, { around, id }) };
    }
    if (normal === undefined)
      return { step: name, id, kind: wait === undefined ? 'approve' : 'wait' };
    const { command, module } = normal;
    return { step: name, id, kind: 'normal', module, command, parameters: parameters ?? {} };
  }

  /** One child task stands for all: that of the first item. */
  private async childrenOf(
    source: ChildSource,
    { around, id }: { readonly around: Planned; readonly id: string },
  ): Promise<PublicChildren> {
    const { items, tally } = source.children;
    const count = isAssumedItem(items[0]) ? null : tally.total;
    const { name = null, version = null } = tally.flow ?? {};
    const isAround = name !== null && around.flows.includes(name);
    const stored = name === null || isAround ? null : await this.sources.find(name, version);
    if (name !== null && stored === null) return { count, flow: name, items: null, ends: 'open' };
    const own = [...around.around, id];
    const question = childQuestion(source, 0);
    const known = question && (await this.resolve(own.join('/'), question));
    const flow = stored ?? partOfFlow(source);
    const sent = childRequest(source, 0, (known?.['parameters'] ?? null) as JsonObject | null);
    const flows = name === null ? around.flows : [...around.flows, name];
    const request = requestWith(flow, sent);
    const child = await this.walk({ flow, request, around: own, flows });
    return { count, flow: name, items: child.items, ends: child.ends };
  }
}

/** No task is made of it, so that nothing needs the secrets. */
function requestWith({ definition }: FlowOfTask, request: TaskRequest): TaskRequest {
  return { ...request, parameters: changeSecrets(definition, request.parameters, maskOf) };
}

function maskOf(secret: JsonValue): JsonValue {
  return isReference(secret) ? secret : MASK;
}

function backOf(walk: PlanWalk): readonly string[] {
  const { task, undos } = walk.wayBack(STEPS_MAX);
  return undos.map(({ place }) => runIdOf(task, place));
}
