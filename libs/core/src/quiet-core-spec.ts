import { invariant } from './assert.js';
import { createTask } from './create-task.js';
import { DEFAULT_TIMING, type ActionRef, type PersonsAction, type TaskEvent } from './event.js';
import { endPlace, firstPlace, scopeBelow, scopeOf, stepAt, TASK } from './places.js';
import {
  CHANCE,
  isRetried,
  type Program,
  RETRIES_MAX,
  type Scripted,
  scripted,
} from './reference-run-spec.js';
import { runIdOf } from './run-id.js';
import type { Task } from './task.js';
import { transition } from './transition.js';

const PERSON: PersonsAction = { actor: 'p', reason: 'r', key: null };
const TICK: TaskEvent = { kind: 'tick', crowded: new Map() };

/** What is next in a task: an action that waits for somebody, or a moment. */
type Next = ActionRef | { readonly at: number };

/**
 * Plays a program against the real core, one thing after the other: forward the first step that
 * has something to do, backward the last one, and no time goes by but that which is waited for.
 */
export class QuietCore {
  readonly log: string[] = [];
  task: Task;
  private now = 1_000_000;
  private started = 0;
  private retries = 0;

  constructor(private readonly program: Program) {
    const { steps } = program;
    const definition = { name: 'f', description: null, input: null, timeoutMs: null, steps };
    const options = { taskId: 't', moment: this.moment() };
    this.task = createTask({ definition, version: 1 }, { parameters: {} }, options).task;
  }

  private moment() {
    return { now: this.now, chance: CHANCE, timing: DEFAULT_TIMING };
  }

  private apply(event: TaskEvent): void {
    const decision = transition(this.task, event, { moment: this.moment() });
    if (decision.kind === 'moved') this.task = decision.task;
  }

  run(): string | null {
    for (let turn = 0; this.task.outcome === null; turn += 1) {
      invariant(turn < 5_000, 'it comes to an end');
      const next = this.nextIn(TASK);
      invariant(next !== null, 'something is next in a task that has not ended');
      if ('at' in next) this.waitUntil(next.at);
      else this.attempt(next);
    }
    return this.task.outcome;
  }

  private waitUntil(at: number): void {
    this.now = Math.max(this.now, Math.min(at, this.task.wakeAt ?? at));
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
    if (normal?.state === 'waiting') return { at: normal.dueAt ?? 0 };
    if (stepAt(this.task, place)?.group !== undefined) {
      const isOpen = normal?.state === 'running' || rollback?.state === 'running';
      const scope = isOpen ? scopeOf(this.task, place) : null;
      return scope === null ? null : this.nextIn(scope);
    }
    if (rollback?.state === 'queued') return { direction: 'rollback', step: place };
    return normal?.state === 'queued' ? { direction: 'normal', step: place } : null;
  }

  private attempt(ref: ActionRef): void {
    const isBack = ref.direction === 'rollback';
    const id = `${isBack ? '-' : ''}${runIdOf(this.task, ref.step)}`;
    const run = this.task.runs[ref.step]?.[isBack ? 'rollback' : 'normal'];
    const attempt = (run?.attempts ?? 0) + 1;
    this.apply({ kind: 'claimed', ...ref, attempt, owner: 'e' });
    const report = { ...ref, token: this.task.token };
    const what = `${id} ${attempt}`;
    const end = scripted(this.program, what);
    this.log.push(`${id} ${end}`);
    if (!isBack) this.started += 1;
    if (!isBack && this.started === this.program.stopAt) {
      this.apply({ kind: 'rollback_requested', ...PERSON });
    }
    this.apply(eventOf(end, report));
    if (this.task.hold !== null) this.help(id, what);
  }

  /** A person tries a rollback again that failed, or skips it. */
  private help(id: string, what: string): void {
    if (this.retries < RETRIES_MAX && isRetried(this.program, what)) {
      this.retries += 1;
      this.apply({ kind: 'retry_requested', ...PERSON });
      return;
    }
    this.log.push(`${id} skipped`);
    this.apply({ kind: 'skip_requested', ...PERSON, step: id.slice(1) });
  }
}

function eventOf(end: Scripted, report: ActionRef & { readonly token: number }): TaskEvent {
  if (end === 'done') return { kind: 'succeeded', ...report, output: null };
  const failure = { failure: 'FAILED', message: 'no', terminal: end !== 'fails' } as const;
  return { kind: 'failed', ...report, ...failure, refused: end === 'refused' };
}
