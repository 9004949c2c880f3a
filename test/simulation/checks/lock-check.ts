import { isCaught, isFinal, type LockTicket, type StepPlan, type StepRuns, type Task } from '#core';
import { innerLists } from '#core/flow';
import { runIdOf, scopeAt, stepAt, TASK } from '#core/scopes';
import { slotsOf } from '../random-locks.js';
import type { Stored, StoreServer } from '../store-server.js';
import { STORE_SLOW_MAX_MS } from '../store-port.js';
import type { World } from '../world.js';
import { endsEarly } from './ends-early.js';

/** Longest that a write is under way that lands late, in milliseconds. */
const SLACK_MS = 4 * STORE_SLOW_MAX_MS + 8_000;

/** Rounds of governance after which every line was looked through for certain. */
const ROUNDS = 12;

/** Never more hold a lock than may, nothing that wants one runs without, and none is kept. */
export class LockCheck {
  /** When a place of a task that has ended was seen first. */
  private readonly left = new Map<string, number>();
  /** When a ticket was seen first that waits for locks which are all free. */
  private readonly forgotten = new Map<string, number>();

  constructor(
    private readonly world: World,
    private readonly server: StoreServer,
  ) {}

  look({ task }: Stored, before: Task | null): void {
    if (this.world.scenario.locks === null) return;
    this.lookAtRuns(task, before);
    if (task.locks === before?.locks) return;
    if (isFinal(task.status) && task.locks.length > 0) this.fail(task, 'has ended with locks');
    const held = new Map<string, number>();
    for (const other of this.server.tasks.values()) {
      for (const { heldAt, locks } of other.locks) {
        for (const { name } of heldAt === null ? [] : (locks ?? [])) {
          held.set(name, (held.get(name) ?? 0) + 1);
        }
      }
    }
    for (const [name, count] of held) {
      const slots = slotsOf(name);
      if (count > slots) this.fail(task, `${count} hold ${name}, at most ${slots} may`);
      if (count === slots) this.world.see('all slots of a lock held');
    }
    if (task.locks.some(({ heldAt }) => heldAt === null)) this.world.see('task waited for a lock');
  }

  /** Nothing of a step is started, in either direction, without what it is to hold. */
  private lookAtRuns(task: Task, before: Task | null): void {
    for (const [step, runs] of task.runs.entries()) {
      const old = before?.runs[step];
      const isUndone = runs.rollback?.state === 'running' && old?.rollback?.state !== 'running';
      if (!isUndone && !hasBegun(runs, old)) continue;
      // A step that was caught is undone by its clause, whose steps are looked at on their own.
      if (holdsSteps(stepAt(task, step)) || isCaught(task, step)) continue;
      // A step beside it has ended the task early at once: it only waits for that end.
      const isWork = isUndone || stepAt(task, step)?.normal !== undefined;
      if (!isWork && endsEarly(task)) continue;
      if (task.plan.locks !== null) this.lookFor(task, null);
      const hasOwn = stepAt(task, step)?.locks !== undefined;
      if (isUndone && hasOwn) this.world.see('undone with a lock');
      const isInside = hasOwn && step >= task.plan.steps.length;
      if (isInside) this.world.see('lock of a step in a scope');
      for (const place of [step, ...holdersOf(task, step)]) {
        if (stepAt(task, place)?.locks !== undefined) this.lookFor(task, place);
      }
    }
  }

  private lookFor(task: Task, step: number | null): void {
    const run = step === null ? null : runIdOf(task, step);
    const isHeld = task.locks.some((ticket) => {
      return ticket.step === step && ticket.run === run && ticket.heldAt !== null;
    });
    if (!isHeld) this.fail(task, `${run ?? 'the task'} runs without its lock`);
  }

  /** Without trouble, no place in line outlives its task for long. */
  lookForLeaks(healedAt: number): void {
    const { now, scenario } = this.world;
    const boundMs = SLACK_MS + ROUNDS * scenario.governanceIntervalMs;
    for (const [name, entries] of this.server.lines) {
      for (const { number, taskId } of entries) {
        const task = this.server.tasks.get(taskId);
        const isWanted = task?.locks.some((ticket) => ticket.number === number) === true;
        if (task === undefined || isWanted) continue;
        const key = `${name} ${taskId} ${number}`;
        const since = Math.max(this.left.get(key) ?? now, healedAt);
        this.left.set(key, since);
        if (now - since > boundMs) this.fail(task, `is kept in line for ${name}`);
      }
    }
  }

  /** Without trouble, a task that waits for locks that are all free has them soon. */
  lookForForgotten(tasks: readonly Task[], healedAt: number): void {
    const { now, scenario } = this.world;
    const { governanceIntervalMs, timing } = scenario;
    const boundMs = SLACK_MS + ROUNDS * governanceIntervalMs + 2 * timing.redispatchMaxMs;
    for (const task of tasks) {
      for (const ticket of task.locks) {
        const key = `${task.plan.taskId} ${ticket.number}`;
        if (!this.isFree(task, ticket)) {
          this.forgotten.delete(key);
          continue;
        }
        const since = Math.max(this.forgotten.get(key) ?? now, healedAt);
        this.forgotten.set(key, since);
        if (now - since > boundMs) this.fail(task, `waits for ${key}, and its locks are free`);
      }
    }
  }

  /** Whether a task that goes on waits for locks that all have room for it. */
  private isFree({ hold, paused, plan }: Task, { heldAt, locks, number }: LockTicket): boolean {
    if (heldAt !== null || locks === null || hold !== null || paused !== null) return false;
    return locks.every(({ name }) => {
      const line = this.server.lines.get(name) ?? [];
      const at = line.findIndex((e) => e.taskId === plan.taskId && e.number === number);
      return (at < 0 ? line.length : at) < slotsOf(name);
    });
  }

  private fail({ plan, revision }: Task, message: string): void {
    this.world.violate('I29', `${plan.taskId} r${revision}: ${message}`);
  }
}

/** Whether a step is under way that was not; one that is done in the same change is not seen. */
function hasBegun({ generation, normal: { state } }: StepRuns, old?: StepRuns): boolean {
  const before = old?.generation === generation ? old.normal.state : 'pending';
  if (state === 'waiting') return before === 'pending' || before === 'queued';
  return state === 'running' && before !== 'running';
}

/** Whether all that a step does is done by the steps in it, each of which is looked at. */
function holdsSteps(step: StepPlan | undefined): boolean {
  if (step === undefined || step.normal !== undefined || step.foreach !== undefined) return false;
  return step.dynamic !== undefined || innerLists(step).length > 0;
}

/** The places of the steps around a place. */
function holdersOf(task: Task, place: number): readonly number[] {
  const scope = scopeAt(task, place);
  const { holder } = task.scopes[scope] ?? {};
  return scope === TASK || holder === undefined ? [] : [holder, ...holdersOf(task, holder)];
}
