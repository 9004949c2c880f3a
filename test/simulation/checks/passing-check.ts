import type { Scope, Task } from '#core';
import { outermostPlace, placeOf, runIdOf, scopeAt, stepAt, TASK } from '#core/scopes';
import type { Stored } from '../store-server.js';
import type { Deed } from '../persons.js';
import type { World } from '../world.js';
import { laterSteps } from './later-steps.js';
import { newEntries } from './new-entries.js';

/** Events that occur once in the life of a task: passing a point of no return, taking a signal. */
export class PassingCheck {
  /** By task and the person who sent it: the run that took a signal. */
  private readonly taken = new Map<string, string>();

  constructor(
    private readonly world: World,
    private readonly deeds: () => readonly Deed[],
  ) {}

  look({ task }: Stored, before: Task | null): void {
    if (before === null) return;
    if (task.doneActions !== before.doneActions) this.lookAtDeeds(task, before);
    if (isBarred(before) && !isBarred(task) && task.outcome !== 'terminated') {
      const what = 'its parent had it go back past a point of no return';
      this.world.violate('I27', `${task.plan.taskId} r${task.revision}: ${what}`);
    }
    if (task.runs === before.runs) return;
    for (const [place, { normal }] of before.runs.entries()) {
      const isPivot = normal.state === 'succeeded' && stepAt(before, place)?.pivot === true;
      if (isPivot) this.lookAtPivot(task, before, place);
    }
    for (const [place, { normal }] of task.runs.entries()) {
      const { wait } = stepAt(task, place) ?? {};
      if (wait === undefined || normal.output === before.runs[place]?.normal.output) continue;
      // A person who passes it over may write what looks like a signal.
      if (normal.state === 'skipped') continue;
      const sender = normal.output?.['by'];
      if (typeof sender === 'string') this.lookAtSignal(task, place, sender);
    }
  }

  /** A person's request is carried out as asked: down to that step, with that output. */
  private lookAtDeeds(task: Task, before: Task): void {
    const { plan, revision, turned } = task;
    for (const { actor, kind, run, step } of newEntries(task, before)) {
      const event = this.deeds().find((deed) => deed.event.actor === actor)?.event;
      if (event?.kind !== kind) continue;
      if (event.kind === 'rollback_requested' && turned?.by === actor) {
        const to = plan.steps[turned?.to ?? -1]?.name;
        if (to === event.to) continue;
        const what = `${actor} wanted it back to ${event.to}, and it goes to ${to}`;
        this.world.violate('I8', `${plan.taskId} r${revision}: ${what}`);
      }
      if (event.kind !== 'skip_requested' || event.output === undefined) continue;
      const place = placeOf(task, run ?? step ?? '');
      const normal = place === null ? undefined : task.runs[place]?.normal;
      if (normal === undefined || normal.output === event.output) continue;
      if (JSON.stringify(normal.output) === JSON.stringify(event.output)) continue;
      this.world.violate('I8', `${plan.taskId} r${revision}: the output of ${actor} is lost`);
    }
  }

  /** It stays as it is, and nothing around it turns. */
  private lookAtPivot(task: Task, before: Task, place: number): void {
    const { rollback } = before.runs[place] ?? {};
    // An attempt that was called off may have succeeded all the same: it goes back already.
    const isLeft = rollback !== null && rollback?.state !== 'none';
    if (isLeft || isBackAt(before, place)) return;
    this.world.see('point of no return passed');
    const id = runIdOf(before, place);
    const after = task.runs[place]?.rollback;
    const isUndone = after !== null && after?.state !== 'none';
    if (runIdOf(task, place) === id && !isUndone && !isBackAt(task, place)) return;
    if (isBarred(task)) return this.world.see('child task held at a point of no return');
    const { plan, revision } = task;
    this.world.violate('I27', `${plan.taskId} r${revision}: it went back past ${id}`);
  }

  private lookAtSignal({ plan, revision, ...task }: Task, place: number, sender: string): void {
    this.world.see('signal taken');
    const key = `${plan.taskId} ${sender}`;
    const id = runIdOf({ plan, ...task }, place);
    const other = this.taken.get(key) ?? id;
    this.taken.set(key, id);
    if (other === id) return;
    const what = `${id} took the signal of ${sender}, which ${other} has`;
    this.world.violate('I28', `${plan.taskId} r${revision}: ${what}`);
  }
}

/** States of a rollback that is under way, or failed. One of what was forgiven before is done. */
const BEGUN: ReadonlySet<string> = new Set(['queued', 'running', 'waiting', 'failed']);

/** Whether a person is called, and nothing of a task that is to be undone goes back until then. */
function isBarred({ hold, plan, runs, way }: Task): boolean {
  if (hold?.why !== 'rollback_failed' || way !== 'back' || plan.parent === null) return false;
  return runs.every(({ rollback }) => rollback === null || !BEGUN.has(rollback.state));
}

/** Whether another branch had failed before, so that this one goes back once it has ended. */
function hasFailedBeside({ scopes }: Task, { holder, kind }: Scope): boolean {
  if (kind !== 'branch') return false;
  return scopes.some((other) => other.holder === holder && other.turned !== null);
}

/** Whether something around a place goes back, and it with that. */
function isBackAt(task: Task, place: number): boolean {
  for (let scope = scopeAt(task, place); scope !== TASK;) {
    const below = task.scopes[scope];
    if (below === undefined) return false;
    if (below.way === 'back' || hasFailedBeside(task, below)) return true;
    scope = scopeAt(task, below.holder);
  }
  return task.way === 'back' && isInPart(task, outermostPlace(task, place));
}

/** Whether a step of the task is one that goes back with it: all are, or those that need one. */
function isInPart({ plan: { steps }, turned }: Task, place: number): boolean {
  const to = turned?.to ?? null;
  if (to === null || (place === to && turned?.children === undefined)) return true;
  return laterSteps(steps)[to]?.includes(place) === true;
}
