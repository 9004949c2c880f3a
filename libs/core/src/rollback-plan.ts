import { mayHaveEffect } from './action-run.js';
import type { Action } from './action.js';
import { nextAttempt, runOf } from './dispatch.js';
import type { ActionRef, Moment, TaskEvent } from './event.js';
import type { JsonObject } from './json.js';
import { grantFor } from './lock-names.js';
import { parametersFor } from './parameters.js';
import {
  endPlace,
  firstPlace,
  outermostPlace,
  scopeBelow,
  scopesOf,
  stepAt,
  TASK,
} from './places.js';
import { pivotsOfTask } from './pivot.js';
import { questionOf } from './scene.js';
import { partFrom } from './reset-part.js';
import { placeOfStep } from './run-id.js';
import { openActions } from './tally.js';
import type { Task } from './task.js';
import { transition } from './transition.js';
import type { Refusal } from './verdict.js';

/** One undo, as it would be called. */
export interface PlannedUndo {
  /** Place of its step. */
  readonly place: number;
  readonly action: Action;
  /** Constants that are expressions stand there as they were written. */
  readonly parameters: JsonObject;
}

/** The course of a rollback, if the task went back now and every undo succeeded. */
export interface RollbackPlan {
  /** In the order in which they would run; of those that may run in parallel, the last first. */
  readonly undos: readonly PlannedUndo[];
  /** Places of steps that may have had an effect and have no rollback, in what goes back. */
  readonly leftOver: readonly number[];
  /** Why it would not go back all the way, for people; null: it would. */
  readonly obstacle: string | null;
  /**
   * Place of the task's own step down to which the undos go, and for which a person has to ask by
   * name; null: all the way, or, with an obstacle, nowhere.
   */
  readonly to: number | null;
  /** Place of the task's own step past which nothing goes back; null: there is none. */
  readonly pivot: number | null;
  /** There are more undos than were asked for. */
  readonly isCut: boolean;
}

const PERSON = { actor: 'plan', reason: 'plan', key: null } as const;

/**
 * The undos of a task if it turned round now, at most so many: the task itself goes back, in
 * memory, by the same `transition` as ever. Where a point of no return is in the way, they are
 * those down to the step that the refusal names.
 */
export function rollbackPlan(task: Task, moment: Moment, max: number): RollbackPlan {
  const walk = new Walk(task, moment);
  const pivot = pivotsOfTask(task).at(-1) ?? null;
  const refusal = walk.turn();
  const to = placeOfStep(task, refusal?.to ?? '');
  const undos: PlannedUndo[] = [];
  let undo = walk.next();
  for (; undo !== null && undos.length < max; undo = walk.next()) undos.push(undo);
  return {
    undos,
    leftOver: walk.leftOver(to),
    obstacle: refusal?.message ?? null,
    to,
    pivot,
    isCut: undo !== null,
  };
}

/** A task that goes back in memory. */
class Walk {
  private task: Task;
  private now: number;

  constructor(
    task: Task,
    private readonly moment: Moment,
  ) {
    // The rate limit on actions of persons does not apply to a plan.
    this.task = { ...task, doneActions: [] };
    this.now = moment.now;
  }

  /** Has the task go back, as far as it can; why it does not go all the way, or null. */
  turn(): Refusal | null {
    const { hold, outcome, paused } = this.task;
    if (outcome === 'rolled_back' || outcome === 'terminated') return null;
    if (paused !== null) this.apply({ kind: 'resume_requested', ...PERSON });
    if (hold?.why === 'rollback_failed') this.apply({ kind: 'retry_requested', ...PERSON });
    const kind = outcome === 'succeeded' ? 'undo_requested' : 'rollback_requested';
    const isBack = this.task.way === 'back' && this.task.turned?.to === null;
    const refusal = isBack ? null : this.apply({ kind, ...PERSON });
    const to = refusal?.to;
    const left = to === undefined ? refusal : this.apply({ kind, ...PERSON, to });
    if (left === null) this.callOff();
    return refusal;
  }

  private apply(event: TaskEvent): Refusal | null {
    const decision = transition(this.task, event, { moment: { ...this.moment, now: this.now } });
    if (decision.kind === 'moved') this.task = decision.task;
    return decision.kind === 'refused' ? decision : null;
  }

  /** Fails every normal action that an executor holds, so that nothing goes forward any longer. */
  private callOff(): void {
    const failure = { failure: 'FAILED', terminal: false, message: 'called off' } as const;
    for (const ref of openActions(this.task)) {
      const token = runOf(this.task, ref)?.lease?.token;
      if (ref.direction !== 'normal' || token === undefined) continue;
      this.apply({ kind: 'failed', ...ref, token, ...failure });
    }
  }

  /** The next undo, which then has succeeded; null: nothing is left. */
  next(): PlannedUndo | null {
    for (let grant = grantFor(this.task); grant !== null; grant = grantFor(this.task)) {
      this.apply(grant);
    }
    const step = this.task.outcome === null ? this.nextIn(TASK) : null;
    const ref: ActionRef = { direction: 'rollback', step: step ?? 0 };
    const action = step === null ? null : stepAt(this.task, step)?.rollback;
    if (step === null || !action) return null;
    this.start(ref);
    const planned = { place: step, action, parameters: parametersFor(this.task, ref) };
    const token = runOf(this.task, ref)?.lease?.token ?? 0;
    this.apply({ kind: 'succeeded', ...ref, token, output: null });
    return planned;
  }

  private start(ref: ActionRef): void {
    const { dueAt, state } = runOf(this.task, ref) ?? {};
    if (state === 'waiting') {
      this.now = Math.max(this.now, dueAt ?? this.now);
      this.apply({ kind: 'tick', crowded: new Map() });
    }
    const question = questionOf(this.task, ref);
    if (question !== null) {
      const values = { parameters: stepAt(this.task, ref.step)?.rollback?.parameters ?? {} };
      this.apply({ kind: 'answered', ...ref, question: question.id, answer: { values } });
    }
    const run = runOf(this.task, ref);
    if (run?.state !== 'queued') return;
    this.apply({ kind: 'claimed', ...ref, attempt: nextAttempt(run), owner: 'plan' });
  }

  private nextIn(scope: number): number | null {
    const first = firstPlace(this.task, scope);
    const way = scopeBelow(this.task, scope)?.way ?? this.task.way;
    const count = endPlace(this.task, scope) - first;
    for (let n = 0; n < count; n += 1) {
      const found = this.nextAt(way === 'back' ? first + count - 1 - n : first + n);
      if (found !== null) return found;
    }
    return null;
  }

  private nextAt(place: number): number | null {
    const { scopes } = this.task;
    for (const scope of scopesOf(this.task, place).toReversed()) {
      const found = scopes[scope]?.stage === 'open' ? this.nextIn(scope) : null;
      if (found !== null) return found;
    }
    const state = this.task.runs[place]?.rollback?.state;
    const isNext = state === 'queued' || state === 'running' || state === 'waiting';
    return isNext && stepAt(this.task, place)?.rollback ? place : null;
  }

  /** Of the whole task, or of the part that goes back down to a step. */
  leftOver(to: number | null): readonly number[] {
    const part = to === null ? null : partFrom(this.task.plan.steps, to);
    const places = Array.from(this.task.runs.keys()).filter((place) => {
      return part === null || part[outermostPlace(this.task, place)] === 1;
    });
    return places.filter((place) => {
      const { normal } = this.task.runs[place] ?? {};
      const step = stepAt(this.task, place);
      const hasNone = step?.normal !== undefined && step.rollback === null;
      return hasNone && normal !== undefined && mayHaveEffect(normal);
    });
  }
}
