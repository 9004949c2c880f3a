import {
  type ChildTally,
  isOwedTask,
  isFinal,
  type JsonObject,
  type JournalKind,
  itemNumber,
  type ParentOfTask,
  type Scope,
  type Task,
} from '#core';
import { tallyAt, wholeTally } from '#core/children';
import { firstPlace, labelOf, runIdOf, scopeAt, stepAt, stepsIn } from '#core/scopes';
import type { Stored, StoreServer } from '../store-server.js';
import type { World } from '../world.js';

/** Entries about persons who want child tasks begun again. */
const ASKS: ReadonlySet<JournalKind> = new Set(['retry_requested', 'reset_requested']);

type WholeCounts = Pick<ChildTally, 'total' | 'succeeded'>;

/** Child tasks beside their parent, as the store has them and not as anybody counted them. */
export class ChildrenCheck {
  constructor(
    private readonly world: World,
    private readonly server: StoreServer,
  ) {}

  look({ task }: Stored, before: Task | null): void {
    const { parent } = task.plan;
    if (before === null && parent !== null && !isOwedTask(parent)) this.lookAtChild(task);
    if (before === null || task.scopes === before.scopes) return;
    for (const [number, { values }] of task.scopes.entries()) {
      const isAnew = values !== null && 'numbers' in values;
      if (isAnew && values !== before.scopes[number]?.values) this.seeAnew(task, values);
    }
    for (const [number, scope] of task.scopes.entries()) {
      const isNew = scope.stage !== before.scopes[number]?.stage;
      if (scope.kind === 'children' && isNew && scope.round > 0) this.lookAtScope(task, scope);
    }
  }

  private seeAnew({ journal }: Task, values: JsonObject): void {
    if ('replaces' in values) this.world.see('child task undone so that its item begins anew');
    const { kind } = journal.findLast((entry) => ASKS.has(entry.kind)) ?? { kind: 'created' };
    this.world.see(`items begun anew: ${kind}`);
  }

  /** When everything is over: no child task is left behind. */
  lookAtEnd(): void {
    for (const task of this.server.tasks.values()) {
      const { parent } = task.plan;
      const around = parent === null ? undefined : this.server.tasks.get(parent.taskId);
      if (parent === null || isOwedTask(parent)) continue;
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
    this.lookAtItem(child, parent);
    this.lookAtFollowers(child, around, scope);
    const live = this.of(around, scope).filter(({ outcome }) => outcome === null);
    const most = stepAt(around, scope.holder)?.foreach?.concurrency ?? 1;
    if (live.length > most) this.fail(child, `is one of ${live.length} at a time, not ${most}`);
  }

  /** An item is begun again only where nothing is left of what was done for it. */
  private lookAtItem(child: Task, { run, taskId }: ParentOfTask): void {
    const number = itemNumber(child.plan.parent);
    for (const { outcome, plan } of this.ofStep(taskId, run)) {
      if (plan.taskId === child.plan.taskId || itemNumber(plan.parent) !== number) continue;
      this.world.see('item begun anew');
      const isLeft = outcome === null || outcome === 'succeeded';
      if (isLeft) this.fail(child, `is for item ${number}, for which ${plan.taskId} stands`);
    }
  }

  /** Child tasks begin only while nothing is there of what needs their step. */
  private lookAtFollowers(child: Task, parent: Task, { holder }: Scope): void {
    const around = scopeAt(parent, holder);
    const first = firstPlace(parent, around);
    for (const [n, { name, needs }] of stepsIn(parent, around).entries()) {
      const { state } = parent.runs[first + n]?.normal ?? {};
      const isFree = state === 'pending' || state === 'skipped';
      if (needs.includes(holder - first) && !isFree) {
        this.fail(child, `began, and ${name}, which needs its step, is ${state}`);
      }
    }
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
    // It waits for a person, who says what becomes of those that failed.
    if (tally === null || parent.runs[scope.holder]?.normal.state === 'failed') return;
    this.lookAtItems(parent, scope, wholeTally(tally));
  }

  /** The last child tasks of all items are those that count. */
  private lookAtItems(parent: Task, scope: Scope, whole: WholeCounts): void {
    const last = new Map<number | null, Task>();
    const all = this.ofStep(parent.plan.taskId, nameOf(parent, scope));
    for (const child of all.toSorted((one, other) => roundOf(one) - roundOf(other))) {
      last.set(itemNumber(child.plan.parent), child);
    }
    const done = [...last.values()].filter(({ outcome }) => outcome === 'succeeded').length;
    if (done !== whole.succeeded) {
      this.fail(parent, `${done} items are done, and it counted ${whole.succeeded}`);
    }
    const { successPercent = 100 } = stepAt(parent, scope.holder)?.foreach ?? {};
    // A task with a step that ends it early waits only for children that were begun.
    if (hasSucceed(parent) || done * 100 >= whole.total * successPercent) return;
    this.fail(parent, `passed with ${done} of ${whole.total}, not ${successPercent} %`);
  }

  /** The child tasks of all rounds of a step in one of its goings, by the run of one of them. */
  private ofStep(taskId: string, run: string): readonly Task[] {
    const step = stepOf(run);
    return [...this.server.tasks.values()].filter(({ plan: { parent } }) => {
      return parent?.taskId === taskId && !isOwedTask(parent) && stepOf(parent.run) === step;
    });
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

/** The id of the step's run in the run of its child tasks. */
function stepOf(run: string): string {
  return run.slice(0, run.lastIndexOf('#'));
}

function roundOf({ plan }: Task): number {
  const { run = '' } = plan.parent ?? {};
  return Number(run.slice(run.lastIndexOf('#') + 1));
}

function hasSucceed({ runs, ...task }: Task): boolean {
  return runs.some(({ normal }, place) => {
    return normal.state === 'succeeded' && stepAt(task, place)?.succeed !== undefined;
  });
}
