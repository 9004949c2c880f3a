import type { JournalEntry, StepPlan } from '#core';
import { isOpen, isPassed, type Known, stateAfter } from './journal-states.js';
import { laterSteps } from './later-steps.js';

/** States of a normal action that failed or was stopped. */
const FAILED: ReadonlySet<string> = new Set(['failed', 'timed_out', 'terminated']);

/** A reader's knowledge of an action. */
export interface ActionNotes {
  known: Known;
  /** Starts that were charged to it. */
  starts: number;
  /** Those of them that were refused before the command was entered. */
  refused: number;
}

/** A reader's knowledge of a step; without a rollback, those notes stay empty. */
export interface StepNotes {
  normal: ActionNotes;
  rollback: ActionNotes;
  /** How many runs it had, this one included. */
  generation: number;
  /** The newest try of a step that holds steps; null: none. */
  inner: ScopeNotes | null;
}

/** A reader's knowledge of a list of steps that goes forward or back by itself. */
export class ScopeNotes {
  isBack = false;
  /** The step down to which a person resets; null: all of it goes one way. */
  to: number | null = null;
  readonly notes: readonly StepNotes[];
  readonly later: readonly (readonly number[])[];

  /** `round`: which try it is; 0: the task itself. */
  constructor(
    readonly steps: readonly StepPlan[],
    readonly round: number,
  ) {
    this.later = laterSteps(steps);
    this.notes = steps.map((step) => ({ ...freshNotes(step), generation: 1 }));
  }

  /** The number of the step with this name; -1: none has it. */
  indexOf(name: string | undefined): number {
    return this.steps.findIndex((step) => step.name === name);
  }

  /** This scope, and all that were entered below it. */
  *all(): Iterable<ScopeNotes> {
    yield this;
    for (const { inner } of this.notes) if (inner !== null) yield* inner.all();
  }

  /**
   * Turns the scope back: runs not started are let go; runs that began, or may have, are to be
   * undone.
   */
  turn(to: number | null): void {
    this.isBack = true;
    this.to = to;
    for (const [step, { normal, rollback }] of this.notes.entries()) {
      if (!this.goesBack(step)) continue;
      // The attempt whose failure turned the scope is over for good.
      if (normal.known.includes('failed')) normal.known = ['failed'];
      if (normal.starts === 0 && normal.known.includes('queued')) normal.known = ['pending'];
      if (wasEntered(normal) && rollback.known[0] === 'none') rollback.known = ['pending'];
    }
  }

  /** Queues whatever nothing stands in the way of, in it and below it. */
  follow(): void {
    if (this.isBack) this.followBack();
    else this.followForward();
    for (const { inner, normal, rollback } of this.notes) {
      const isOnItsWay = normal.known[0] === 'running' || rollback.known[0] === 'running';
      if (inner !== null && isOnItsWay) inner.follow();
    }
  }

  private followForward(): void {
    for (const [step, { group, needs }] of this.steps.entries()) {
      const normal = this.notes[step]?.normal;
      // That a step begins which holds steps is told of.
      if (normal?.known[0] !== 'pending' || group !== undefined) continue;
      if (needs.every((need) => this.isDone(need))) normal.known = ['queued'];
    }
  }

  /**
   * A person may skip a new run with the request that was about the undo of the one before: what
   * follows waits for what goes before all the same.
   */
  private isDone(step: number): boolean {
    const isOver = isPassed(this.notes[step]!.normal.known);
    return isOver && this.steps[step]!.needs.every((need) => this.isDone(need));
  }

  private followBack(): void {
    for (const [step, { normal, rollback }] of this.notes.entries()) {
      if (!this.goesBack(step) || this.steps[step]?.group !== undefined) continue;
      if (rollback.known[0] !== 'pending' || isOpen(normal.known)) continue;
      if (this.later[step]?.every((later) => this.isUndone(later))) rollback.known = ['queued'];
    }
  }

  private goesBack(step: number): boolean {
    const { to } = this;
    return to === null || to === step || this.needs(step, to);
  }

