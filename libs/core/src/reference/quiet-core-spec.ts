import { tallyFault } from '../../../../test/fuzz/tally-fault.js';
import { invariant } from '../assert.js';
import { type ChildrenPlan, childrenToTend } from '../children/children.js';
import { createTask } from '../transitions/create-task.js';
import {
  DEFAULT_TIMING,
  type PersonsAction,
  type TaskEvent,
  type WorkerOutcome,
} from '../task/event.js';
import type { JsonObject } from '../json/json.js';
import { parametersFor } from '../values/parameters.js';
import { endPlace, firstPlace, scopeBelow, stepAt, TASK } from '../scopes/step-at.js';
import { scopesOf } from '../scopes/scope-index.js';
import {
  CHANCE,
  errorOf,
  heldIn,
  isRetried,
  type Program,
  RETRIES_MAX,
  type Scripted,
  START_MS,
  scripted,
} from './program-spec.js';
import { runIdOf } from '../scopes/run-id.js';
import { rollbackPlan } from '../read/rollback-plan.js';
import type { Answer, Question } from '../task/question.js';
import { QuietChildren } from './quiet-children-spec.js';
import { claim, tell } from './quiet-holders-spec.js';
import type { FlowOfTask, Task, TaskRequest } from '../task/task.js';
import { transition } from '../transitions/transition.js';
import type { ActionRef } from '../task/action-ref.js';
import { questionOf } from '../kinds/question-of.js';
import { askedIn } from '../transitions/effect.js';

/** Stands between the id of a task and the name of a child task of it. */
export const CHILD_MARK = ' > ';

const PERSON: PersonsAction = { actor: 'p', reason: 'r', key: null };
const TICK: TaskEvent = { kind: 'tick', crowded: new Map() };

/**
 * The next thing to do in a task: an action, a moment, a step that waits for somebody, or child
 * tasks.
 */
type Next = ActionRef | { readonly at: number } | { readonly place: number } | ChildrenPlan;

/** An undo as it was called. */
export interface PlayedUndo {
  readonly taskId: string;
  readonly id: string;
  readonly module: string;
  readonly command: string;
  readonly parameters: JsonObject;
}

/** The state that a task and all child tasks below it share. */
interface Family {
  now: number;
  /** Attempts of normal actions. */
  started: number;
  /** Null: it is being made. */
  root: QuietCore | null;
  readonly log: string[];
  /** In the order in which they were called. */
  readonly undone: PlayedUndo[];
}

/** A task to be played: that of a program, or a child task of one. */
interface Born {
  readonly flow: FlowOfTask;
  readonly request: TaskRequest;
  readonly taskId: string;
  readonly family: Family;
}

/** The task of a program that is nobody's child. */
function bornOf({ onFailure = 'rollback', steps }: Program): Born {
  const nothing = { description: null, input: null, timeoutMs: null };
  const definition = { name: 'f', ...nothing, onFailure, steps };
  const request = { parameters: { yes: true, no: false } };
  const family = { now: START_MS, started: 0, root: null, log: [], undone: [] };
  return { flow: { definition, version: 1 }, request, taskId: 't', family };
}

/**
 * Plays a program against the real core, one thing after the other: forward the first step that
 * has something to do, backward the last one, and no time goes by but that which is waited for.
 */
export class QuietCore {
  /** The undos that were planned when a person asked for a rollback; null: nobody asked. */
  plan: readonly string[] | null = null;
  /** How many entries of the log came before that. */
  plannedAt = 0;
  task: Task;
  readonly family: Family;
  readonly children: QuietChildren;
  private retries = 0;

  constructor(
    readonly program: Program,
    readonly answerTo: (question: Question) => Answer,
    { family, flow, request, taskId }: Born = bornOf(program),
  ) {
    this.family = family;
    family.root ??= this;
    this.children = new QuietChildren(this);
    const created = createTask(flow, request, { taskId, moment: this.moment() });
    this.task = created.task;
    for (const ref of askedIn(created.effects)) this.answer(ref);
  }

