import { describe, expect, it } from '@jest/globals';
import { type Action, NO_RETRY } from '../flow/action.js';
import { type ActionRun, mayHaveEffect } from '../task/action-run.js';
import { createTask } from './create-task.js';
import { DEFAULT_TIMING, type TaskEvent } from '../task/event.js';
import { FAILURE_CODES } from '../task/failure.js';
import { statusName } from '../task/status.js';
import type { Task } from '../task/task.js';
import { transition } from './transition.js';

const TIMEOUT_MS = 60_000;
const NEVER_TWICE: Partial<Action> = { onCrash: 'fail' };
const TWO_ATTEMPTS: Partial<Action> = { retry: { ...NO_RETRY, attempts: 2 } };

/** A task of one step whose command cannot be entered, on a clock that only the test moves. */
class Play {
  now = 1_000;
  task: Task;

  constructor(more: Partial<Action> = {}) {
    const plain = { timeoutMs: TIMEOUT_MS, attemptTimeoutMs: null, parameters: null };
    const half = (command: string): Action => {
      return { module: 'm', command, retry: NO_RETRY, onCrash: { restarts: 2 }, ...plain, ...more };
    };
    const steps = [{ name: 'a', needs: [], normal: half('a'), rollback: half('undo') }];
    const definition = { name: 'f', description: null, input: null, timeoutMs: null, steps };
    const options = { taskId: 't', moment: this.moment() };
    this.task = createTask({ definition, version: 1 }, { parameters: {} }, options).task;
  }

  get run(): ActionRun {
    return this.task.runs[0]!.normal;
  }

  claim(): this {
    const attempt = this.run.attempts + 1;
    return this.apply({ kind: 'claimed', direction: 'normal', step: 0, attempt, owner: 'e' });
  }

  /** Claimed, and given back after a second, to be tried again after two. */
  wait(): this {
    this.claim();
    this.now += 1_000;
    const wait = { afterMs: 2_000, lostMs: 1_000 };
    return this.apply({ kind: 'handed_back', ...this.report, message: 'it is away', wait });
  }

  /** The time of the wait is over. */
  wake(): this {
    this.now = this.run.dueAt ?? this.now;
    return this.apply({ kind: 'tick', crowded: new Map() });
  }

  get report() {
    return { direction: 'normal', step: 0, token: this.run.lease?.token ?? 0 } as const;
  }

  apply(event: TaskEvent): this {
    const decision = transition(this.task, event, { moment: this.moment() });
    if (decision.kind !== 'moved') throw new Error(decision.kind);
    this.task = decision.task;
    return this;
  }

  private moment() {
    return { now: this.now, chance: 0, timing: DEFAULT_TIMING };
  }
}

describe('an attempt that could not enter its command', () => {
  it.each([{}, NEVER_TWICE])('waits, costs no attempt and had no effect (%j)', (more) => {
    const play = new Play(more).wait();
    expect(play.run).toMatchObject({
      state: 'waiting',
      code: FAILURE_CODES.SECRET_STORE_AWAY,
      message: 'it is away',
      dueAt: play.now + 2_000,
      spent: 0,
      lease: null,
    });
    expect(mayHaveEffect(play.run)).toBe(false);
    expect(play.task.wakeAt).toBe(play.run.dueAt);
  });

  it('begins its time anew, however long that takes', () => {
    const play = new Play();
    for (let nth = 0; nth < 100; nth += 1) play.wait().wake();
    play.claim();
    expect(play.now).toBeGreaterThan(TIMEOUT_MS);
    expect(play.run).toMatchObject({ state: 'running', deadline: play.now + TIMEOUT_MS, spent: 1 });
    play.apply({ kind: 'succeeded', ...play.report, output: null });
    expect(statusName(play.task.status)).toBe('succeeded');
  });

  it('puts the end of its time off where an earlier attempt had entered it', () => {
    const play = new Play(TWO_ATTEMPTS).claim();
    const { deadline } = play.run;
    play.apply({
      kind: 'failed',
      ...play.report,
      terminal: false,
      failure: 'FAILED',
      message: 'no',
    });
    play.wait();
    expect(play.run).toMatchObject({ deadline: (deadline ?? 0) + 3_000, spent: 1, refused: 1 });
    expect(mayHaveEffect(play.run)).toBe(true);
  });

  it('is not undone where it is refused afterwards', () => {
    const play = new Play().wait().wake().claim();
    const refusal = { terminal: true, failure: 'SECRET_NOT_FOUND', refused: true } as const;
    play.apply({ kind: 'failed', ...play.report, ...refusal, message: 'gone' });
    expect(statusName(play.task.status)).toBe('rolled_back');
    expect(play.task.runs[0]?.rollback?.attempts).toBe(0);
  });

  it('ends where the task goes back meanwhile', () => {
    const play = new Play().wait();
    play.apply({ kind: 'rollback_requested', actor: 'ann', reason: 'why', key: null });
    expect(statusName(play.task.status)).toBe('rolled_back');
    expect(play.task.runs[0]?.rollback?.attempts).toBe(0);
  });

  it('is not undone where the task went back while it was in hand', () => {
    const play = new Play().claim();
    play.apply({ kind: 'rollback_requested', actor: 'ann', reason: 'why', key: null });
    const wait = { afterMs: 0, lostMs: 0 };
    play.apply({ kind: 'handed_back', ...play.report, message: 'it is away', wait });
    expect(statusName(play.task.status)).toBe('rolled_back');
    expect(play.task.runs[0]?.rollback?.attempts).toBe(0);
  });
});
