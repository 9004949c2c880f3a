import type { StepPlan } from '../flow/flow.js';
import { firstPlace, type Placed, scopeAt, scopeBelow, stepAt, stepsIn, TASK } from './step-at.js';
import { lookupsOf, scopesOf } from './scope-index.js';
import { innerLists } from '../flow/plan-lists.js';
import type { StepRuns } from '../task/action-run.js';
import { FlowProgram } from '../flow/program.js';
import type { DonePlaces } from '../task/task-index.js';

/** Where the marked steps of a list are, by their positions. */
interface Marked {
  /** Steps that are marked. */
  readonly own: readonly number[];
  /** Steps that hold marked ones, or may come to. */
  readonly around: readonly number[];
}

/**
 * A property by which an author marks few steps. Where these are is worked out once for each list
 * of steps, and which are done follows each change of a task, so that nobody looks for them among
 * all its runs.
 */
export class StepMark {
  /** `isDone`: whether a marked step with these runs counts. */
  constructor(
    private readonly isMarked: (step: StepPlan) => boolean,
    private readonly isDone: (runs: StepRuns) => boolean,
  ) {}

  /** Places of the marked steps that are done, those that a step holds or all, the lowest first. */
  placesDone(task: Placed, holder: number = TASK): readonly number[] {
    if (!this.mayBeIn(task.plan.steps)) return NONE;
    return this.doneIn(task).below.get(holder) ?? NONE;
  }

  private doneIn(task: Placed): DonePlaces {
    const lookups = lookupsOf(task);
    lookups.done ??= new Map();
    const known = lookups.done.get(this);
    if (known?.steps === task.plan.steps) return known;
    const made = this.lookThrough(task);
    lookups.done.set(this, made);
    return made;
  }

  private lookThrough(task: Placed): DonePlaces {
    const below = new Map<number, number[]>();
    const places = this.placesIn(task, TASK).filter((place) => {
      const runs = task.runs[place];
      return runs !== undefined && this.isDone(runs);
    });
    for (const place of places.sort((a, b) => a - b)) {
      for (const holder of holdersOf(task, place)) {
        const list = below.get(holder);
        if (list === undefined) below.set(holder, [place]);
        else list.push(place);
      }
    }
    return { steps: task.plan.steps, below };
  }

  /** Which are done once the step at a place has other runs. */
  follow(done: DonePlaces, task: Placed, place: number): DonePlaces {
    const runs = task.runs[place];
    const isDone = runs !== undefined && this.isDone(runs) && this.isMarkedAt(task, place);
    const all = done.below.get(TASK) ?? NONE;
    const at = positionIn(all, place);
    if (isDone === (all[at] === place)) return done;
    const below = new Map(done.below);
    for (const holder of holdersOf(task, place)) {
      const list = below.get(holder) ?? NONE;
      const position = positionIn(list, place);
      below.set(holder, isDone ? list.toSpliced(position, 0, place) : list.toSpliced(position, 1));
    }
    return { steps: done.steps, below };
  }

  private isMarkedAt(task: Placed, place: number): boolean {
    const step = stepAt(task, place);
    return step !== undefined && this.isMarked(step);
  }

  /** Places of the marked steps in a scope and in all below it that were entered, in no order. */
  private placesIn(task: Placed, scope: number): number[] {
    const { around, own } = this.listed(stepsIn(task, scope));
    if (own.length === 0 && around.length === 0) return [];
    const first = firstPlace(task, scope);
    const places = own.map((step) => first + step);
    for (const step of around) {
      for (const inner of scopesOf(task, first + step)) places.push(...this.placesIn(task, inner));
    }
    return places;
  }

  /** Whether a list may have marked steps, in lists of its steps too. */
  mayBeIn(steps: readonly StepPlan[]): boolean {
    const { around, own } = this.listed(steps);
    return own.length > 0 || around.length > 0;
  }

  private listed(steps: readonly StepPlan[]): Marked {
    return FlowProgram.of(steps).kept(this.markedIn);
  }

  private readonly markedIn = (steps: readonly StepPlan[]): Marked => {
    const positions = Array.from(steps.keys());
    return {
      own: positions.filter((n) => this.isMarked(steps[n] as StepPlan)),
      around: positions.filter((n) => this.mayHold(steps[n] as StepPlan)),
    };
  };

  private mayHold(step: StepPlan): boolean {
    if (step.dynamic !== undefined) return true;
    return innerLists(step).some((inner) => this.mayBeIn(inner));
  }
}

const NONE: readonly number[] = Object.freeze([]);

/** The places of the steps that hold a place, the innermost first, and `TASK`. */
function holdersOf(task: Pick<Placed, 'scopes'>, place: number): readonly number[] {
  const holders: number[] = [];
  let below = scopeBelow(task, scopeAt(task, place));
  while (below !== null) {
    holders.push(below.holder);
    below = scopeBelow(task, scopeAt(task, below.holder));
  }
  holders.push(TASK);
  return holders;
}

/** Where a place is in a list, or would be. */
function positionIn(list: readonly number[], place: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The step at a place has other runs now: what is known of marked steps follows. */
export function followRuns(task: Placed, place: number): void {
  const { done } = lookupsOf(task);
  if (done === null) return;
  for (const [mark, places] of done) {
    if (mark instanceof StepMark) done.set(mark, mark.follow(places, task, place));
  }
}
