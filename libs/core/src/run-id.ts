import type { StepPlan } from './flow.js';
import {
  firstPlace,
  type Placed,
  scopeAt,
  scopeBelow,
  scopeOf,
  stepAt,
  stepsIn,
  TASK,
} from './places.js';

/** What separates a name from its generation, where that is not the first. */
const GENERATION_MARK = '~';

/** A step's name, and its generation unless that is the first. */
const PART = String.raw`[^~#/]+(?:~(?:[2-9]|[1-9]\d{1,8}))?`;
/** Which time a step that holds others ran them, counted from 1. */
const ROUND = String.raw`#[1-9]\d{0,8}/`;
/** A whole run id: of a step in others, these come first: `holder#1/name~2`. */
const RUN_ID = new RegExp(`^(?:${PART}${ROUND})*${PART}$`);

// Steps are immutable and shared by all tasks of a flow version, so they are indexed once.
const indexed = new WeakMap<readonly StepPlan[], ReadonlyMap<string, number>>();

/**
 * The id of the run at a place of the task: unique in its task for ever, and the name by which
 * everything outside the core knows the run. A second run of the same step has another one. Of the
 * first run of a step of the task itself it is the step's name, so that no text is made.
 */
export function runIdOf(task: Placed, place: number): string {
  const name = stepAt(task, place)?.name ?? '';
  const generation = task.runs[place]?.generation ?? 1;
  const own = generation === 1 ? name : `${name}${GENERATION_MARK}${generation}`;
  const below = scopeBelow(task, scopeAt(task, place));
  return below === null ? own : `${runIdOf(task, below.holder)}#${below.round}/${own}`;
}

/**
 * The place of the run with this id; null where the task has no such run, or has another generation
 * or another round there.
 */
export function placeOf(task: Placed, runId: string): number | null {
  let scope: number | null = TASK;
  let place: number | null = null;
  for (const part of runId.split('/')) {
    if (place !== null) scope = scopeOf(task, place);
    if (scope === null) return null;
    const index = indexOf(stepsIn(task, scope)).get(part.split(/[~#]/, 1)[0] ?? '');
    if (index === undefined) return null;
    place = firstPlace(task, scope) + index;
  }
  return place !== null && runIdOf(task, place) === runId ? place : null;
}

/** The place of the task's own step with this name, whatever its generation; null: none has it. */
export function placeOfStep({ plan }: Pick<Placed, 'plan'>, name: string): number | null {
  return indexOf(plan.steps).get(name) ?? null;
}

function indexOf(steps: readonly StepPlan[]): ReadonlyMap<string, number> {
  let places = indexed.get(steps);
  if (places === undefined) {
    places = new Map(steps.map((step, index) => [step.name, index]));
    indexed.set(steps, places);
  }
  return places;
}

/** Whether a text can be the id of a run. */
export function isRunId(text: string): boolean {
  return RUN_ID.test(text);
}
