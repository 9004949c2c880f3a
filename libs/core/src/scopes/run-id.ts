import { nameOfScope } from '../flow/plan-lists.js';
import type { Direction } from '../task/journal.js';
import { firstPlace, type Placed, scopeAt, scopeBelow, stepAt, stepsIn, TASK } from './step-at.js';
import { heldBy } from './scope-index.js';
import type { Scope, ScopeKind } from '../task/scope.js';
import { FlowProgram } from '../flow/program.js';

/** The separator between a name and its generation, where that is not the first. */
const GENERATION_MARK = '~';

/** A step's name, and its generation unless that is the first. */
const PART = String.raw`[^~#/]+(?:~(?:[2-9]|[1-9]\d{1,8}))?`;
/** A whole run id: of a step in others, these come first: `holder#1/name~2`, `fan#left/name`. */
const RUN_ID = new RegExp(`^(?:${PART}#${PART}/)*${PART}$`);

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
  return below === null ? own : `${runIdOf(task, below.holder)}#${labelOf(task, below)}/${own}`;
}

/** The id of one half of a run, unique in its task for ever. */
export function actionId(direction: Direction, runId: string): string {
  return `${direction} ${runId}`;
}

/**
 * The name of a scope, unique among those of its holder: of a try or a round its number, of a case
 * or a branch what its author called it, with the number of the time where it is not the first.
 */
export function labelOf(task: Pick<Placed, 'plan' | 'scopes'>, scope: Scope): string {
  const { kind, round } = scope;
  if (NUMBERED_SCOPES.has(kind)) return String(round);
  const name = listNameOf(task, scope);
  return round === 1 ? name : `${name}${GENERATION_MARK}${round}`;
}

const NUMBERED_SCOPES: ReadonlySet<ScopeKind> = new Set(['try', 'round', 'children', 'dynamic']);

/** The author's name for the list that a scope runs. */
export function listNameOf(
  task: Pick<Placed, 'plan' | 'scopes'>,
  { holder, kind, list, round }: Scope,
): string {
  if (NUMBERED_SCOPES.has(kind)) return String(round);
  const step = stepAt(task, holder);
  return (step && nameOfScope(step, { kind, list })) ?? '';
}

/**
 * The place of the run with this id; null where the task has no such run, or has another generation
 * or another round there.
 */
export function placeOf(task: Placed, runId: string): number | null {
  const own = placeOfStep(task, runId);
  if (own !== null) return task.runs[own]?.generation === 1 ? own : null;
  return placeWithin(task, runId);
}

/** The place of a run whose id is more than the name of a step of the task. */
function placeWithin(task: Placed, runId: string): number | null {
  let scope: number | null = TASK;
  let place: number | null = null;
  for (const part of runId.split('/')) {
    if (scope === null) return null;
    const [own = '', label] = part.split('#', 2);
    const index = FlowProgram.of(stepsIn(task, scope)).positions.get(
      own.split(GENERATION_MARK, 1)[0] ?? '',
    );
    if (index === undefined) return null;
    place = firstPlace(task, scope) + index;
    scope = label === undefined ? null : scopeCalled(task, place, label);
  }
  return place !== null && runIdOf(task, place) === runId ? place : null;
}

function scopeCalled(task: Placed, holder: number, label: string): number | null {
  const { numbers } = heldBy(task, holder);
  const isCalled = (scope: number): boolean => {
    const found = task.scopes[scope] as Scope;
    return found.round > 0 && labelOf(task, found) === label;
  };
  // Rounds mostly have blocks in their order.
  const likely = numbers[Number(label) - 1];
  if (likely !== undefined && isCalled(likely)) return likely;
  return numbers.find(isCalled) ?? null;
}

/** The place of the task's own step with this name, whatever its generation; null: none has it. */
export function placeOfStep({ plan }: Pick<Placed, 'plan'>, name: string): number | null {
  return FlowProgram.of(plan.steps).positions.get(name) ?? null;
}

/** The place of the task's own step with this name, or with a present run of this id; or null. */
export function ownPlaceOf(task: Placed, name: string): number | null {
  const place = placeOfStep(task, name) ?? placeOf(task, name);
  return place !== null && place < task.plan.steps.length ? place : null;
}

/** Whether a text can be the id of a run. */
export function isRunId(text: string): boolean {
  return RUN_ID.test(text);
}
