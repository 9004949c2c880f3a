import { type JournalEntry, type StepPlan, TASK_STATUS, type TaskStatus } from '#core';
import { isOpen, isPassed, type Known, stateAfter } from './journal-states.js';

/** What a reader knows of an action. */
export interface ActionNotes {
  known: Known;
  /** Starts that were charged to it. */
  starts: number;
}

/** What a reader knows of a step; without a rollback, those notes stay empty. */
interface StepNotes {
  readonly normal: ActionNotes;
  readonly rollback: ActionNotes;
}

const HALVES = ['normal', 'rollback'] as const;

/** For each step, everything that needs it, directly or not. */
const laterSteps = new WeakMap<readonly StepPlan[], readonly (readonly number[])[]>();

/**
 * Knows of a task nothing but its plan and its journal, and works out the states from them: a
 * second opinion, which shares no code with `transition`.
 */
export class JournalReader {
  status: TaskStatus = TASK_STATUS.not_started;
  readonly steps: readonly StepNotes[];
  readonly alert: ActionNotes = { known: [], starts: 0 };
  private readonly later: readonly (readonly number[])[];

  constructor(private readonly plan: readonly StepPlan[]) {
    this.later = laterSteps.get(plan) ?? laterOf(plan);
    laterSteps.set(plan, this.later);
    this.steps = plan.map(({ rollback }) => ({
      normal: { known: ['pending'], starts: 0 },
      rollback: { known: rollback === null ? [] : ['none'], starts: 0 },
    }));
    this.settle();
  }

  /** Reads on: all entries of one commit. */
  read(entries: readonly JournalEntry[]): void {
    for (const entry of entries) {
      this.note(entry);
      // What is set free is queued at once: a failed rollback in the same commit stops only others.
      this.settleBack();
    }
    this.settle();
  }

  private note(entry: JournalEntry): void {
    const { direction = 'normal', kind } = entry;
    if (direction === 'alert') {
      noteAction(entry, this.alert);
      return;
    }
    const notes = this.steps[this.plan.findIndex(({ name }) => name === entry.step)];
    if (notes === undefined) this.noteTask(kind);
    else this.noteStep(entry, notes, direction);
  }

  private noteTask(kind: JournalEntry['kind']): void {
    if (kind === 'turned_back') this.turnBack();
    if (kind === 'task_succeeded') this.status = TASK_STATUS.succeeded;
    if (kind === 'task_rolled_back') this.status = TASK_STATUS.rolled_back;
    if (kind === 'task_terminated') this.terminate();
    if (kind === 'retry_requested') this.retry();
  }

  private noteStep(entry: JournalEntry, notes: StepNotes, half: 'normal' | 'rollback'): void {
    noteAction(entry, notes[half]);
    const { kind } = entry;
    if (kind === 'started' && this.status === TASK_STATUS.not_started) {
      this.status = TASK_STATUS.running;
    }
    if (kind === 'task_rollback_failed') {
      this.status = TASK_STATUS.rollback_failed;
      notes.rollback.known = ['failed'];
    }
    const isLast = !this.steps.some(({ rollback }) => rollback.known[0] === 'failed');
    if (kind === 'skip_requested' && isLast) this.goBack();
  }

  private goBack(): void {
    this.status = TASK_STATUS.rolling_back;
    this.settleAlert();
  }

  /** Somebody acted: nobody is wanted any more. */
  private settleAlert(): void {
    if (this.alert.known.length > 0) this.alert.known = ['skipped'];
  }

  /** What nobody had started is let go; what ran, or may have, is to be undone. */
  private turnBack(): void {
    this.status = TASK_STATUS.rolling_back;
    for (const { normal, rollback } of this.steps) {
      // The attempt whose failure turned the task is over for good.
      if (normal.known.includes('failed')) normal.known = ['failed'];
      if (normal.starts === 0 && normal.known.includes('queued')) normal.known = ['pending'];
      if (normal.starts > 0 && rollback.known[0] === 'none') rollback.known = ['pending'];
    }
  }

  private retry(): void {
    this.goBack();
    for (const { rollback } of this.steps) {
      if (rollback.known[0] === 'failed') rollback.known = ['queued'];
    }
  }

  private terminate(): void {
    this.status = TASK_STATUS.terminated;
    this.settleAlert();
    for (const { normal, rollback } of this.steps) {
      if (isOpen(normal.known)) normal.known = normal.starts > 0 ? ['failed'] : ['pending'];
      if (isOpen(rollback.known)) rollback.known = ['failed'];
    }
  }

  /** Queues whatever nothing stands in the way of any more. */
  private settle(): void {
    this.tryAgain(this.alert);
    for (const notes of this.steps) for (const half of HALVES) this.tryAgain(notes[half]);
    const { not_started: first, running } = TASK_STATUS;
    if (this.status !== first && this.status !== running) return;
    for (const [step, { needs }] of this.plan.entries()) {
      const normal = this.steps[step]?.normal;
      if (normal?.known[0] !== 'pending') continue;
      const isReady = needs.every((need) => this.steps[need]?.normal.known[0] === 'succeeded');
      if (isReady) normal.known = ['queued'];
    }
  }

  /** A failure that was not the last is tried again at once, where nothing else is said. */
  private tryAgain(notes: ActionNotes): void {
    if (notes.known.length > 1 && notes.known.includes('failed')) notes.known = ['queued'];
  }

  private settleBack(): void {
    if (this.status !== TASK_STATUS.rolling_back) return;
    for (const [step, { normal, rollback }] of this.steps.entries()) {
      if (rollback.known[0] !== 'pending' || isOpen(normal.known)) continue;
      if (this.later[step]?.every((later) => this.isUndone(later))) rollback.known = ['queued'];
    }
  }

  private isUndone(step: number): boolean {
    const { normal, rollback } = this.steps[step] as StepNotes;
    if (isOpen(normal.known)) return false;
    return normal.starts === 0 || rollback.known.length === 0 || isPassed(rollback.known);
  }
}

function noteAction(entry: JournalEntry, notes: ActionNotes): void {
  notes.known = stateAfter(entry, notes.known) ?? notes.known;
  if (entry.kind === 'started') notes.starts += 1;
}

function laterOf(plan: readonly StepPlan[]): readonly (readonly number[])[] {
  const later = plan.map(() => new Set<number>());
  const visit = (step: number, from: number): void => {
    for (const need of plan[step]?.needs ?? []) {
      later[need]?.add(from);
      visit(need, from);
    }
  };
  for (const step of plan.keys()) visit(step, step);
  return later.map((all) => [...all]);
}
