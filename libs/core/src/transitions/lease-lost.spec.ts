import { describe, expect, it } from '@jest/globals';
import { type Action, type CrashPolicy, NO_RETRY } from '../flow/action.js';
import { createTask } from './create-task.js';
import { DEFAULT_TIMING, type TaskEvent } from '../task/event.js';
import { FAILURE_CODES } from '../task/failure.js';
import { TASK_STATUS } from '../task/status.js';
import type { Task } from '../task/task.js';
import { transition } from './transition.js';
import type { ActionRun } from '../task/action-run.js';

const LEASE_MS = 10_000;
const TIMEOUT_MS = 300_000;

/** A task of one step with an undo, on a clock that only the test moves. */
class Play {
  now = 1_000;
  task: Task;

  constructor(action: Partial<Action>) {
    const plain = { timeoutMs: TIMEOUT_MS, attemptTimeoutMs: null, parameters: null };
    const policy = { retry: NO_RETRY, onCrash: { restarts: 2 }, ...action };
    const half = (command: string): Action => ({ module: 'm', command, ...plain, ...policy });
    const steps = [{ name: 'a', needs: [], normal: half('a'), rollback: half('undo') }];
    const definition = { name: 'f', description: null, input: null, timeoutMs: null, steps };
    const options = { taskId: 't', moment: this.moment() };
    this.task = createTask({ definition, version: 1 }, { parameters: {} }, options).task;
  }

  private moment() {
    return { now: this.now, chance: 0, timing: DEFAULT_TIMING };
  }

  apply(event: TaskEvent): this {
    const decision = transition(this.task, event, { moment: this.moment() });
    if (decision.kind !== 'moved') throw new Error(decision.kind);
    this.task = decision.task;
    return this;
  }

  run(direction: 'normal' | 'rollback' = 'normal'): ActionRun {
    const run = this.task.runs[0]![direction];
    if (run === null) throw new Error(`there is no ${direction}`);
    return run;
  }

  claim(direction: 'normal' | 'rollback' = 'normal'): this {
    const attempt = this.run(direction).attempts + 1;
    const claim = { kind: 'claimed', direction, step: 0, attempt } as const;
    return this.apply({ ...claim, owner: 'e' });
  }

  /** Whatever runs, runs in a session that has ended. */
  tick(afterMs = LEASE_MS): this {
    this.now += afterMs;
    return this.apply({ kind: 'tick', crowded: new Map(), ended: new Set(['e']) });
  }

  /** The process that runs the action dies. */
  crash(direction: 'normal' | 'rollback' = 'normal'): this {
    return this.claim(direction).tick();
  }

  fail(direction: 'normal' | 'rollback' = 'normal'): this {
    const token = this.claim(direction).run(direction).lease!.token;
    const report = { direction, step: 0, token, terminal: false } as const;
    return this.apply({ kind: 'failed', ...report, failure: 'FAILED', message: 'no' });
  }

  kinds(): readonly string[] {
    return this.task.journal.entries().map(({ kind }) => kind);
  }
}

const play = (onCrash: CrashPolicy = { restarts: 2 }, more: Partial<Action> = {}) =>
  new Play({ onCrash, ...more });

