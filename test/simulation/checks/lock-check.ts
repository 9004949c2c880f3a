import { isFinal, stepAt, type Task } from '#core';
import { SLOTS } from '../random-locks.js';
import type { Stored, StoreServer } from '../store-server.js';
import { STORE_SLOW_MAX_MS } from '../store-port.js';
import type { World } from '../world.js';

/** Longest that a write is under way that lands late, in milliseconds. */
const SLACK_MS = 4 * STORE_SLOW_MAX_MS + 8_000;

/** Rounds of governance after which every line was looked through for certain. */
const ROUNDS = 12;

/** Never more hold a lock than may, nothing that wants one runs without, and none is kept. */
export class LockCheck {
  /** When a place of a task that has ended was seen first. */
  private readonly left = new Map<string, number>();

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
      const slots = SLOTS[name] ?? 0;
      if (count > slots) this.fail(task, `${count} hold ${name}, at most ${slots} may`);
      if (count === slots) this.world.see('all slots of a lock held');
    }
    if (task.locks.some(({ heldAt }) => heldAt === null)) this.world.see('task waited for a lock');
  }

  /** Nothing of a step is started, in either direction, without what it is to hold. */
  private lookAtRuns(task: Task, before: Task | null): void {
    for (const [step, { normal, rollback }] of task.runs.entries()) {
      const old = before?.runs[step];
      const isStarted = normal.state === 'running' && old?.normal.state !== 'running';
      const isUndone = rollback?.state === 'running' && old?.rollback?.state !== 'running';
      if (!isStarted && !isUndone) continue;
      const isOwn = step < task.plan.steps.length;
      if (isOwn && task.plan.locks !== null) this.lookFor(task, null);
      if (isOwn && stepAt(task, step)?.locks !== undefined) this.lookFor(task, step);
      if (isUndone && stepAt(task, step)?.locks !== undefined) this.world.see('undone with a lock');
    }
  }

  private lookFor(task: Task, step: number | null): void {
    const isHeld = task.locks.some((ticket) => ticket.step === step && ticket.heldAt !== null);
    if (!isHeld) this.fail(task, `${step ?? 'the task'} runs without its lock`);
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

  private fail({ plan, revision }: Task, message: string): void {
    this.world.violate('I29', `${plan.taskId} r${revision}: ${message}`);
  }
}
