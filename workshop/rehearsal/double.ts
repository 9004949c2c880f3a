import type { Action, ActionRef, ActionRun, Task } from '#core';
import { actionOf, runIdOf, runOf, stepAt } from '#core/scopes';
import type { Effects, Extent } from './effects.js';
import type { Fault, Scenario, ScriptedAnswer } from './scenario.js';

/** The result of an attempt, and its time in milliseconds after the start. */
export type Performed = { readonly afterMs: number } & (
  | { readonly kind: 'succeeded'; readonly answer: ScriptedAnswer }
  | { readonly kind: 'failed'; readonly code: string | null; readonly message: string }
  | { readonly kind: 'failed_retryable'; readonly code: string; readonly message: string }
  | { readonly kind: 'hangs' }
  | { readonly kind: 'crashes' }
);

/** One attempt that a double is asked for. */
interface Attempt {
  readonly task: Task;
  readonly ref: ActionRef;
  /** Message about a value that a rollback needs and lacks; null: none. */
  readonly lack: string | null;
}

/** Options of the doubles of executors. */
export interface DoubleOptions {
  readonly scenario: Scenario;
  readonly faults: readonly Fault[];
  /** Whether a command without a rollback changes something outside. */
  readonly changes: (action: Action) => boolean;
}

const NO_ANSWER: ScriptedAnswer = Object.freeze({});
const TAKES_MS = 1;

/**
 * Stands in for all executors: every command is done at once and gives nothing back, unless the
 * scenario says otherwise or a fault strikes. Effects happen once, however often it is started.
 */
export class Double {
  constructor(
    private readonly effects: Effects,
    private readonly options: DoubleOptions,
  ) {}

  /** Plays one attempt: its effect has happened when this returns. */
  perform({ lack, ref, task }: Attempt): Performed {
    const action = actionOf(task, ref);
    const run = runOf(task, ref);
    const runId = runIdOf(task, ref.step);
    if (action === undefined || run === null) throw new Error(`no action at ${runId}`);
    const answer = this.answerFor(task, ref, { action, run });
    const fault = this.faultFor(runId, ref, run);
    if (fault !== undefined) return this.goWrong(fault, { task, ref, action, answer });
    const afterMs = answer.takesMs ?? TAKES_MS;
    if (lack !== null) return { kind: 'failed', code: null, message: lack, afterMs };
    if (answer.error !== undefined) {
      const message = answer.message ?? 'failed as the scenario says';
      const kind = answer.retryable === true ? 'failed_retryable' : 'failed';
      return { kind, code: answer.error, message, afterMs };
    }
    const extent = { isPartial: false, succeeds: true };
    this.haveEffect(task, ref, { action, answer, extent });
    return { kind: 'succeeded', answer, afterMs };
  }

  /** An attempt was called off in the middle of its work. */
  interrupt({ ref, task }: Pick<Attempt, 'ref' | 'task'>): void {
    const action = actionOf(task, ref);
    if (action === undefined || ref.direction !== 'normal') return;
    const extent = { isPartial: true, succeeds: false };
    this.haveEffect(task, ref, { action, answer: NO_ANSWER, extent });
  }

  private answerFor(
    task: Task,
    { direction, step }: ActionRef,
    { action, run }: { readonly action: Action; readonly run: ActionRun },
  ): ScriptedAnswer {
    const { answers } = this.options.scenario;
    const name = direction === 'normal' ? (stepAt(task, step)?.name ?? '') : '';
    const list = answers.get(name) ?? answers.get(`${action.module}.${action.command}`) ?? [];
    return list[Math.min(run.attempts, list.length) - 1] ?? NO_ANSWER;
  }

  private faultFor(runId: string, { direction }: ActionRef, run: ActionRun): Fault | undefined {
    return this.options.faults.find((fault) => {
      const isMeant = fault.run === runId && fault.direction === direction;
      return isMeant && run.attempts <= fault.attempts;
    });
  }

  private goWrong({ how, where }: Fault, doing: Doing): Performed {
    const { answer, ref, task } = doing;
    if (where !== 'before') {
      const extent = { isPartial: where === 'during', succeeds: false };
      this.haveEffect(task, ref, { ...doing, extent });
    }
    const afterMs = answer.takesMs ?? TAKES_MS;
    if (how === 'crash') return { kind: 'crashes', afterMs };
    if (how === 'time-out') return { kind: 'hangs', afterMs };
    const message = 'failed by the test';
    if (ref.direction === 'normal') return { kind: 'failed', code: null, message, afterMs };
    return { kind: 'failed_retryable', code: 'FAILED', message, afterMs };
  }

  private haveEffect(
    task: Task,
    { direction, step }: ActionRef,
    { action, answer, extent }: Omit<Doing, 'ref' | 'task'> & { readonly extent: Extent },
  ): void {
    const run = runIdOf(task, step);
    if (direction === 'rollback') return this.effects.undo(run, extent);
    const hasUndo = (stepAt(task, step)?.rollback ?? null) !== null;
    const changes = answer.effect ?? (hasUndo || this.options.changes(action));
    if (changes) this.effects.apply(run, action, extent);
  }
}

interface Doing {
  readonly task: Task;
  readonly ref: ActionRef;
  readonly action: Action;
  readonly answer: ScriptedAnswer;
}
