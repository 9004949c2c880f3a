import { mayHaveEffect } from '../task/action-run.js';
import type { Action } from '../flow/action.js';
import { type ChildrenPlan, childrenToTend } from '../children/children.js';
import { nextAttempt, runOf } from '../scopes/dispatch.js';
import type { Moment, TaskEvent } from '../task/event.js';
import type { JsonObject } from '../json/json.js';
import { grantFor } from '../locks/lock-names.js';
import { parametersFor } from '../values/parameters.js';
import {
  endPlace,
  firstPlace,
  outermostPlace,
  scopeBelow,
  stepAt,
  TASK,
  wantsAction,
} from '../scopes/step-at.js';
import { scopesOf } from '../scopes/scope-index.js';
import { pivotsOfTask } from '../scopes/pivot.js';
import type { AskedQuestion } from '../task/question.js';
import { partFrom } from '../scopes/reset-part.js';
import { placeOfStep } from '../scopes/run-id.js';
import { openActions } from '../scopes/task-index.js';
import type { Task } from '../task/task.js';
import { transition } from '../transitions/transition.js';
import { callsPerson } from '../task/status.js';
import { illegal, type Refusal } from '../task/verdict.js';
import type { ActionRef } from '../task/action-ref.js';
import { questionOf } from '../kinds/question-of.js';

/** One undo: a command that would be called, or child tasks that would go back. */
export type PlannedUndo = CommandUndo | ChildrenUndo;

/** One undo, as it would be called. */
export interface CommandUndo {
  /** Place of its step. */
  readonly place: number;
  readonly action: Action;
  /** Constants that are expressions stand there as they were written. */
  readonly parameters: JsonObject;
  /** The question to answer for these; null: none is an expression, or all values are known. */
  readonly question: AskedQuestion | null;
}

/** The child tasks of a step, which would go back, the one of the highest index first. */
export interface ChildrenUndo {
  /** Place of their step. */
  readonly place: number;
  readonly action: null;
  /** Which: `run` of their `parent`. */
  readonly run: string;
}

/** The course of a rollback, if the task went back now and every undo succeeded. */
export interface RollbackPlan {
  /** In the order in which they would run; of those that may run in parallel, the last first. */
  readonly undos: readonly PlannedUndo[];
  /**
   * Places of steps that may have had an effect and have no rollback, in what goes back; of a task
   * that was terminated also of those that were not rolled back.
   */
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

/** The terms of a plan besides the task's document. */
interface PlanTerms {
  /** Most undos. */
  readonly max: number;
  /** The task is a child task, and its parent has it go back. Default: a person has. */
  readonly isByParent?: boolean;
  /** It goes back as far as it does by now, and no further. Default: it is turned first. */
  readonly isAsItStands?: boolean;
  /**
   * Child tasks that do not all go back, each `run` of their `parent`: what comes after them does
   * not happen. Default: none.
   */
  readonly barred?: ReadonlySet<string>;
}

const PERSON = { actor: 'plan', reason: 'plan', key: null } as const;

/**
 * The undos of a task if it turned round now, at most this many: the task itself goes back, in
 * memory, by the same `transition` as ever. Where a point of no return is in the way, they are
 * those down to the step that the refusal names.
 */
export function rollbackPlan(task: Task, moment: Moment, terms: PlanTerms): RollbackPlan {
  const walk = new Walk(task, moment, terms);
  const pivot = pivotsOfTask(task).at(-1) ?? null;
  const refusal = terms.isAsItStands === true ? walk.follow() : walk.turn();
  const to = placeOfStep(task, refusal?.to ?? '');
  // After a reset steps begin again, and nothing is known any more of what they had done.
  const left = terms.isAsItStands === true ? walk.leftBehind(task) : null;
  const undos: PlannedUndo[] = [];
  let undo = walk.next();
  for (; undo !== null && undos.length < terms.max; undo = walk.next()) undos.push(undo);
  return {
    undos,
    leftOver: left ?? walk.leftOver(to),
    obstacle: refusal?.message ?? null,
    to,
    pivot,
    isCut: undo !== null,
  };
}

/** The normal actions that executors hold, and that the task wants no more. */
export function calledOffIn(task: Task): readonly ActionRef[] {
  return openActions(task).filter((ref) => {
    const isHeld = ref.direction === 'normal' && runOf(task, ref)?.lease?.token !== undefined;
    return isHeld && !wantsAction(task, ref);
  });
}

function isUndone(state: string | undefined): boolean {
  return state === 'succeeded' || state === 'skipped';
}

/** Child tasks that go back now, by the scopes that they are. */
type DueChildren = ReadonlyMap<number, ChildrenPlan>;

/** A task that goes back in memory. */
class Walk {
  private task: Task;
  private now: number;
  /** Of the barred child tasks those that were planned. */
  private readonly stopped = new Set<string>();

  constructor(
    task: Task,
    private readonly moment: Moment,
    private readonly terms: PlanTerms,
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
    const own = this.terms.isByParent === true ? { isByParent: true as const } : {};
    const refusal = isBack ? null : this.apply({ kind, ...PERSON, ...own });
    const to = refusal?.to;
    const left = to === undefined ? refusal : this.apply({ kind, ...PERSON, to });
    if (left === null) this.callOff();
    // A child task that passed a point of no return calls a person in place of going back.
    return callsPerson(this.task) ? illegal(this.task.message ?? '') : refusal;
  }

