import { type JournalEntry, type StepPlan, TASK_STATUS, type TaskStatus } from '#core';
import {
  type ActionNotes,
  noteAction,
  noteHolder,
  ScopeNotes,
  type StepNotes,
  wasEntered,
} from './journal-notes.js';

/** The outcome that each kind of final entry tells. */
const OUTCOMES: Readonly<Partial<Record<JournalEntry['kind'], TaskStatus>>> = {
  task_succeeded: TASK_STATUS.succeeded,
  task_rolled_back: TASK_STATUS.rolled_back,
  task_terminated: TASK_STATUS.terminated,
};

/**
 * Kinds of entries about a step without steps of its own after which nothing is ready that was not
 * before.
 */
const FREES_NOTHING: ReadonlySet<JournalEntry['kind']> = new Set<JournalEntry['kind']>([
  'started',
  'dispatched_again',
  'lease_lost',
  'not_finished',
  'restart_scheduled',
  'retry_scheduled',
]);

/**
 * Knows of a task nothing but its plan and its journal, and works out the states from them: a
 * second opinion, which shares no code with `transition`.
 */
export class JournalReader {
  /** The task itself. */
  readonly task: ScopeNotes;
  private outcome: TaskStatus | null = null;
  private hasBegun = false;
  private isHeld = false;
  private isPaused = false;
  /** The step that a person resets, from when it was asked for until the task turns. */
  private asked: number | null = null;

  constructor(plan: readonly StepPlan[]) {
    this.task = new ScopeNotes(plan, 0);
    this.follow();
  }

  get status(): TaskStatus {
    if (this.outcome !== null) return this.outcome;
    if (this.isHeld) return TASK_STATUS.rollback_failed;
    if (this.isPaused) return TASK_STATUS.paused;
    if (this.task.isBack) return TASK_STATUS.rolling_back;
    return this.hasBegun ? TASK_STATUS.running : TASK_STATUS.not_started;
  }

  /** Reads on: all entries of one commit. */
  read(entries: readonly JournalEntry[]): void {
    for (const entry of entries) {
      this.note(entry);
      // Steps that were set free are queued at once, whatever a later entry of the commit stops.
      if (!FREES_NOTHING.has(entry.kind) || this.holdsSteps(entry)) this.follow();
    }
    this.follow();
    this.task.tryAgain();
  }

  private holdsSteps({ run, step }: JournalEntry): boolean {
    const { scope, step: place } = this.placeOf(run ?? step ?? '');
    return scope?.steps[place]?.group !== undefined;
  }

  private follow(): void {
    if (!this.isPaused && !this.isHeld && this.outcome === null) this.task.follow();
  }

  private note(entry: JournalEntry): void {
    const { direction = 'normal', kind } = entry;
    if (entry.step === undefined) this.noteTask(kind);
    else this.noteStep(entry, direction);
  }

  private noteTask(kind: JournalEntry['kind']): void {
    this.outcome = OUTCOMES[kind] ?? this.outcome;
    if (kind === 'turned_back') this.turnBack();
    if (kind === 'task_terminated') this.terminate();
    if (kind === 'retry_requested') this.retry();
    if (kind === 'forward_again') this.renew();
    if (kind === 'pause_requested' || kind === 'resume_requested') {
      this.isPaused = kind === 'pause_requested';
    }
  }

  private noteStep(entry: JournalEntry, half: 'normal' | 'rollback'): void {
    const { scope, step } = this.placeOf(entry.run ?? entry.step ?? '');
    const notes = scope?.notes[step];
    if (scope === null || notes === undefined) return;
    const { kind } = entry;
    if (kind === 'reset_requested') this.asked = step;
    const group = scope.steps[step]?.group;
    if (group === undefined) this.noteCommand(entry, notes, half);
    else noteHolder(entry, notes, group);
  }

  private noteCommand(entry: JournalEntry, notes: StepNotes, half: 'normal' | 'rollback'): void {
    noteAction(entry, notes[half]);
    const { kind } = entry;
    if (entry.refused === true && half === 'normal' && !wasEntered(notes.normal)) {
      // It was running when its scope turned round, and is known now to have done nothing.
      if (notes.rollback.known[0] === 'pending') notes.rollback.known = ['none'];
    }
    if (kind === 'started') this.hasBegun = true;
    if (kind === 'task_rollback_failed') {
      this.isHeld = true;
      notes.rollback.known = ['failed'];
    }
    if (kind === 'skip_requested' && this.failedRollbacks().length === 0) this.goOn();
  }

  /** The scope and the step of the run with this id: `holder#2/name`. */
  private placeOf(run: string): { scope: ScopeNotes | null; step: number } {
    const parts = run.split('/').map((part) => /^([^~#]+)(?:~\d+)?(?:#(\d+))?$/.exec(part));
    const name = parts.pop()?.[1];
    let scope: ScopeNotes | null = this.task;
    for (const [, holder, round] of parts.map((part) => part ?? [])) {
      const inner: ScopeNotes | null = scope?.notes[scope.indexOf(holder)]?.inner ?? null;
      scope = inner?.round === Number(round) ? inner : null;
    }
    return { scope, step: scope?.indexOf(name) ?? -1 };
  }

  private failedRollbacks(): readonly ActionNotes[] {
    const all = [...this.task.all()].flatMap(({ notes }) => notes);
    return all.map(({ rollback }) => rollback).filter(({ known }) => known[0] === 'failed');
  }

  /** A person acted: nobody is wanted any more. */
  private goOn(): void {
    this.isHeld = false;
  }

  private turnBack(): void {
    this.outcome = null;
    this.task.turn(this.asked);
    this.asked = null;
  }

  private renew(): void {
    this.outcome = null;
    this.task.renew(this.task.to ?? this.asked);
    this.asked = null;
  }

  private retry(): void {
    this.goOn();
    for (const rollback of this.failedRollbacks()) rollback.known = ['queued'];
  }

  private terminate(): void {
    for (const scope of this.task.all()) scope.terminate();
  }
}
