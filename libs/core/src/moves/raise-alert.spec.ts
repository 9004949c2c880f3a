import { Journal } from '../task/journal.js';
import { describe, expect, it } from '@jest/globals';
import { type Action, NO_RETRY, RESTARTS_FORWARD } from '../flow/action.js';
import { createTask } from '../transitions/create-task.js';
import { DEFAULT_TIMING, type TaskEvent } from '../task/event.js';
import { TASK_STATUS } from '../task/status.js';
import type { Task } from '../task/task.js';
import { type Decision, transition } from '../transitions/transition.js';
import type { RunState } from '../task/action-run.js';

const action: Action = {
  module: 'm',
  command: 'go',
  timeoutMs: 60_000,
  attemptTimeoutMs: null,
  retry: NO_RETRY,
  onCrash: RESTARTS_FORWARD,
  parameters: null,
};

/** A task whose rollbacks fail, on a clock that only the test moves. */
class Stuck {
  now = 1_000_000;
  task: Task;
  private names = 0;

  constructor(
    steps: readonly string[],
    private readonly alertRepeatMs = 14_400_000,
  ) {
    const definition = {
      name: 'f',
      description: null,
      input: null,
      timeoutMs: null,
      steps: steps.map((name) => ({ name, needs: [], normal: action, rollback: action })),
    };
    const moment = this.moment();
    this.task = createTask(
      { definition, version: 1 },
      { parameters: {} },
      { taskId: 't', moment },
    ).task;
    steps.forEach((_, step) => this.run('normal', step, step === 0 ? 'claim' : 'fail'));
    this.run('normal', 0, 'end');
    steps.forEach((_, step) => this.run('rollback', step, 'fail'));
  }

  /** The alert is claimed, and sent unless its attempt fails. */
  alert(how: 'claim' | 'send' | 'fail' = 'send'): void {
    this.run('alert', this.task.alertStep ?? 0, how === 'send' ? 'succeed' : how);
  }

  /** A person tries again, and the rollbacks of these steps fail again. */
  retry(...steps: readonly number[]): void {
    const act = { actor: 'p', reason: 'r', key: `k${(this.names += 1)}` };
    this.apply({ kind: 'retry_requested', ...act });
    for (const step of steps) this.run('rollback', step, 'fail');
  }

  tick(): void {
    this.apply({ kind: 'tick', crowded: new Map() });
  }

  state(): RunState | undefined {
    return this.task.alert?.state;
  }

  private moment() {
    return {
      now: this.now,
      chance: 0,
      timing: { ...DEFAULT_TIMING, alertRepeatMs: this.alertRepeatMs },
    };
  }

  private run(
    direction: 'normal' | 'rollback' | 'alert',
    step: number,
    how: 'claim' | 'end' | 'fail' | 'succeed',
  ): void {
    const half = direction === 'alert' ? null : direction;
    const run = half === null ? this.task.alert : this.task.runs[step]?.[half];
    const ref = { direction, step };
    if (how !== 'end') {
      const attempt = (run?.attempts ?? 0) + 1;
      this.apply({ kind: 'claimed', ...ref, attempt, owner: 'e' });
    }
    if (how === 'claim') return;
    const { lease } = (half === null ? this.task.alert : this.task.runs[step]?.[half]) ?? {};
    const report = { ...ref, token: lease?.token ?? 0 };
    const failure = { failure: 'FAILED', message: 'no', terminal: true } as const;
    if (how === 'succeed') this.apply({ kind: 'succeeded', ...report, output: null });
    else this.apply({ kind: 'failed', ...report, ...failure });
  }

  /** Decides a person's request at the present moment; the task stays as it is. */
  decide(event: TaskEvent): Decision {
    return transition(this.task, event, { moment: this.moment() });
  }

  private apply(event: TaskEvent): void {
    const decision = transition(this.task, event, { moment: this.moment() });
    if (decision.kind !== 'moved') throw new Error(`${event.kind} came to ${decision.kind}`);
    this.task = decision.task;
  }
}

