import {
  isFailureTask,
  isFinal,
  labelOf,
  runIdOf,
  type Scope,
  stepAt,
  type Task,
  tallyAt,
} from '#core';
import type { Stored, StoreServer } from '../store-server.js';
import type { World } from '../world.js';

/** Child tasks beside their parent, as the store has them and not as anybody counted them. */
export class ChildrenCheck {
  constructor(
    private readonly world: World,
    private readonly server: StoreServer,
  ) {}

  look({ task }: Stored, before: Task | null): void {
    const { parent } = task.plan;
    if (before === null && parent !== null && !isFailureTask(parent)) this.lookAtChild(task);
    if (before === null || task.scopes === before.scopes) return;
    for (const [number, scope] of task.scopes.entries()) {
      const isNew = scope.stage !== before.scopes[number]?.stage;
      if (scope.kind === 'children' && isNew && scope.round > 0) this.lookAtScope(task, scope);
    }
  }

  /** When everything is over: no child task is left behind. */
  lookAtEnd(): void {
    for (const task of this.server.tasks.values()) {
      const { parent } = task.plan;
      const around = parent === null ? undefined : this.server.tasks.get(parent.taskId);
      if (parent === null || isFailureTask(parent)) continue;
      if (around === undefined) this.fail(task, 'has no parent');
      else if (around.outcome === 'rolled_back' && task.outcome === 'succeeded') {
        this.fail(task, 'succeeded, and its parent is rolled back');
      }
    }
  }

  /** A child task begins: one that was asked for, and not more at a time than may be. */
  private lookAtChild(child: Task): void {
    const { parent } = child.plan;
    const around = parent === null ? undefined : this.server.tasks.get(parent.taskId);
    if (parent === null || around === undefined) return this.fail(child, 'has no parent');
    this.world.see(child.outcome === null ? 'child task begun' : 'child task barred');
    const scope = around.scopes.find((each) => nameOf(around, each) === parent.run);
    if (child.outcome !== null) return;
    if (scope === undefined || scope.stage !== 'open') {
      return this.fail(child, `began, and ${parent.run} is ${scope?.stage ?? 'not there'}`);
    }
    const { started = 0 } = tallyAt(around, scope.holder) ?? {};
    if (parent.index >= started) this.fail(child, `is number ${parent.index} of ${started}`);
    const live = this.of(around, scope).filter(({ outcome }) => outcome === null);
    const most = stepAt(around, scope.holder)?.foreach?.concurrency ?? 1;
    if (live.length > most) this.fail(child, `is one of ${live.length} at a time, not ${most}`);
  }

  /** A parent is done with its child tasks. */
  private lookAtScope(parent: Task, scope: Scope): void {
    if (scope.stage === 'open') return;
    const all = this.of(parent, scope);
    // A child asked to go back before its parent was terminated may do so by itself.
    const mayGoBack = parent.outcome === 'terminated';
    const live = all.filter(
      ({ status, way }) => !isFinal(status) && !(mayGoBack && way === 'back'),
    );
    const done = all.filter(({ outcome }) => outcome === 'succeeded');
    this.world.see(`children ${scope.stage}`);
    const run = nameOf(parent, scope);
    if (live.length > 0) this.fail(parent, `is done with ${run}, and ${live.length} are live`);
    if (scope.stage === 'clean' && parent.outcome === null && done.length > 0) {
      this.fail(parent, `${run} is undone, and ${done.length} have succeeded`);
    }
    if (scope.stage === 'done') this.lookAtCounts(parent, scope, all);
  }

  private lookAtCounts(parent: Task, scope: Scope, all: readonly Task[]): void {
    const tally = tallyAt(parent, scope.holder);
    const succeeded = all.filter(({ outcome }) => outcome === 'succeeded').length;
    const counted = `${tally?.succeeded} of ${tally?.started}`;
    if (counted !== `${succeeded} of ${all.length}`) {
      this.fail(parent, `${succeeded} of ${all.length} succeeded, and it counted ${counted}`);
    }
    const { successPercent = 100 } = stepAt(parent, scope.holder)?.foreach ?? {};
    // A task with a step that ends it early waits only for children that were begun.
    if (hasSucceed(parent) || succeeded * 100 >= (tally?.total ?? 0) * successPercent) return;
    this.fail(parent, `passed with ${succeeded} of ${tally?.total}, not ${successPercent} %`);
  }

  private of({ plan }: Task, scope: Scope): readonly Task[] {
    const task = this.server.tasks.get(plan.taskId);
    const run = task === undefined ? '' : nameOf(task, scope);
    return [...this.server.tasks.values()].filter((child) => {
      return child.plan.parent?.taskId === plan.taskId && child.plan.parent.run === run;
    });
  }

  private fail({ plan, revision }: Task, message: string): void {
    this.world.violate('I26', `${plan.taskId} r${revision}: ${message}`);
  }
}

/** The name that child tasks have of the scope in which they lie. */
function nameOf(task: Task, scope: Scope): string {
  return `${runIdOf(task, scope.holder)}#${labelOf(task, scope)}`;
}

function hasSucceed({ runs, ...task }: Task): boolean {
  return runs.some(({ normal }, place) => {
    return normal.state === 'succeeded' && stepAt(task, place)?.succeed !== undefined;
  });
}
