import { type ChildSource, childSource } from '../children/child-request.js';
import { type ChildrenPlan, childrenToTend } from '../children/children.js';
import { createTask } from '../transitions/create-task.js';
import { nextAttempt, runOf } from '../scopes/dispatch.js';
import type { Moment, TaskEvent } from '../task/event.js';
import type { StepPlan } from '../flow/flow.js';
import { isParentStep } from '../flow/step-kind.js';
import { type JsonObject, mergeParameters } from '../json/json.js';
import { grantFor } from '../locks/lock-names.js';
import { parameterLayers } from '../values/parameters.js';
import { stepAt } from '../scopes/step-at.js';
import type { AnswerValues, AskedQuestion } from '../task/question.js';
import { type RollbackPlan, rollbackPlan } from './rollback-plan.js';
import { runIdOf } from '../scopes/run-id.js';
import { openActions } from '../scopes/task-index.js';
import type { FlowOfTask, Task, TaskRequest } from '../task/task.js';
import { transition } from '../transitions/transition.js';
import type { ActionRef } from '../task/action-ref.js';
import { questionOf } from '../kinds/question-of.js';

/**
 * A step that a task would come to which waits for a person: a command, one that waits, or one with
 * child tasks.
 */
export interface PlannedStep {
  readonly step: StepPlan;
  /** The source of its child tasks; null: it has none. */
  readonly children: ChildSource | null;
  /** Id of its run. */
  readonly id: string;
  /** Of a command; what has no value yet stands as it was written. */
  readonly parameters: JsonObject | null;
}

/** How a plan goes on. */
type PlanMove =
  /** It must be told what templates come to; see `PlanWalk.answer`. */
  | { readonly kind: 'asks'; readonly question: AskedQuestion }
  | { readonly kind: 'reached'; readonly planned: PlannedStep }
  /** `task`: as it then stands. */
  | { readonly kind: 'ended'; readonly task: Task };

const PERSON = { actor: 'plan', reason: 'plan', key: null } as const;

/** Nobody reads an id of a task that is never stored. */
export const PLANNED_TASK = '00000000-0000-7000-8000-000000000000';

/**
 * A task that goes forward in memory by the same `transition` as ever: every command succeeds and
 * gives nothing back, every wait ends, every person says yes, all child tasks succeed.
 */
export class PlanWalk {
  private task: Task;
  private now: number;
  /** Names of outputs that nobody knows. */
  private readonly madeUp = new Set<string>();

  constructor(
    flow: FlowOfTask,
    request: TaskRequest,
    private readonly moment: Moment,
  ) {
    this.now = moment.now;
    this.task = createTask(flow, request, { taskId: PLANNED_TASK, moment }).task;
  }

  /** Goes on to where a person must answer, or to the next step that waits for a person. */
  next(): PlanMove {
    for (;;) {
      const { hold, outcome, way } = this.task;
      const isOver = outcome !== null || hold !== null || way === 'back';
      const move = isOver ? null : this.step();
      if (move === null) return { kind: 'ended', task: this.task };
      if (move !== 'moved') return move;
    }
  }

  /** Null: nothing moves any more. */
  private step(): PlanMove | 'moved' | null {
    const grant = grantFor(this.task);
    if (grant !== null) {
      this.apply(grant);
      return 'moved';
    }
    for (const ref of openActions(this.task)) {
      const question = questionOf(this.task, ref);
      if (question !== null) return { kind: 'asks', question: this.asKnown(question) };
      const passed = this.pass(ref);
      if (passed === 'moved') return passed;
      if (passed !== null) return { kind: 'reached', planned: passed };
    }
    return null;
  }

  /** Answers a question with the values of its templates. */
  answer({ id, ref }: AskedQuestion, values: AnswerValues): void {
    this.apply({ kind: 'answered', ...ref, question: id, answer: { values } });
  }

