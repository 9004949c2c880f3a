import { type JournalEntry, type StepPlan, TASK_STATUS, type TaskStatus } from '#core';
import { isOpen, isPassed, type Known, stateAfter } from './journal-states.js';

/** What a reader knows of an action. */
export interface ActionNotes {
  known: Known;
  /** Starts that were charged to it. */
  starts: number;
  /** Those of them that were refused before the command was entered. */
  refused: number;
}

/** What a reader knows of a step; without a rollback, those notes stay empty. */
interface StepNotes {
  normal: ActionNotes;
  rollback: ActionNotes;
  /** How many runs it had, this one included. */
  generation: number;
}

/** What a task is not seen to be while it is paused. */
const STOPPED: ReadonlySet<TaskStatus> = new Set([
  TASK_STATUS.not_started,
  TASK_STATUS.running,
  TASK_STATUS.rolling_back,
]);

const HALVES = ['normal', 'rollback'] as const;

/** For each step, everything that needs it, directly or not. */
const laterSteps = new WeakMap<readonly StepPlan[], readonly (readonly number[])[]>();

/**
 * Knows of a task nothing but its plan and its journal, and works out the states from them: a
 * second opinion, which shares no code with `transition`.
 */
export class JournalReader {
  /** The status but for a pause. */
  private standing: TaskStatus = TASK_STATUS.not_started;
  private isPaused = false;
  readonly steps: readonly StepNotes[];
  readonly alert: ActionNotes = { known: [], starts: 0, refused: 0 };
  private readonly later: readonly (readonly number[])[];
  /** The step that a person resets; null: all of the task goes one way. */
  private resetTo: number | null = null;
  /** The same, from when it was asked for until the task turns. */
  private asked: number | null = null;

  constructor(private readonly plan: readonly StepPlan[]) {
    this.later = laterSteps.get(plan) ?? laterOf(plan);
    laterSteps.set(plan, this.later);
    this.steps = plan.map((step) => ({ ...freshNotes(step), generation: 1 }));
    this.settle();
  }

  get status(): TaskStatus {
    return this.isPaused && STOPPED.has(this.standing) ? TASK_STATUS.paused : this.standing;
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
    if (kind === 'task_succeeded') this.standing = TASK_STATUS.succeeded;
    if (kind === 'task_rolled_back') this.standing = TASK_STATUS.rolled_back;
    if (kind === 'task_terminated') this.terminate();
    if (kind === 'retry_requested') this.retry();
    if (kind === 'forward_again') this.renew();
    // What was set free is queued at once, whatever a person does in the same commit.
    if (kind === 'pause_requested' || kind === 'forward_again') this.settle();
    if (kind === 'pause_requested' || kind === 'resume_requested') {
      this.isPaused = kind === 'pause_requested';
    }
  }

  private noteStep(entry: JournalEntry, notes: StepNotes, half: 'normal' | 'rollback'): void {
    noteAction(entry, notes[half]);
    const { kind } = entry;
    if (kind === 'reset_requested') this.asked = this.steps.indexOf(notes);
    if (kind === 'failed' && half === 'normal' && !wasEntered(notes.normal)) {
      // It was running when the task turned round, and is known now to have done nothing.
      if (notes.rollback.known[0] === 'pending') notes.rollback.known = ['none'];
    }
    if (kind === 'started' && this.standing === TASK_STATUS.not_started) {
      this.standing = TASK_STATUS.running;
    }
    if (kind === 'task_rollback_failed') {
      this.standing = TASK_STATUS.rollback_failed;
      notes.rollback.known = ['failed'];
    }
    const isLast = !this.steps.some(({ rollback }) => rollback.known[0] === 'failed');
    if (kind === 'skip_requested' && isLast) this.goBack();
  }

  private goBack(): void {
    this.standing = TASK_STATUS.rolling_back;
    this.settleAlert();
  }

  /** Somebody acted: nobody is wanted any more. */
  private settleAlert(): void {
    if (this.alert.known.length > 0) this.alert.known = ['skipped'];
  }

  /** What nobody had started is let go; what ran, or may have, is to be undone. */
  private turnBack(): void {
    // A rollback that failed meanwhile holds everything.
    const { rollback_failed: held, rolling_back: back } = TASK_STATUS;
    if (this.standing !== held) this.standing = back;
    this.resetTo = this.asked;
    this.asked = null;
    for (const [step, { normal, rollback }] of this.steps.entries()) {
      if (!this.goesBack(step)) continue;
      // The attempt whose failure turned the task is over for good.
      if (normal.known.includes('failed')) normal.known = ['failed'];
      if (normal.starts === 0 && normal.known.includes('queued')) normal.known = ['pending'];
      if (wasEntered(normal) && rollback.known[0] === 'none') rollback.known = ['pending'];
    }
  }

  private goesBack(step: number): boolean {
    const to = this.resetTo;
    return to === null || to === step || this.later[to]?.includes(step) === true;
  }

  /** What was reset, what is undone or failed, and what needs any of it begins anew. */
  private renew(): void {
    this.standing = TASK_STATUS.running;
    const to = this.resetTo ?? this.asked;
    this.resetTo = null;
    this.asked = null;
    const gone = this.steps.map(({ normal, rollback }, step) => {
      const hasFailed = normal.known[0] === 'failed' || normal.known[0] === 'timed_out';
      return step === to || hasFailed || isPassed(rollback.known);
    });
    for (const [step, notes] of this.steps.entries()) {
      const isConcerned = gone.some((is, at) => is && (at === step || this.needs(step, at)));
      if (!isConcerned || notes.normal.known[0] === 'pending') continue;
      Object.assign(notes, freshNotes(this.plan[step]!), { generation: notes.generation + 1 });
    }
  }

  private needs(step: number, other: number): boolean {
    return this.later[other]?.includes(step) === true;
  }

  private retry(): void {
    this.goBack();
    for (const { rollback } of this.steps) {
      if (rollback.known[0] === 'failed') rollback.known = ['queued'];
    }
  }

  private terminate(): void {
    this.standing = TASK_STATUS.terminated;
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
    if (this.isPaused || (this.standing !== first && this.standing !== running)) return;
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
    if (this.isPaused || this.standing !== TASK_STATUS.rolling_back) return;
    for (const [step, { normal, rollback }] of this.steps.entries()) {
      if (!this.goesBack(step)) continue;
      if (rollback.known[0] !== 'pending' || isOpen(normal.known)) continue;
      if (this.later[step]?.every((later) => this.isUndone(later))) rollback.known = ['queued'];
    }
  }

  private isUndone(step: number): boolean {
    const { normal, rollback } = this.steps[step] as StepNotes;
    if (isOpen(normal.known)) return false;
    return !wasEntered(normal) || rollback.known.length === 0 || isPassed(rollback.known);
  }
}

function freshNotes({ rollback }: StepPlan): Pick<StepNotes, 'normal' | 'rollback'> {
  return {
    normal: { known: ['pending'], starts: 0, refused: 0 },
    rollback: { known: rollback === null ? [] : ['none'], starts: 0, refused: 0 },
  };
}

function noteAction(entry: JournalEntry, notes: ActionNotes): void {
  notes.known = stateAfter(entry, notes.known) ?? notes.known;
  if (entry.kind === 'started') notes.starts += 1;
  if (entry.refused === true) notes.refused += 1;
}

/** Whether some attempt may have begun its work. */
function wasEntered({ refused, starts }: ActionNotes): boolean {
  return starts > refused;
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