describe('an attempt that was lost with its process', () => {
  it('uses up no retry: the action is queued again, and the journal says so', () => {
    const lost = play().crash();
    expect(lost.run()).toMatchObject({ state: 'queued', attempts: 1, spent: 0, crashes: 1 });
    expect(lost.run()).toMatchObject({
      code: FAILURE_CODES.LEASE_LOST,
      lease: null,
      dispatches: 1,
    });
    expect(lost.kinds().slice(-2)).toEqual(['lease_lost', 'restart_scheduled']);
    expect(lost.task.journal.at(-1)).toMatchObject({ step: 'a', direction: 'normal', attempt: 1 });
    expect(lost.claim().run()).toMatchObject({ attempts: 2, lease: { token: 2 } });
  });

  it('leaves the retries to failures: each of them is there after all restarts', () => {
    const retry = { ...NO_RETRY, attempts: 2 };
    const tried = play({ restarts: 2 }, { retry }).crash().fail().crash();
    expect(tried.run()).toMatchObject({ state: 'queued', attempts: 3, spent: 1, crashes: 2 });
    expect(tried.fail().task.status).toBe(TASK_STATUS.rolling_back);
    expect(tried.run()).toMatchObject({ attempts: 4, code: FAILURE_CODES.FAILED });
  });

  it('has failed once the restarts are used up, which bounds a command that kills', () => {
    const twice = play().crash().crash();
    expect(twice.task.status).toBe(TASK_STATUS.running);
    expect(twice.crash().task.status).toBe(TASK_STATUS.rolling_back);
    expect(twice.run()).toMatchObject({ state: 'failed', attempts: 3, spent: 1, crashes: 3 });
    expect(twice.run().code).toBe(FAILURE_CODES.LEASE_LOST);
  });

  it('is a failure like any other beyond its restarts: the retries are tried then', () => {
    const retry = { ...NO_RETRY, attempts: 2, backoff: 'fixed', delayMs: 500 } as const;
    const beyond = play({ restarts: 1 }, { retry }).crash().crash();
    expect(beyond.run()).toMatchObject({ state: 'waiting', spent: 1, crashes: 2 });
    expect(beyond.tick().crash().task.status).toBe(TASK_STATUS.rolling_back);
  });

  it('is not started again when the time for all attempts is over', () => {
    const late = play().claim().tick(TIMEOUT_MS);
    expect(late.run()).toMatchObject({ state: 'timed_out', attempts: 1 });
    expect(late.kinds()).not.toContain('restart_scheduled');
  });

  it('is not started again when the task goes back meanwhile', () => {
    const person = { actor: 'p', reason: 'r', key: null };
    const turned = play().claim();
    turned.apply({ kind: 'rollback_requested', ...person }).tick();
    expect(turned.run()).toMatchObject({ state: 'terminated', code: FAILURE_CODES.CALLED_OFF });
    expect(turned.kinds()).not.toContain('restart_scheduled');
    expect(turned.run('rollback').state).toBe('queued');
  });

  it('is taken up by a process that starts anew in the same way', () => {
    const restarted = play().claim();
    restarted.apply({ kind: 'restarted', owner: 'its next life' });
    expect(restarted.run()).toMatchObject({ state: 'queued', spent: 0, crashes: 1 });
  });

  it('costs no restart while it only looks at what goes on elsewhere', () => {
    const looking = play({ restarts: 0 }).claim();
    const report = { direction: 'normal', step: 0, token: 1, afterMs: 1_000 } as const;
    looking.apply({ kind: 'not_finished', ...report }).tick(1_000);
    const look = { kind: 'claimed', direction: 'normal', step: 0, attempt: 1 } as const;
    looking.apply({ ...look, owner: 'e' }).tick();
    expect(looking.run()).toMatchObject({ state: 'queued', look: 'again', crashes: 0 });
  });
});

describe('an action that must not be started twice', () => {
  const retry = { ...NO_RETRY, attempts: 5 };

  it('has failed for good when its process dies, and is undone', () => {
    const lost = play('fail', { retry }).crash();
    expect(lost.run()).toMatchObject({ state: 'failed', code: FAILURE_CODES.LEASE_LOST });
    expect(lost.task.status).toBe(TASK_STATUS.rolling_back);
    expect(lost.run('rollback').state).toBe('queued');
  });

  it('calls a person when it is a rollback', () => {
    const lost = play('fail', { retry }).crash().crash('rollback');
    expect(lost.task.status).toBe(TASK_STATUS.rollback_failed);
    expect(lost.run('rollback')).toMatchObject({ state: 'failed', attempts: 1 });
  });

  it('has failed when its executor stops in the middle of it', () => {
    const stopped = play('fail', { retry }).claim();
    const report = { direction: 'normal', step: 0, token: 1, message: 'stopping' } as const;
    stopped.apply({ kind: 'handed_back', ...report });
    expect(stopped.run()).toMatchObject({ state: 'failed', code: FAILURE_CODES.LEASE_LOST });
    expect(stopped.task.status).toBe(TASK_STATUS.rolling_back);
  });

  it('is tried again after a failure that its command tells of', () => {
    expect(play('fail', { retry }).fail().run()).toMatchObject({ state: 'queued', spent: 1 });
  });
});

describe('a rollback that was lost more often than it may be', () => {
  const stuck = (): Play => play().fail().crash('rollback').crash('rollback').crash('rollback');

  it('calls a person', () => {
    expect(stuck().task.status).toBe(TASK_STATUS.rollback_failed);
  });

  it('has all its restarts again when a person retries it', () => {
    const retried = stuck().apply({ kind: 'retry_requested', actor: 'p', reason: 'r', key: null });
    expect(retried.run('rollback')).toMatchObject({ state: 'queued', spent: 0, crashes: 0 });
    expect(retried.crash('rollback').task.status).toBe(TASK_STATUS.rolling_back);
  });
});
