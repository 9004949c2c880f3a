import { isActive, isCaught, type JournalEntry, type Scope, type Task } from '#core';
import { innerLists } from '#core/flow';
import { placeOf, runIdOf, scopeAt, stepAt, TASK } from '#core/scopes';
import type { Participant } from '../participant.js';
import { clockErrorMs } from '../scenario.js';
import type { Stored } from '../store-server.js';
import type { World } from '../world.js';
import { BranchCheck } from './branch-check.js';
import { isCommand, isUndone } from './followed.js';
import { newEntries } from './new-entries.js';

/** Whatever brings an attempt to its end in a journal, for good or for now. */
const ENDS: ReadonlySet<string> = new Set([
  'succeeded',
  'failed',
  'timed_out',
  'lease_lost',
  'called_off',
  'handed_back',
  'not_finished',
  'skip_requested',
]);

/** The kinds of entries in which a step ends that holds steps, whose try is undone by then. */
const ENDINGS: ReadonlySet<string> = new Set(['failed', 'timed_out', 'called_off', 'succeeded']);

/** A commit with the entries that it added. */
interface Commit {
  readonly task: Task;
  readonly before: Task;
  readonly added: readonly JournalEntry[];
  readonly at: number;
}

/**
 * Looks at the scopes below tasks: a try begins when the one before it is undone, a step that holds
 * steps ends when its scope is, and no run of an ended try is ever there again.
 */
export class ScopeCheck {
  /** By task and run: runs of tries that have ended. */
  private readonly ended = new Set<string>();
  private readonly branches: BranchCheck;

  constructor(
    private readonly world: World,
    private readonly participant: Participant,
  ) {
    this.branches = new BranchCheck(world);
  }

  look({ at, task }: Stored, before: Task | null): void {
    if (before === null || (task.scopes === before.scopes && task.runs === before.runs)) return;
    if (task.scopes.length === 0) return;
    this.branches.look(task, before);
    const added = newEntries(task, before);
    const commit = { task, before, added, at };
    for (const [number, scope] of task.scopes.entries()) {
      const old = before.scopes[number];
      if (old !== undefined) this.lookAtOld(commit, number, old);
      if (scope.turned !== null && scope.turned !== old?.turned) {
        this.world.see(`${wordOf(scope)} turned: ${scope.turned.why}`);
      }
      this.lookAtHolder(commit, number, scope);
      this.lookAtTime(commit, number, scope);
      if (scope.kind === 'catch') this.lookAtCatch(commit, scope);
      if (old?.round !== scope.round && scope.round > 0) this.lookAtBegin(commit, number, scope);
    }
  }

  /** Where the runs of a scope are others than they were, those before have left nothing. */
  private lookAtOld(commit: Commit, number: number, old: Scope): void {
    const { before, task } = commit;
    const end = before.scopes[number + 1]?.first ?? before.runs.length;
    for (let place = old.first; place < end; place += 1) {
      const id = runIdOf(before, place);
      if (old.round === 0 || id === runIdOf(task, place)) continue;
      this.ended.add(`${task.plan.taskId} ${id}`);
      const fault = this.leftBy(commit, place);
      if (fault !== null) this.fail(task, `its scope began anew, and ${id} ${fault}`);
    }
  }

  /** The remains of a run of a try that is over; null: none. */
  private leftBy({ added, before }: Commit, place: number): string | null {
    const runs = before.runs[place];
    if (runs === undefined || stepAt(before, place)?.normal === undefined) return null;
    const id = runIdOf(before, place);
    const isTold = (direction: string): boolean =>
      added.some((entry) => {
        return entry.run === id && entry.direction === direction && ENDS.has(entry.kind);
      });
    if (isActive(runs.normal) && runs.normal.lease !== null && !isTold('normal')) {
      return 'is still running';
    }
    // A run whose failure was caught is undone by its clause, in runs of their own.
    const isOwnUndo = runs.rollback !== null && !isCaught(before, place);
    const isUndoing = isOwnUndo && isActive(runs.rollback);
    if (isUndoing && !isTold('rollback')) return 'is still being undone';
    return this.effectOf(before, place, added);
  }