describe('an alert', () => {
  it('is sent at once for the first failure of a rollback', () => {
    const stuck = new Stuck(['a']);
    expect(stuck.task.status).toBe(TASK_STATUS.rollback_failed);
    expect(stuck.state()).toBe('queued');
  });

  it('of a task that sent one a moment ago waits for the rest of ten seconds, and is sent then', () => {
    const stuck = new Stuck(['a']);
    stuck.alert();
    for (let nth = 0; nth < 7; nth++) {
      stuck.now += 1_000;
      stuck.retry(0);
      expect(stuck.state()).toBe('waiting');
      expect(stuck.task.wakeAt).toBe(1_010_000);
    }
    stuck.now = 1_010_000;
    stuck.tick();
    expect(stuck.state()).toBe('queued');
    stuck.alert();
    stuck.now += 9_999;
    stuck.retry(0);
    expect(stuck.state()).toBe('waiting');
    stuck.now += 10_001;
    stuck.tick();
    stuck.alert();
    stuck.now += 10_001;
    stuck.retry(0);
    expect(stuck.state()).toBe('queued');
  });

  it('about another step of the task waits as well, and is told by one that waits', () => {
    const stuck = new Stuck(['a', 'b']);
    stuck.alert();
    stuck.retry(1);
    expect([stuck.state(), stuck.task.alertStep, stuck.task.alert?.dueAt]).toEqual([
      'waiting',
      1,
      1_010_000,
    ]);
    stuck.retry(0, 1);
    expect([stuck.state(), stuck.task.alertStep]).toEqual(['waiting', 0]);
    stuck.now = 1_010_000;
    stuck.tick();
    expect(stuck.state()).toBe('queued');
  });

  it('that was settled before anybody was told holds nothing back', () => {
    const stuck = new Stuck(['a']);
    stuck.retry(0);
    expect(stuck.state()).toBe('queued');
    stuck.alert('fail');
    expect(stuck.state()).toBe('waiting');
    stuck.retry(0);
    expect(stuck.state()).toBe('queued');
  });

  it('that was called off while it was being sent counts as sent', () => {
    const stuck = new Stuck(['a']);
    stuck.alert('fail');
    stuck.now = stuck.task.wakeAt ?? 0;
    stuck.tick();
    stuck.alert('claim');
    stuck.now += 5;
    const settledAt = stuck.now;
    stuck.retry(0);
    expect(stuck.state()).toBe('waiting');
    expect(stuck.task.wakeAt).toBe(settledAt + 10_000);
  });

  it('reminds as often as is set, however short that is', () => {
    const stuck = new Stuck(['a'], 10_000);
    stuck.alert();
    stuck.now += 10_000;
    stuck.tick();
    expect(stuck.state()).toBe('queued');
  });
});

describe("a person's action", () => {
  it('is refused for the eleventh time in a minute, and legal again when the minute is over', () => {
    const stuck = new Stuck(['a']);
    for (let nth = 0; nth < 10; nth++) stuck.retry(0);
    const again = () => {
      const event = { kind: 'retry_requested', actor: 'p', reason: 'r', key: null } as const;
      const timing = DEFAULT_TIMING;
      return transition(stuck.task, event, { moment: { now: stuck.now, chance: 0, timing } });
    };
    stuck.now += 20_000;
    expect(again()).toMatchObject({ code: 'TOO_MANY_ACTIONS', retryAfterMs: 40_000 });
    stuck.now += 40_000;
    expect(again().kind).toBe('moved');
  });

  it('that repeats one is none, and one of another kind is not counted with it', () => {
    const stuck = new Stuck(['a']);
    for (let nth = 0; nth < 10; nth++) stuck.retry(0);
    const moment = { now: stuck.now, chance: 0, timing: DEFAULT_TIMING };
    const act = { actor: 'p', reason: 'r' };
    const repeated = { kind: 'retry_requested', ...act, key: 'k10' } as const;
    expect(transition(stuck.task, repeated, { moment })).toMatchObject({ kind: 'ignored' });
    const end = { kind: 'terminate_requested', ...act, key: null } as const;
    expect(transition(stuck.task, end, { moment }).kind).toBe('moved');
  });

  it('is counted and known again however much of the journal is gone', () => {
    const stuck = new Stuck(['a']);
    for (let nth = 0; nth < 10; nth++) stuck.retry(0);
    stuck.task = { ...stuck.task, journal: Journal.of([]) };
    const again = { kind: 'retry_requested', actor: 'p', reason: 'r' } as const;
    expect(stuck.decide({ ...again, key: null })).toMatchObject({ code: 'TOO_MANY_ACTIONS' });
    expect(stuck.decide({ ...again, key: 'k10' })).toMatchObject({ reason: 'repeated' });
  });

  it('without a key is remembered for a minute, and one with a key for longer', () => {
    const stuck = new Stuck(['a']);
    stuck.retry(0);
    const keyless = { kind: 'retry_requested', actor: 'p', reason: 'r', key: null } as const;
    const decision = stuck.decide(keyless);
    if (decision.kind !== 'moved') throw new Error(decision.kind);
    expect(decision.task.doneActions.map(({ key }) => key)).toEqual(['k1', null]);
    stuck.task = { ...stuck.task, doneActions: decision.task.doneActions };
    stuck.now += 60_000;
    stuck.retry(0);
    expect(stuck.task.doneActions.map(({ key }) => key)).toEqual(['k1', 'k2']);
  });

  it('that ends a hold has the task say again why it turned, not why it waited', () => {
    const stuck = new Stuck(['a', 'b']);
    expect(stuck.task.message).toBe('rollback of step b (m.go) failed: no');
    expect(stuck.task.turned).toEqual({
      at: 1_000_000,
      why: 'step_failed',
      message: 'step b (m.go) failed: no',
      cause: { code: 'FAILED', step: 'b', message: 'no' },
      to: null,
      by: null,
    });
    stuck.task = { ...stuck.task, journal: Journal.of([]) };
    stuck.retry();
    expect(stuck.task.message).toBe('step b (m.go) failed: no');
    expect([stuck.task.way, stuck.task.hold]).toEqual(['back', null]);
  });
});
