import type { StepPlan, Task } from '#core';
import { stepAt } from '#core/scopes';

/** How far plays have come at one step. */
interface Reached {
  /** Whether it began, was passed over, and went round once more. */
  readonly facts: Set<'begun' | 'skipped' | 'again'>;
  /** Its lists of steps that were entered: `case 0`, `catch 1`. */
  readonly lists: Set<string>;
}

/** How far plays of a flow have come, all of them together: which of its steps and lists ran. */
export class Reach {
  readonly #steps = new Map<StepPlan, Reached>();

  /** Notes how far a task has come. */
  look(task: Task): void {
    for (const [place, run] of task.runs.entries()) {
      const { state } = run.normal;
      // A queued step may still be asked for its condition.
      if (state === 'pending' || state === 'queued') continue;
      this.#at(stepAt(task, place))?.facts.add(state === 'skipped' ? 'skipped' : 'begun');
    }
    for (const { holder, kind, list, round } of task.scopes) {
      const reached = this.#at(stepAt(task, holder));
      if (round > 0) reached?.lists.add(`${kind} ${list}`);
      if (kind === 'round' && round > 1) reached?.facts.add('again');
    }
  }

  /** Whether the step began, was passed over, or went round once more, in some play. */
  has(step: StepPlan, fact: 'begun' | 'skipped' | 'again'): boolean {
    return this.#steps.get(step)?.facts.has(fact) ?? false;
  }

  /** Whether a list of the step was entered: a case, where `otherwise` is the last, or a catch. */
  hasEntered(step: StepPlan, kind: 'case' | 'catch', list: number): boolean {
    return this.#steps.get(step)?.lists.has(`${kind} ${list}`) ?? false;
  }

  #at(step: StepPlan | undefined): Reached | undefined {
    if (step === undefined) return undefined;
    const known = this.#steps.get(step);
    if (known !== undefined) return known;
    const fresh: Reached = { facts: new Set(), lists: new Set() };
    this.#steps.set(step, fresh);
    return fresh;
  }
}