  /**
   * The undos, in their order, that would run if the task went back by itself now; at most `max`,
   * and none behind a point of no return.
   */
  wayBack(max: number): Pick<RollbackPlan, 'undos'> & { readonly task: Task } {
    const { task } = this;
    const moment = { ...this.moment, now: this.now };
    const { obstacle, undos } = rollbackPlan(task, moment, { max });
    return { task, undos: obstacle === null ? undos : [] };
  }

  /** Id of the run at a place. */
  idAt(place: number): string {
    return runIdOf(this.task, place);
  }

  /** Has a step go by that waits for a person; null: it does not move by itself. */
  private pass(ref: ActionRef): PlannedStep | 'moved' | null {
    const step = stepAt(this.task, ref.step);
    const run = runOf(this.task, ref);
    if (step === undefined || run === null || ref.direction !== 'normal') return null;
    const id = runIdOf(this.task, ref.step);
    if (run.state === 'waiting') return this.endWait(step, { id, dueAt: run.dueAt ?? null });
    const children = childrenToTend(this.task).find(({ holder }) => holder === ref.step);
    if (children !== undefined) return this.passChildren(step, children);
    if (step.normal === undefined) return null;
    if (run.state === 'queued') {
      const parameters = this.parametersOf(ref);
      this.apply({ kind: 'claimed', ...ref, attempt: nextAttempt(run), owner: 'plan' });
      return { step, children: null, id, parameters };
    }
    this.apply({ kind: 'succeeded', ...ref, token: run.lease?.token ?? 0, output: null });
    return 'moved';
  }

  /** All of them succeed at once. */
  private passChildren(step: StepPlan, children: ChildrenPlan): PlannedStep {
    const { holder, run, tally } = children;
    const planned = {
      step,
      children: childSource(this.task, children),
      id: runIdOf(this.task, holder),
      parameters: null,
    };
    const { total } = tally;
    const counts = { found: total, succeeded: total, failed: 0, active: 0, held: 0 };
    const version = tally.flow === null ? {} : { version: tally.flow.version ?? 1 };
    this.madeUp.add(step.name);
    this.apply({ kind: 'children_counted', run, counts, ...version });
    this.apply({ kind: 'children_counted', run, counts, ...version, results: [] });
    return planned;
  }

  /** Without the outputs of child tasks: they are made up here. */
  private asKnown(question: AskedQuestion): AskedQuestion {
    if (this.madeUp.size === 0) return question;
    const { parameters } = question.scene;
    const known = Object.entries(parameters).filter(([name]) => !this.madeUp.has(name));
    return { ...question, scene: { ...question.scene, parameters: Object.fromEntries(known) } };
  }

  /** Without what a person would have said: that is made up here. */
  private parametersOf(ref: ActionRef): JsonObject {
    const layers = parameterLayers(this.task, ref).filter(({ place }) => {
      const step = place === undefined ? undefined : stepAt(this.task, place);
      return step?.approve === undefined && step?.wait === undefined && !isParentStep(step);
    });
    return mergeParameters(layers.map(({ values }) => values));
  }

  private endWait(
    step: StepPlan,
    { dueAt, id }: { readonly id: string; readonly dueAt: number | null },
  ): PlannedStep | 'moved' | null {
    const planned = { step, children: null, id, parameters: null };
    if (step.approve !== undefined) {
      this.apply({ kind: 'judged', ...PERSON, step: id, isApproved: true });
      return planned;
    }
    if (step.wait !== undefined && 'signal' in step.wait) {
      this.apply({ kind: 'signal_received', ...PERSON, name: step.wait.signal, payload: {} });
      return planned;
    }
    if (dueAt === null) return null;
    this.now = Math.max(this.now, dueAt);
    this.apply({ kind: 'tick', crowded: new Map() });
    return step.wait === undefined ? 'moved' : planned;
  }

  private apply(event: TaskEvent): void {
    const decision = transition(this.task, event, { moment: { ...this.moment, now: this.now } });
    if (decision.kind === 'moved') this.task = decision.task;
  }
}