  /** Every attempt and what it came to, of child tasks with the name of the child task before. */
  get log(): readonly string[] {
    return this.family.log;
  }

  note(line: string): void {
    const [, ...child] = this.task.plan.taskId.split(CHILD_MARK);
    this.family.log.push(`${child.map((run) => `${run} `).join('')}${line}`);
  }

  moment() {
    return { now: this.family.now, chance: CHANCE, timing: DEFAULT_TIMING };
  }

  /** Decides on an event, and answers what is asked then. */
  apply(event: TaskEvent): void {
    const decision = transition(this.task, event, { moment: this.moment() });
    if (decision.kind !== 'moved') return;
    // Of a large task now and then: a look at all of it takes long.
    const { revision, runs } = decision.task;
    const fault = runs.length < 300 || revision % 50 === 0 ? tallyFault(decision.task) : null;
    invariant(fault === null, `what is carried is what all runs say: ${fault}`);
    this.task = decision.task;
    for (const ref of askedIn(decision.effects)) this.answer(ref);
  }

  /**
   * The undos that a rollback would run; null where the attempt turns out to have had no effect.
   */
  private planNow(end: Scripted): readonly string[] | null {
    if (end === 'refused') return null;
    const { obstacle, undos } = rollbackPlan(this.task, this.moment(), { max: 10_000 });
    this.plannedAt = this.log.length;
    // A part of a rollback is not what the person asked for.
    const all = obstacle === null ? undos : [];
    return all.map(({ place }) => `-${runIdOf(this.task, place)} done`);
  }

  private answer(ref: ActionRef): void {
    const question = questionOf(this.task, ref);
    if (question === null) return;
    const answer = this.answerTo(question);
    this.apply({ kind: 'answered', ...ref, question: question.id, answer });
  }

  run(): string | null {
    for (let turn = 0; this.task.outcome === null; turn += 1) {
      invariant(turn < 5_000, 'it comes to an end');
      this.step();
    }
    return this.task.outcome;
  }

  /** Does the next thing. A task that waits for a person because a step failed is terminated. */
  step(): void {
    const { hold } = this.task;
    // A step failed behind a point of no return, or the task is not undone past it.
    if (hold?.why === 'rollback_failed') this.note('terminated');
    if (hold !== null && hold.why !== 'requested') {
      this.apply({ kind: 'terminate_requested', ...PERSON });
      return;
    }
    const next = this.nextIn(TASK);
    invariant(next !== null, 'something is next in a task that has not ended');
    if ('at' in next) this.waitUntil(next.at);
    else if ('place' in next) this.hear(next.place);
    else if ('tally' in next) this.children.tend(next);
    else this.attempt(next);
  }

  /** Somebody says yes, no, or nothing to a step that waits for it. */
  private hear(place: number): void {
    const id = runIdOf(this.task, place);
    const { approve, wait } = stepAt(this.task, place) ?? {};
    const said = scripted(this.program, `${id} 1`);
    if (approve !== undefined && (said === 'done' || said === 'fails')) {
      this.apply({ kind: 'judged', ...PERSON, step: id, isApproved: said === 'done' });
    } else if (wait !== undefined && 'signal' in wait && said === 'done') {
      this.apply({ kind: 'signal_received', ...PERSON, name: wait.signal, payload: {} });
    } else {
      this.waitUntil(this.task.runs[place]?.normal.dueAt ?? 0);
    }
  }

  private waitUntil(at: number): void {
    const { family } = this;
    family.now = Math.max(family.now, Math.min(at, this.task.wakeAt ?? at));
    this.apply(TICK);
  }

  private nextIn(scope: number): Next | null {
    const { task } = this;
    const first = firstPlace(task, scope);
    const places = Array.from({ length: endPlace(task, scope) - first }, (_, n) => first + n);
    const isBack = (scopeBelow(task, scope)?.way ?? task.way) === 'back';
    for (const place of isBack ? places.toReversed() : places) {
      const next = this.nextAt(place);
      if (next !== null) return next;
    }
    return null;
  }