  /** Whether a step needs another one, directly or not. */
  private needs(step: number, other: number): boolean {
    return this.later[other]?.includes(step) === true;
  }

  private isUndone(step: number): boolean {
    const { normal, rollback } = this.notes[step] as StepNotes;
    if (isOpen(normal.known)) return false;
    return !wasEntered(normal) || rollback.known.length === 0 || isPassed(rollback.known);
  }

  /** Begins again with the steps that were reset, undone or failed, and with all that need them. */
  renew(to: number | null): void {
    this.isBack = false;
    this.to = null;
    const gone = this.notes.map(({ normal, rollback }, step) => {
      const hasFailed = FAILED.has(normal.known[0] ?? 'pending');
      // A step that holds steps waits for its next try when the one before is undone.
      const isUndone = isPassed(rollback.known) && !isOpen(normal.known);
      return step === to || hasFailed || isUndone;
    });
    for (const [step, notes] of this.notes.entries()) {
      const isConcerned = gone.some((is, at) => is && (at === step || this.needs(step, at)));
      if (!isConcerned || notes.normal.known[0] === 'pending') continue;
      const generation = notes.generation + 1;
      Object.assign(notes, freshNotes(this.steps[step]!), { generation });
    }
  }

  /** Tries again all that failed, unless it failed for good, here and below. */
  tryAgain(): void {
    for (const { inner, normal, rollback } of this.notes) {
      tryAgain(normal);
      tryAgain(rollback);
      inner?.tryAgain();
    }
  }

  /** The task was stopped for good. */
  terminate(): void {
    for (const { normal, rollback } of this.notes) {
      if (isOpen(normal.known)) normal.known = normal.starts > 0 ? ['terminated'] : ['pending'];
      if (isOpen(rollback.known)) rollback.known = ['failed'];
    }
  }
}

/**
 * An entry about a step that holds steps. Of its rollback only the turn is told, and the end where
 * it had succeeded; else the end is told by what becomes of the step.
 */
export function noteHolder(
  { direction, kind }: JournalEntry,
  notes: StepNotes,
  group: readonly StepPlan[],
): void {
  const { normal, rollback } = notes;
  if (kind === 'started') {
    normal.known = ['running'];
    normal.starts += 1;
    rollback.known = ['none'];
    rollback.starts = 0;
    notes.inner = new ScopeNotes(group, normal.starts);
  } else if (kind === 'turned_back') {
    rollback.known = ['running'];
    rollback.starts += 1;
    notes.inner?.turn(null);
  } else if (kind === 'succeeded') {
    (direction === 'rollback' ? rollback : normal).known = ['succeeded'];
  } else if (AFTER_CLEAN[kind] !== undefined) {
    normal.known = AFTER_CLEAN[kind];
    rollback.known = ['succeeded'];
  }
}

/** The state of a step once its try was undone. */
const AFTER_CLEAN: Readonly<Partial<Record<JournalEntry['kind'], Known>>> = {
  retry_scheduled: ['waiting'],
  failed: ['failed'],
  timed_out: ['timed_out'],
  called_off: ['terminated'],
};

/** An entry about a command, in one direction. */
export function noteAction(entry: JournalEntry, notes: ActionNotes): void {
  notes.known = stateAfter(entry, notes.known) ?? notes.known;
  if (entry.kind === 'started') notes.starts += 1;
  if (entry.refused === true) notes.refused += 1;
}

/** A failure that was not the last is tried again at once, where nothing else is said. */
export function tryAgain(notes: ActionNotes): void {
  if (notes.known.length > 1 && notes.known.includes('failed')) notes.known = ['queued'];
}

/** Whether some attempt may have begun its work. */
export function wasEntered({ refused, starts }: ActionNotes): boolean {
  return starts > refused;
}

function freshNotes({ rollback }: StepPlan): Pick<StepNotes, 'normal' | 'rollback' | 'inner'> {
  return {
    normal: { known: ['pending'], starts: 0, refused: 0 },
    rollback: { known: rollback === null ? [] : ['none'], starts: 0, refused: 0 },
    inner: null,
  };
}
