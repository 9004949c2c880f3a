import { describe, expect, it } from '@jest/globals';
import { alertRequest, wantsAlertTask } from '../children/alert-task.js';
import { type Action, NO_RETRY, RESTARTS_FORWARD } from '../flow/action.js';
import { DEFAULT_TIMING, type TaskEvent } from '../task/event.js';
import type { Task } from '../task/task.js';
import { createTask } from './create-task.js';
import { type Effect } from './effect.js';
import { transition } from './transition.js';

const action: Action = {
  module: 'm',
  command: 'go',
  timeoutMs: 60_000,
  attemptTimeoutMs: null,
  retry: NO_RETRY,
  onCrash: RESTARTS_FORWARD,
  parameters: null,
};
const START = 1_000_000;
const REPEAT_MS = DEFAULT_TIMING.alertRepeatMs;

/** A task whose rollbacks fail, on a clock that only the test moves. */
class Stuck {
  now = START;
  task: Task;
  effects: readonly Effect[] = [];
  private names = 0;

  constructor(...steps: readonly string[]) {
    const plain = { name: 'f', description: null, input: null, timeoutMs: null };
    const pair = { needs: [], normal: action, rollback: action };
    const definition = { ...plain, steps: steps.map((name) => ({ name, ...pair })) };
    const options = { taskId: 't', moment: this.moment() };
    this.task = createTask({ definition, version: 1 }, { parameters: {} }, options).task;
    steps.forEach((_, step) => this.claim('normal', step));
    steps.forEach((_, step) => this.fail('normal', step));
    steps.forEach((_, step) => this.refute(step));
  }

  /** The alert task is stored. */
  tell(taskId = `call ${this.task.alert?.number}`): this {
    return this.apply({ kind: 'alert_told', number: this.task.alert?.number ?? 0, taskId });
  }

  /** A person tries again, and the rollbacks of these steps fail again. */
  retry(...steps: readonly number[]): this {
    const act = { actor: 'p', reason: 'r', key: `k${(this.names += 1)}` };
    this.apply({ kind: 'retry_requested', ...act });
    for (const step of steps) this.refute(step);
    return this;
  }

  tick(afterMs: number): this {
    this.now += afterMs;
    return this.apply({ kind: 'tick', crowded: new Map() });
  }

  raised(): number {
    return this.task.journal.entries().filter(({ kind }) => kind === 'alert_raised').length;
  }

  apply(event: TaskEvent): this {
    const decision = transition(this.task, event, { moment: this.moment() });
    if (decision.kind !== 'moved') throw new Error(`${event.kind}: ${JSON.stringify(decision)}`);
    this.task = decision.task;
    this.effects = decision.effects;
    return this;
  }

  private moment() {
    return { now: this.now, chance: 0, timing: DEFAULT_TIMING };
  }

  refute(step: number): void {
    this.claim('rollback', step);
    this.fail('rollback', step);
  }

  private claim(direction: 'normal' | 'rollback', step: number): void {
    const attempt = (this.task.runs[step]?.[direction]?.attempts ?? 0) + 1;
    this.apply({ kind: 'claimed', direction, step, attempt, owner: 'e' });
  }

  private fail(direction: 'normal' | 'rollback', step: number): void {
    const token = this.task.runs[step]?.[direction]?.lease?.token ?? 0;
    const cause = { failure: 'FAILED', message: 'no', terminal: true } as const;
    this.apply({ kind: 'failed', direction, step, token, ...cause });
  }
}

describe('an alert', () => {
  it('is asked for when a rollback fails, and again until its task is stored', () => {
    const stuck = new Stuck('a');
    expect(stuck.effects).toEqual([{ kind: 'start_alert' }]);
    expect(stuck.task.alert).toMatchObject({ number: 1, taskId: null, looks: 1 });
    expect(stuck.task.wakeAt).toBe(stuck.task.alert?.dueAt);
    stuck.tick(DEFAULT_TIMING.redispatchAfterMs);
    expect(stuck.effects).toEqual([{ kind: 'start_alert' }]);
    expect(stuck.task.alert).toMatchObject({ number: 1, looks: 2 });
    stuck.tell();
    expect(stuck.effects).toEqual([]);
    expect(stuck.task.alert).toMatchObject({ number: 1, taskId: 'call 1', looks: 0 });
    expect(stuck.task.journal.at(-1)).toMatchObject({ kind: 'alert_started' });
    expect(stuck.raised()).toBe(1);
  });

  it('says which rollback failed last, and why', () => {
    const { task } = new Stuck('a', 'b');
    expect(alertRequest(task)).toMatchObject({
      parent: { taskId: 't', run: 'alert', index: 1, depth: 1 },
      parameters: { taskId: 't', flow: 'f', step: 'b', status: 'rollback_failed', code: 'FAILED' },
    });
  });

  it('is one for all rollbacks that fail before its task is stored', () => {
    const stuck = new Stuck('a', 'b');
    expect(stuck.raised()).toBe(1);
    expect(stuck.task.alert?.number).toBe(1);
  });

  it('is repeated while no person acts', () => {
    const stuck = new Stuck('a').tell();
    expect(stuck.task.wakeAt).toBe(START + REPEAT_MS);
    stuck.tick(REPEAT_MS);
    expect(stuck.effects).toEqual([{ kind: 'start_alert' }]);
    expect(stuck.task.alert).toMatchObject({ number: 2, taskId: 'call 1' });
    expect(stuck.raised()).toBe(2);
    // The one before is still under way: it tells of this, too.
    stuck.tell('call 1');
    expect(stuck.task.journal.at(-1)?.kind).toBe('alert_raised');
    expect(stuck.task.wakeAt).toBe(START + 2 * REPEAT_MS);
  });

  it('ends when a person acts, and is raised again ten seconds after the last one', () => {
    const stuck = new Stuck('a').tell().retry();
    const ended = { number: 1, taskId: 'call 1' };
    expect(stuck.effects).toEqual([{ kind: 'end_alert', ended }]);
    // No later failure is told by one that ends.
    expect(stuck.task.alert?.taskId).toBeNull();
    expect(wantsAlertTask(stuck.task)).toBe(false);
    expect(stuck.task.alert).toMatchObject({ dueAt: null, looks: 0 });
    stuck.now += 4_000;
    stuck.refute(0);
    expect(stuck.effects).toEqual([]);
    expect(stuck.task.journal.at(-1)).toMatchObject({
      kind: 'alert_raised',
      dueAt: START + 10_000,
    });
    stuck.tick(6_000);
    expect(stuck.effects).toEqual([{ kind: 'start_alert' }]);
    expect(stuck.task.alert?.number).toBe(2);
    expect(stuck.raised()).toBe(2);
  });

  it('that is told of too late changes nothing', () => {
    const stuck = new Stuck('a');
    const told = { kind: 'alert_told', number: 1, taskId: 'call' } as const;
    stuck.apply(told);
    expect(() => stuck.apply(told)).toThrow('nothing_due');
    stuck.now += 20_000;
    stuck.retry(0);
    expect(stuck.task.alert?.number).toBe(2);
    expect(() => stuck.apply(told)).toThrow('nothing_due');
  });
});