  private nextAt(place: number): Next | null {
    const { normal, rollback } = this.task.runs[place] ?? {};
    const { approve, wait } = stepAt(this.task, place) ?? {};
    const isForSomebody = approve !== undefined || (wait !== undefined && 'signal' in wait);
    if (normal?.state === 'waiting') return isForSomebody ? { place } : { at: normal.dueAt ?? 0 };
    for (const scope of this.openScopes(place)) {
      const next = this.childrenIn(scope) ?? this.nextIn(scope);
      if (next !== null) return next;
    }
    if (rollback?.state === 'queued') return { direction: 'rollback', step: place };
    return normal?.state === 'queued' ? { direction: 'normal', step: place } : null;
  }

  private childrenIn(scope: number): ChildrenPlan | null {
    if (this.task.scopes[scope]?.kind !== 'children') return null;
    return childrenToTend(this.task).find((children) => children.scope === scope) ?? null;
  }

  /** The open scopes of a step: first those that go back, the last one first, then the others. */
  private openScopes(place: number): readonly number[] {
    const { scopes } = this.task;
    const open = scopesOf(this.task, place).filter((scope) => scopes[scope]?.stage === 'open');
    const back = open.filter((scope) => scopes[scope]?.way === 'back');
    return [...back.toReversed(), ...open.filter((scope) => scopes[scope]?.way === 'forward')];
  }

  private attempt(ref: ActionRef): void {
    const isBack = ref.direction === 'rollback';
    const id = `${isBack ? '-' : ''}${runIdOf(this.task, ref.step)}`;
    const run = this.task.runs[ref.step]?.[isBack ? 'rollback' : 'normal'];
    const attempt = (run?.attempts ?? 0) + 1;
    const what = `${id} ${attempt}`;
    const holding = heldIn(this.program, what);
    claim(this, ref, holding);
    const report = { ...ref, token: this.task.token };
    const end = scripted(this.program, what);
    this.note(`${id} ${end}`);
    if (isBack) this.noteUndo(ref);
    if (!isBack) this.family.started += 1;
    if (!isBack && this.family.started === this.program.stopAt) this.family.root?.stop(end);
    const outcome = eventOf(end, report, { error: errorOf(this.program, what), id });
    tell(this, outcome, holding);
    if (this.task.hold?.why === 'rollback_failed') this.help(id, what);
  }

  /** A person asks for the rollback of the whole while a command of it runs. */
  private stop(end: Scripted): void {
    this.plan = this.planNow(end);
    this.apply({ kind: 'rollback_requested', ...PERSON });
    // Past a point of no return it is refused.
    if (this.task.way === 'forward') this.plan = null;
    this.children.turnAll();
  }

  private noteUndo(ref: ActionRef): void {
    const action = stepAt(this.task, ref.step)?.rollback;
    const { command = '', module = '' } = action ?? {};
    const { taskId } = this.task.plan;
    const parameters = parametersFor(this.task, ref);
    const id = runIdOf(this.task, ref.step);
    this.family.undone.push({ taskId, id, module, command, parameters });
  }

  /** A person tries a rollback again that failed, or skips it. */
  private help(id: string, what: string): void {
    if (this.retries < RETRIES_MAX && isRetried(this.program, what)) {
      this.retries += 1;
      this.apply({ kind: 'retry_requested', ...PERSON });
      return;
    }
    this.note(`${id} skipped`);
    this.apply({ kind: 'skip_requested', ...PERSON, step: id.slice(1) });
  }
}

function eventOf(
  end: Scripted,
  report: ActionRef & { readonly token: number },
  { error, id }: { readonly error: string; readonly id: string },
): WorkerOutcome {
  if (end === 'done') return { kind: 'succeeded', ...report, output: { last: id } };
  const failure = { failure: 'FAILED', error, message: 'no', terminal: end !== 'fails' } as const;
  return { kind: 'failed', ...report, ...failure, refused: end === 'refused' };
}
