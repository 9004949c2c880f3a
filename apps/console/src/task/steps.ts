import type { Run, Scope, Step, Task } from '../api/shapes.js';

/** A step and where it stands. */
export interface PlacedStep {
  readonly step: Step;
  /** Whether it is one of the task's own, and not of a scope below. */
  readonly isOwn: boolean;
}

const FINAL = new Set(['succeeded', 'rolled_back', 'terminated']);
const BACK = new Set(['rolling_back', 'rolled_back', 'rollback_failed']);
const GOING_BACK = new Set(['pending', 'queued', 'running', 'waiting', 'failed']);
const ACTIVE = new Set(['queued', 'running', 'waiting']);

/** Whether a task of this status moves no more by itself, and a person cannot make it go on. */
export function isFinal(status: string): boolean {
  return FINAL.has(status);
}

/** States of a task in which it waits for a person. */
const HELD = new Set(['on_hold', 'paused', 'rollback_failed']);

/**
 * Whether nothing of the task goes on until a person acts: it has ended, waits for a person, or all
 * that is under way in it waits for news from outside.
 */
export function standsStill({ status, steps }: Pick<Task, 'status' | 'steps'>): boolean {
  if (isFinal(status)) return true;
  const halves = openHalves(steps);
  if (HELD.has(status)) return halves.length === 0;
  return halves.length > 0 && halves.every(({ waitsFor }) => waitsFor !== undefined);
}

/** Whether the task waits for such news, and nothing else goes on in it. */
export function awaits(task: Pick<Task, 'status' | 'steps'>, news: Run['waitsFor']): boolean {
  return standsStill(task) && openHalves(task.steps).some(({ waitsFor }) => waitsFor === news);
}

/** The halves under way of steps that hold no others. */
function openHalves(steps: readonly Step[]): readonly Run[] {
  return allSteps(steps).flatMap(({ step }) => {
    const halves = [...(isLeaf(step) ? [step] : []), ...(step.rollback ? [step.rollback] : [])];
    return halves.filter(({ state }) => isActive(state));
  });
}

/** Every step there is by now, those of scopes after the one that holds them. */
export function allSteps(steps: readonly Step[]): readonly PlacedStep[] {
  return placed(steps, () => true);
}

/** Those of them that a task which goes forward may still get to, by the scopes that hold them. */
export function stepsOnWayForth(steps: readonly Step[]): readonly PlacedStep[] {
  return placed(steps, ({ state }, { way }) => way === 'forward' && state !== 'succeeded');
}

function placed(
  steps: readonly Step[],
  goesInto: (step: Step, scope: Scope) => boolean,
  isOwn = true,
): readonly PlacedStep[] {
  return steps.flatMap((step) => {
    const scopes = (step.scopes ?? []).filter((scope) => goesInto(step, scope));
    return [{ step, isOwn }, ...scopes.flatMap((scope) => placed(scope.steps, goesInto, false))];
  });
}

/** Whether the task goes back, or has gone back. */
export function isOnWayBack(task: Pick<Task, 'status' | 'steps'>): boolean {
  if (BACK.has(task.status)) return true;
  if (task.status === 'succeeded') return false;
  return allSteps(task.steps).some(
    ({ step, isOwn }) => isOwn && GOING_BACK.has(step.rollback?.state ?? 'none'),
  );
}

/** Whether something of the action is under way. */
function isActive(state: string): boolean {
  return ACTIVE.has(state);
}

/** The name by which actions address a step: of the task's own steps the name, else the id. */
export function addressOf({ isOwn, step }: PlacedStep): string {
  return isOwn ? step.name : step.id;
}

/** These of the task's own steps and all that need one of them, directly or not. */
export function withDependents(steps: readonly Step[], name: string): ReadonlySet<string> {
  const found = new Set([name]);
  for (let size = 0; size !== found.size;) {
    size = found.size;
    for (const step of steps) {
      if (step.needs.some((need) => found.has(need))) found.add(step.name);
    }
  }
  return found;
}

/** The task's own steps at or in which a point of no return was passed: nothing undoes them. */
export function passedPivots(steps: readonly Step[]): readonly string[] {
  return steps.filter((step) => isOrHolds(step, isPassedPivot)).map(({ name }) => name);
}

/** The task's own steps down to which it can go back now, the first first. */
export function stepsBack(task: Pick<Task, 'status' | 'steps'>): readonly PlacedStep[] {
  const { steps } = task;
  const byName = new Map(steps.map((step) => [step.name, step]));
  // A step goes back with all that need it: from below, what is needed by these.
  const beforePivots = withNeeded(byName, passedPivots(steps));
  const failed = isOnWayBack(task) ? [] : steps.filter((step) => isOrHolds(step, waitsFailed));
  const beforeFailed = failed.map(({ name }) => withNeeded(byName, [name]));
  const found = steps.filter((step) => {
    const takesFailed = beforeFailed.every((names) => names.has(step.name));
    return hasRun(step) && takesFailed && !beforePivots.has(step.name);
  });
  return found.map((step) => ({ step, isOwn: true }));
}

/** These steps and all that they need, directly or not. */
function withNeeded(
  byName: ReadonlyMap<string, Step>,
  names: readonly string[],
): ReadonlySet<string> {
  const found = new Set(names);
  // A set hands out what is added to it while it is gone through.
  for (const name of found) for (const need of byName.get(name)?.needs ?? []) found.add(need);
  return found;
}

/** Whether a step is so, or one in it that does not go back. */
function isOrHolds(step: Step, isSo: (step: Step) => boolean): boolean {
  const inner = (step.scopes ?? []).filter(({ way }) => way === 'forward');
  return isSo(step) || inner.some(({ steps }) => steps.some((one) => isOrHolds(one, isSo)));
}

function isPassedPivot({ pivot, rollback, state }: Step): boolean {
  return pivot === true && state === 'succeeded' && rollback?.state !== 'succeeded';
}

/** Whether a step failed and waits for a person, and is not being undone. */
function waitsFailed({ rollback, state }: Step): boolean {
  const isFailed = state === 'failed' || state === 'timed_out';
  return isFailed && ['none', 'succeeded'].includes(rollback?.state ?? 'none');
}

/** Steps that run now, in either direction. */
export function running(steps: readonly Step[]): readonly PlacedStep[] {
  return allSteps(steps).filter(
    ({ step }) => isLeaf(step) && (isActive(step.state) || isActive(step.rollback?.state ?? '')),
  );
}

/** Whether a step runs itself: not if it only holds others. A command may hold its catch. */
export function isLeaf({ normal, scopes }: Step): boolean {
  return normal !== undefined || scopes === undefined;
}

function hasRun({ timeStart }: Step): boolean {
  return timeStart !== null;
}
