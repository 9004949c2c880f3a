import { describe, expect, it } from '@jest/globals';
import { type Action, NO_RETRY, type RetryPolicy } from '../flow/action.js';
import { createTask } from '../transitions/create-task.js';
import { DEFAULT_TIMING, type TaskEvent } from './event.js';
import type { StepPlan } from '../flow/flow.js';
import type { Dispatch } from './message.js';
import type { Task } from './task.js';
import { dispatchesOf, transition } from '../transitions/transition.js';

const PRIORITY = 30;
const START = 1_000_000;

/** A task of a chain a, b on a clock that only the test moves, and its last message. */
class Run {
  now = START;
  task: Task;
  sent: Dispatch | undefined;

  constructor(retry: Partial<RetryPolicy> = {}, second = {}) {
    const action: Action = {
      module: 'm',
      command: 'go',
      timeoutMs: 600_000,
      attemptTimeoutMs: null,
      retry: { ...NO_RETRY, ...retry },
      onCrash: { restarts: 3 },
      parameters: null,
    };
    const step = (name: string, needs: number[]): StepPlan => {
      return { name, needs, normal: action, rollback: action };
    };
    const steps = [step('a', []), { ...step('b', [0]), ...second } as StepPlan];
    const definition = { name: 'f', description: null, input: null, timeoutMs: null, steps };
    const request = { parameters: {}, priority: PRIORITY };
    const options = { taskId: 't', moment: this.moment };
    const created = createTask({ definition, version: 1 }, request, options);
    this.task = created.task;
    this.sent = dispatchesOf(created.task, created.queued)[0];
  }

  private get moment() {
    return { now: this.now, chance: 0, timing: DEFAULT_TIMING };
  }

  apply(event: TaskEvent): void {
    const decision = transition(this.task, event, { moment: this.moment });
    if (decision.kind !== 'moved') throw new Error(decision.kind);
    this.task = decision.task;
    this.sent = dispatchesOf(decision.task, decision.queued)[0];
  }

  claim(attempt = 1, step = 0): void {
    const claimed = { kind: 'claimed', direction: 'normal', step, attempt } as const;
    this.apply({ ...claimed, owner: 'e' });
  }

  get report() {
    const token = this.task.runs[0]?.normal.lease?.token ?? 0;
    return { direction: 'normal', step: 0, token } as const;
  }

  tick(): void {
    this.apply({ kind: 'tick', crowded: new Map(), ended: new Set(['e']) });
  }
}

const FAILURE = { kind: 'failed', terminal: false, failure: 'FAILED', message: 'no' } as const;
const headStart = (at: number) => at - PRIORITY * 1_000;

describe('the order time of a queued action', () => {
  it('is the creation less the head start, for a step that needs no other', () => {
    const run = new Run();
    expect(run.task.runs[0]?.normal.orderAt).toBe(headStart(START));
    expect(run.sent?.orderAt).toBe(headStart(START));
  });

  it('is the success before it less the head start, for a step that follows', () => {
    const run = new Run();
    run.claim();
    run.now += 7_000;
    run.apply({ kind: 'succeeded', ...run.report, output: null });
    expect(run.sent).toMatchObject({ orderAt: headStart(START + 7_000), message: { step: 'b' } });
  });

  it('has the head start of a step that has one of its own, on the way back as well', () => {
    const run = new Run({}, { priority: -5 });
    run.claim();
    run.now += 7_000;
    run.apply({ kind: 'succeeded', ...run.report, output: null });
    const own = { priority: -5, message: { step: 'b' } };
    expect(run.sent).toMatchObject({ ...own, orderAt: START + 7_000 + 5_000 });
    run.claim(1, 1);
    run.now += 1_000;
    run.apply({ ...FAILURE, terminal: true, ...run.report, step: 1, token: 2 });
    expect(run.sent).toMatchObject({ ...own, orderAt: START + 8_000 + 5_000 });
    expect(run.sent?.message.type).toBe(1);
  });

  it('is the failure and the wait after it, without a head start', () => {
    const run = new Run({ attempts: 2, backoff: 'fixed', delayMs: 5_000 });
    run.claim();
    run.now += 1_000;
    run.apply({ ...FAILURE, ...run.report });
    // Found late: the wait counts, not who found it when.
    run.now += 9_000;
    run.tick();
    expect(run.sent?.orderAt).toBe(START + 6_000);
  });

  it('is the failure itself where the next attempt waits for nothing', () => {
    const run = new Run({ attempts: 2 });
    run.claim();
    run.now += 1_000;
    run.apply({ ...FAILURE, ...run.report });
    expect(run.sent?.orderAt).toBe(START + 1_000);
  });

  it('is when governance found a lost lease, without a head start', () => {
    const run = new Run({ attempts: 2 });
    run.claim();
    run.now += 20_000;
    run.tick();
    expect(run.sent?.orderAt).toBe(START + 20_000);
  });

  it('is the end of the wait less the head start, for a look at work that is not finished', () => {
    const run = new Run();
    run.claim();
    run.apply({ kind: 'not_finished', ...run.report, afterMs: 3_000, message: 'not yet' });
    run.now += 4_000;
    run.tick();
    expect(run.sent?.orderAt).toBe(headStart(START + 3_000));
  });

  it('stays when its message is sent again, by governance or after a restart', () => {
    const run = new Run();
    run.now += 60_000;
    run.tick();
    expect(run.sent?.orderAt).toBe(headStart(START));
    run.apply({ kind: 'restarted', owner: 'e2' });
    expect(run.sent?.orderAt).toBe(headStart(START));
  });

  it('is of nobody who is not queued', () => {
    const run = new Run();
    run.claim();
    expect(run.task.runs[0]?.normal.orderAt).toBeNull();
    run.now += 1_000;
    run.apply({ kind: 'succeeded', ...run.report, output: null });
    run.apply({ kind: 'terminate_requested', actor: 'p', reason: 'r', key: null });
    const runs = run.task.runs.flatMap(({ normal, rollback }) => [normal, rollback]);
    expect(runs.map((each) => each?.orderAt)).toEqual([null, null, null, null]);
  });
});