  /** Lets the task go as it does; nothing is refused. */
  follow(): null {
    this.callOff();
    return null;
  }

  private apply(event: TaskEvent): Refusal | null {
    const decision = transition(this.task, event, { moment: { ...this.moment, now: this.now } });
    if (decision.kind === 'moved') this.task = decision.task;
    return decision.kind === 'refused' ? decision : null;
  }

  /** Fails every normal action that an executor holds and that the task wants no more. */
  private callOff(): void {
    const failure = { failure: 'FAILED', terminal: false, message: 'called off' } as const;
    for (const ref of calledOffIn(this.task)) {
      const token = runOf(this.task, ref)?.lease?.token ?? 0;
      this.apply({ kind: 'failed', ...ref, token, ...failure });
    }
  }

  /** The next undo, which then has succeeded; null: nothing is left. */
  next(): PlannedUndo | null {
    for (let grant = grantFor(this.task); grant !== null; grant = grantFor(this.task)) {
      this.apply(grant);
    }
    const found = this.task.outcome === null ? this.nextIn(TASK, this.childrenBack()) : null;
    if (found === null) return null;
    if (typeof found === 'number') return this.undo(found);
    const line = this.undoChildren(found);
    // Of child tasks of which none was started there is nothing to undo.
    return found.tally.started === 0 ? this.next() : line;
  }

  private undo(step: number): CommandUndo | null {
    const ref: ActionRef = { direction: 'rollback', step };
    const action = stepAt(this.task, step)?.rollback;
    if (!action) return null;
    const question = this.start(ref);
    const parameters = parametersFor(this.task, ref);
    const token = runOf(this.task, ref)?.lease?.token ?? 0;
    const before = this.task;
    this.apply({ kind: 'succeeded', ...ref, token, output: null });
    // A task that waits for a person, or is paused, goes no further.
    return this.task === before ? null : { place: step, action, parameters, question };
  }

  /** They are documents of their own, so that they count as undone here. */
  private undoChildren({ holder, run, tally }: ChildrenPlan): ChildrenUndo {
    const { started } = tally;
    const counts = { found: started, succeeded: 0, failed: started, active: 0, held: 0 };
    if (this.terms.barred?.has(run) === true) this.stopped.add(run);
    else this.apply({ kind: 'children_counted', run, counts });
    return { place: holder, action: null, run };
  }

  /** The child tasks that go back now, by the scopes that they are. */
  private childrenBack(): DueChildren {
    const due = childrenToTend(this.task).filter(({ run, way }) => {
      return way === 'back' && !this.stopped.has(run);
    });
    return new Map(due.map((children) => [children.scope, children]));
  }

  /** Starts an undo; gives the question of its expressions, which then count as their values. */
  private start(ref: ActionRef): AskedQuestion | null {
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
    if (run?.state === 'queued') {
      this.apply({ kind: 'claimed', ...ref, attempt: nextAttempt(run), owner: 'plan' });
    }
    return question;
  }

  private nextIn(scope: number, due: DueChildren): number | ChildrenPlan | null {
    const first = firstPlace(this.task, scope);
    const way = scopeBelow(this.task, scope)?.way ?? this.task.way;
    const count = endPlace(this.task, scope) - first;
    for (let n = 0; n < count; n += 1) {
      const found = this.nextAt(way === 'back' ? first + count - 1 - n : first + n, due);
      if (found !== null) return found;
    }
    return null;
  }

  private nextAt(place: number, due: DueChildren): number | ChildrenPlan | null {
    const { scopes } = this.task;
    for (const scope of scopesOf(this.task, place).toReversed()) {
      const isOpen = scopes[scope]?.stage === 'open';
      const found = isOpen ? (due.get(scope) ?? this.nextIn(scope, due)) : null;
      if (found !== null) return found;
    }
    const state = this.task.runs[place]?.rollback?.state;
    const isNext = state === 'queued' || state === 'running' || state === 'waiting';
    return isNext && stepAt(this.task, place)?.rollback ? place : null;
  }

  /** In what goes back of a task as it stands; nothing of one that goes forward. */
  leftBehind({ outcome, turned, way }: Task): readonly number[] {
    const isOver = outcome === 'terminated' || outcome === 'rolled_back';
    if (way !== 'back' && !isOver) return [];
    const { children, to = null } = turned ?? {};
    const left = this.leftOver(to);
    // Child tasks that are kept are not to be undone, nor is anything below their step.
    if (children === undefined) return left;
    return left.filter((place) => outermostPlace(this.task, place) !== to);
  }

  /** Of the whole task, or of the part that goes back down to a step. */
  leftOver(to: number | null): readonly number[] {
    const part = to === null ? null : partFrom(this.task.plan.steps, to);
    const places = Array.from(this.task.runs.keys()).filter((place) => {
      return part === null || part[outermostPlace(this.task, place)] === 1;
    });
    return places.filter((place) => {
      const { normal, rollback } = this.task.runs[place] ?? {};
      const step = stepAt(this.task, place);
      if (step?.normal === undefined || normal === undefined) return false;
      // Nothing of a task that was terminated is undone any more.
      const isLeft = this.task.outcome === 'terminated' && !isUndone(rollback?.state);
      return (step.rollback === null || isLeft) && mayHaveEffect(normal);
    });
  }
}