  /** Whether a run has an effect that was to be undone. */
  private effectOf(task: Task, place: number, added: readonly JournalEntry[]): string | null {
    const { rollback } = stepAt(task, place) ?? {};
    const id = runIdOf(task, place);
    const isByHand = [...task.journal, ...added].some(({ kind, run, step }) => {
      return kind === 'skip_requested' && (run ?? step) === id;
    });
    if (!rollback || isByHand) return null;
    const net = this.participant.netOf(task.plan.taskId, id);
    return net === 0 ? null : `has ${net} effects`;
  }

  /** A step that holds steps fails or is undone when nothing of its scope is left. */
  private lookAtHolder(commit: Commit, number: number, scope: Scope): void {
    const { holder, kind, round, stage, way } = scope;
    const { added, before, task } = commit;
    const runs = task.runs[holder];
    if (runs === undefined || round === 0 || task.outcome === 'terminated') return;
    const id = runIdOf(task, holder);
    const isOver = runs.rollback?.state === 'succeeded' && runs !== before.runs[holder];
    const fault = isOver ? this.leftIn(commit, number) : null;
    if (fault !== null) this.fail(task, `${id} counts as undone, and ${fault}`);
    const ends = added.some(({ direction, kind, run, step }) => {
      return (run ?? step) === id && ENDINGS.has(kind) && direction === 'rollback';
    });
    const isNew = isCaught(task, holder) && !isCaught(before, holder);
    if (ends && !isOver && !isNew && runs.normal.state === 'succeeded') {
      this.fail(task, `${id} was told to be undone, and is not`);
    }
    if (runs.normal.state !== 'running' && runs.rollback?.state !== 'running') return;
    // Branches turn one by one, and what is done does not turn again by itself.
    if (kind === 'branch' || stage !== 'open') return;
    const isAlike = (runs.rollback?.state === 'running') === (way === 'back');
    if (!isAlike) this.fail(task, `${id} does not go the way of its scope, which goes ${way}`);
  }

  /** Steps run because of a failure once what the failed step did is undone. */
  private lookAtCatch({ added, before, task }: Commit, { holder }: Scope): void {
    if (!isCaught(task, holder) || isCaught(before, holder)) return;
    this.world.see('failure caught');
    if (!isCommand(before, 'normal', holder)) return;
    const effect = this.effectOf(task, holder, added);
    if (effect !== null) this.fail(task, `${runIdOf(task, holder)} is caught and ${effect}`);
  }

  /** The remains of a scope, and of those below it. */
  private leftIn(commit: Commit, number: number): string | null {
    const { task } = commit;
    const first = task.scopes[number]?.first ?? 0;
    const end = task.scopes[number + 1]?.first ?? task.runs.length;
    for (let place = first; place < end; place += 1) {
      const isOwn = stepAt(task, place)?.normal !== undefined;
      const id = runIdOf(task, place);
      if (!isUndone(task, place)) return `${id} is not undone`;
      const effect = isOwn ? this.effectOf(task, place, commit.added) : null;
      if (effect !== null) return `${id} ${effect}`;
    }
    return null;
  }

  /** The time for all tries counts from the first one on, and is looked at while they go on. */
  private lookAtTime({ at, before, task }: Commit, number: number, scope: Scope): void {
    const step = stepAt(task, scope.holder);
    const run = task.runs[scope.holder]?.normal;
    const timeoutMs = step?.group === undefined ? null : step.timeoutMs;
    if (timeoutMs === null || scope.kind !== 'try' || run?.state !== 'running') return;
    const { deadline, dueAt, startedAt } = run;
    const id = runIdOf(task, scope.holder);
    const errorMs = 2 * clockErrorMs(this.world.scenario);
    // A retry gives it all of its time again, by another clock than the one that it started by.
    if (deadline === null || deadline + errorMs < (startedAt ?? 0) + timeoutMs) {
      this.fail(task, `${id} has time until ${deadline}, and not ${timeoutMs} ms`);
      return;
    }
    // Behind a point of no return, the end of its time has called a person.
    const isHeld = task.journal.entries().some(({ kind }) => kind === 'task_on_hold');
    // It may also be put off there, until a person has settled what the task is on hold for.
    const isPutOff = task.hold !== null && dueAt !== null && dueAt > deadline;
    if (scope.way === 'forward' && dueAt !== deadline && !isHeld && !isPutOff) {
      this.fail(task, `${id} is looked at ${dueAt}, and its time is over ${deadline}`);
    }
    const isNewTry = (before.scopes[number]?.round ?? 0) < scope.round && scope.round > 1;
    if (isNewTry && at > deadline + errorMs) {
      this.fail(task, `${id} is tried again, and its time was over ${deadline}`);
    }
  }

  private lookAtBegin({ before, task }: Commit, number: number, scope: Scope): void {
    const { first, holder, round } = scope;
    const old = before.scopes[number];
    const { taskId } = task.plan;
    const id = runIdOf(task, first);
    if (this.ended.has(`${taskId} ${id}`)) this.fail(task, `${id} is there again`);
    const run = task.runs[holder]?.normal;
    if (scope.kind === 'try' && run?.attempts !== round) {
      this.fail(task, `${runIdOf(task, holder)} has ${run?.attempts} tries, this is ${round}`);
    }
    this.see(task, scope, old);
  }

  private see(task: Task, scope: Scope, old: Scope | undefined): void {
    const { holder, kind, round } = scope;
    const { world } = this;
    if (kind !== 'try') return world.see(`${kind} begun`);
    world.see(round > 1 ? 'group tried again' : 'group begun');
    if (round > 2) world.see('group tried again more than once');
    if (old !== undefined && round === 1) world.see('group begun anew in a new try around it');
    if (depthOf(task, holder) === 3) world.see('group at the fourth depth begun');
  }

  /** When everything is over: nothing of an ended try is there. */
  lookAtEnd(tasks: ReadonlyMap<string, Task>): void {
    for (const key of this.ended) {
      const [taskId = '', id = ''] = key.split(' ');
      const task = tasks.get(taskId);
      if (task === undefined) continue;
      if (placeOf(task, id) !== null) this.fail(task, `${id} is there, and its try has ended`);
      if (!this.isUndoable(task, id)) continue;
      const net = this.participant.netOf(taskId, id);
      if (net !== 0) this.fail(task, `the try of ${id} has ended, and it has ${net} effects`);
    }
  }

  /** Whether a run of an ended try had a rollback, which nobody did by hand. */
  private isUndoable({ journal, plan }: Task, id: string): boolean {
    const names = id.split('/').map((part) => part.split(/[~#]/, 1)[0]);
    let steps = plan.steps;
    for (const name of names.slice(0, -1)) {
      const holder = steps.find((step) => step.name === name);
      const made = (holder?.dynamic?.steps ?? []) as unknown as typeof steps;
      steps = holder === undefined ? [] : [...innerLists(holder).flat(), ...made];
    }
    const step = steps.find(({ name }) => name === names.at(-1));
    if (!step?.rollback) return false;
    return !journal.entries().some(({ kind, run }) => kind === 'skip_requested' && run === id);
  }

  private fail({ plan, revision }: Task, message: string): void {
    this.world.violate('I25', `${plan.taskId} r${revision}: ${message}`);
  }
}

/** The name of a scope among sightings. */
function wordOf({ kind }: Scope): string {
  return kind === 'try' ? 'group' : kind;
}

/** How many scopes lie around a place below the task itself. */
function depthOf(task: Task, place: number): number {
  const scope = scopeAt(task, place);
  return scope === TASK ? 0 : 1 + depthOf(task, task.scopes[scope]?.holder ?? 0);
}
