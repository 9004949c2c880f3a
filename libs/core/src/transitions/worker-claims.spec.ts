import { describe, expect, it } from '@jest/globals';
import { type Action, NO_RETRY } from '../flow/action.js';
import type { FlowDefinition } from '../flow/flow.js';
import { lostReason } from '../scopes/lost-claim.js';
import type { ActionRun } from '../task/action-run.js';
import { DEFAULT_TIMING, type TaskEvent, type WorkerOutcome } from '../task/event.js';
import { DELIVERED_MS, STOP_WITHIN_MS, UNHELD_MAX } from '../task/lease-terms.js';
import { FAILURE_CODES } from '../task/failure.js';
import type { Task } from '../task/task.js';
import { REPORTS_MAX } from '../task/worker-report.js';
import { createTask } from './create-task.js';
import { type Decision, transition } from './transition.js';

const LENGTH_MS = 30_000;
const REF = { direction: 'normal', step: 0 } as const;
const PERSON = { actor: 'ann', reason: 'no', key: null } as const;

/** A task of one step with an undo that workers run, on a clock that only the test moves. */
class Play {
  now = 1_000;
  task: Task;

  constructor(action: Partial<Action> = {}, more: Partial<FlowDefinition> = {}) {
    const plain = { timeoutMs: 300_000, attemptTimeoutMs: null, parameters: null };
    const policy = { retry: NO_RETRY, onCrash: { restarts: 2 }, ...action };
    const half = (command: string): Action => ({ module: 'm', command, ...plain, ...policy });
    const steps = [{ name: 'a', needs: [], normal: half('a'), rollback: half('undo') }];
    const whole = { name: 'f', description: null, input: null, timeoutMs: null, steps };
    const definition = { ...whole, ...more };
    const options = { taskId: 't', moment: this.moment };
    this.task = createTask({ definition, version: 1 }, { parameters: {} }, options).task;
  }

  get moment() {
    return { now: this.now, chance: 0, timing: DEFAULT_TIMING };
  }

  get run(): ActionRun {
    return this.task.runs[0]!.normal;
  }

  get undo(): ActionRun {
    return this.task.runs[0]!.rollback!;
  }

  decide(event: TaskEvent): Decision {
    return transition(this.task, event, { moment: this.moment });
  }

  apply(event: TaskEvent): this {
    const decision = this.decide(event);
    if (decision.kind !== 'moved') throw new Error(JSON.stringify(decision));
    this.task = decision.task;
    return this;
  }

  claim(poll: string | null = 'p'): this {
    const attempt = this.run.attempts + 1;
    const worker = { lengthMs: LENGTH_MS, poll };
    return this.apply({ kind: 'claimed', ...REF, attempt, owner: 'w', worker });
  }

  renew(): this {
    return this.apply({ kind: 'renewed', ...REF, token: this.task.token });
  }

  /** The clock goes on, and whatever is due happens. */
  pass(ms: number): this {
    this.now += ms;
    const decision = this.decide({ kind: 'tick', crowded: new Map(), ended: new Set(['w']) });
    if (decision.kind === 'moved') this.task = decision.task;
    return this;
  }

  told(outcome: Partial<WorkerOutcome> = {}, token = this.task.token): TaskEvent {
    const full = { kind: 'succeeded', ...REF, token, output: null, ...outcome } as WorkerOutcome;
    const hash = JSON.stringify(outcome);
    return { kind: 'worker_reported', worker: 'w', hash, outcome: full };
  }

  tell(outcome: Partial<WorkerOutcome> = {}, token = this.task.token): this {
    return this.apply(this.told(outcome, token));
  }

  /** Claims that end before a heartbeat. */
  loseUnheld(times: number): this {
    for (let nth = 0; nth < times; nth += 1) this.claim().pass(DELIVERED_MS);
    return this;
  }
}

describe('a claim of a worker', () => {
  it('is delivered for a short time, whatever becomes of sessions', () => {
    const play = new Play().claim().pass(DELIVERED_MS - 1);
    expect(play.run).toMatchObject({ state: 'running', dueAt: 1_000 + DELIVERED_MS });
    expect(play.task.wakeAt).toBe(1_000 + DELIVERED_MS);
    const restart = play.decide({ kind: 'restarted', owner: 'g' });
    expect(restart).toEqual({ kind: 'ignored', reason: 'nothing_due' });
  });

  it('that ends before a heartbeat counts as nothing, and its step as one to undo', () => {
    const play = new Play().loseUnheld(1);
    const counts = { attempts: 0, spent: 0, crashes: 0, unheld: 1 };
    expect(play.run).toMatchObject({ state: 'queued', lease: null, ...counts });
    play.apply({ kind: 'rollback_requested', ...PERSON });
    expect(play.run.state).toBe('terminated');
    expect(play.undo.state).toBe('queued');
  });

  it('that ends so ten times in a row costs a restart each further time', () => {
    const play = new Play().loseUnheld(UNHELD_MAX);
    expect(play.run).toMatchObject({ attempts: 0, crashes: 0 });
    play.loseUnheld(2);
    expect(play.run).toMatchObject({ state: 'queued', attempts: 2, crashes: 2 });
    play.loseUnheld(1);
    expect(play.run).toMatchObject({ state: 'failed', crashes: 3 });
  });

  it('is not counted on once a heartbeat has come in between', () => {
    const play = new Play().loseUnheld(UNHELD_MAX).claim().renew();
    expect(play.pass(LENGTH_MS).run).toMatchObject({ state: 'queued', crashes: 1, spent: 0 });
    expect(play.loseUnheld(1).run).toMatchObject({ attempts: 1, crashes: 1 });
  });

  it('lasts as long as heartbeats come, up to the end of its attempt', () => {
    const play = new Play({ attemptTimeoutMs: 40_000 }).claim().renew();
    expect(play.run.dueAt).toBe(play.now + LENGTH_MS);
    play.pass(29_000).renew();
    expect(play.run.dueAt).toBe(1_000 + 40_000 + STOP_WITHIN_MS);
    play.pass(12_000).renew();
    expect(play.run.lease?.terms?.isCancelled).toBe(true);
    play.pass(STOP_WITHIN_MS);
    expect(play.run).toMatchObject({ state: 'failed', code: FAILURE_CODES.TIMED_OUT });
  });

  it('of an action that never starts twice has done nothing before a heartbeat', () => {
    const play = new Play({ onCrash: 'fail' }).loseUnheld(1);
    expect(play.run).toMatchObject({ state: 'queued', startedAt: null, unheld: 0 });
    play.apply({ kind: 'rollback_requested', ...PERSON });
    expect(play.task.outcome).toBe('rolled_back');
    const held = new Play({ onCrash: 'fail' }).claim().renew().pass(LENGTH_MS);
    expect(held.run).toMatchObject({ state: 'failed', code: FAILURE_CODES.LEASE_LOST });
  });
});

describe('a claim that is not wanted any more', () => {
  it('gets one last end, which no heartbeat moves, and is undone then', () => {
    const play = new Play().claim().renew();
    play.apply({ kind: 'rollback_requested', ...PERSON });
    play.pass(2_000).renew();
    const end = play.now + STOP_WITHIN_MS;
    expect(play.run).toMatchObject({ state: 'running', dueAt: end });
    play.pass(5_000);
    const again = play.decide({ kind: 'renewed', ...REF, token: play.task.token });
    expect(again).toEqual({ kind: 'ignored', reason: 'called_off' });
    expect(play.undo.state).toBe('pending');
    expect(play.pass(5_000).undo.state).toBe('queued');
  });

  it('goes on past the time of its task where the flow says so, and is undone after its end', () => {
    const play = new Play({}, { timeoutMs: 20_000, onTimeout: 'wait' }).claim().renew();
    play.pass(20_000).renew();
    expect([play.task.turned?.why, play.run.lease?.terms?.isCancelled]).toEqual([
      'task_timed_out',
      false,
    ]);
    play.pass(LENGTH_MS - 1).renew();
    expect(play.run).toMatchObject({ state: 'running', dueAt: play.now + LENGTH_MS });
    expect(play.undo.state).toBe('pending');
    expect([play.tell().run.state, play.undo.state]).toEqual(['succeeded', 'queued']);
  });
});

describe('an outcome of a worker', () => {
  it('counts after the end of its lease until somebody claims', () => {
    const play = new Play().claim().renew().pass(LENGTH_MS).tell();
    expect(play.run).toMatchObject({ state: 'succeeded', attempts: 1, crashes: 0, spent: 1 });
    const unheld = new Play().loseUnheld(1).tell();
    expect(unheld.run).toMatchObject({ state: 'succeeded', attempts: 1, unheld: 0 });
    const { task } = new Play().loseUnheld(1).claim().tell({}, 1);
    expect(task.reports).toMatchObject([{ token: 1, late: 'superseded' }]);
    expect(task.runs[0]?.normal).toMatchObject({ state: 'running', lease: { token: 2 } });
  });

  it('is taken once, and known again', () => {
    const play = new Play().claim().tell();
    expect(play.decide(play.told())).toEqual({ kind: 'ignored', reason: 'repeated' });
    const other = play.told({ kind: 'failed', terminal: true, failure: 'FAILED', message: '' });
    expect(play.decide(other)).toEqual({ kind: 'ignored', reason: 'differs' });
  });

  it('of an attempt whose time is over is the end of that time', () => {
    const failed = {
      kind: 'failed',
      terminal: false,
      failure: 'FAILED',
      message: 'stopped',
    } as const;
    const named = { ...failed, error: 'TIMED_OUT' };
    const late = { state: 'timed_out', code: FAILURE_CODES.TIMED_OUT, error: null };
    const play = new Play({ timeoutMs: 5_000 }).claim().renew();
    play.now += 5_000;
    expect(play.tell(named).run).toMatchObject(late);
    const stopped = new Play({ timeoutMs: 5_000 }).claim().renew();
    stopped.now += 5_000;
    expect(stopped.renew().tell({ ...failed, error: 'CANCELLED' }).run).toMatchObject(late);
    const again = new Play({
      attemptTimeoutMs: 5_000,
      retry: { ...NO_RETRY, attempts: 2 },
    }).claim();
    again.now += 5_000;
    expect(again.tell(named).run).toMatchObject({ code: FAILURE_CODES.TIMED_OUT, attempts: 1 });
    expect(again.run.state).not.toBe('failed');
    const own = new Play({ timeoutMs: 5_000 }).claim().renew();
    expect(own.tell(named).run).toMatchObject({ state: 'failed', error: 'TIMED_OUT' });
  });

  it('is remembered of the newest claims alone', () => {
    const play = new Play();
    for (let nth = 0; nth <= REPORTS_MAX; nth += 1) {
      play.claim().tell({ kind: 'handed_back', message: 'later' });
    }
    expect(play.task.reports).toHaveLength(REPORTS_MAX);
    expect(play.task.reports[0]?.token).toBe(2);
  });

  it('that hands back what a repeated poll may have shown counts as one to undo', () => {
    const play = new Play().claim('p');
    const { token } = play.task;
    const unread = {
      kind: 'handed_back',
      ...REF,
      token,
      message: 'unread',
      isUnseen: true,
    } as const;
    play.apply(unread);
    expect(play.run).toMatchObject({ state: 'queued', attempts: 0, unheld: 1 });
  });

  it('that hands back what its worker has shown to have changes nothing', () => {
    const play = new Play().claim('p').renew();
    const { token } = play.task;
    const unread = {
      kind: 'handed_back',
      ...REF,
      token,
      message: 'unread',
      isUnseen: true,
    } as const;
    expect(play.decide(unread)).toEqual({ kind: 'ignored', reason: 'held' });
  });

  it('that hands back what nobody has seen leaves no trace', () => {
    const play = new Play().claim(null);
    const { token } = play.task;
    play.apply({ kind: 'handed_back', ...REF, token, message: 'unread', isUnseen: true });
    expect(play.run).toMatchObject({ state: 'queued', attempts: 0, startedAt: null, unheld: 0 });
    expect(lostReason(play.task, { ...REF, token })).toBe('handed_back');
    play.tell({}, token);
    expect(play.run.state).toBe('queued');
  });

  it('that ended before its task was paused and turned back is not taken up again', () => {
    const play = new Play({ onCrash: 'fail' }).claim();
    const { token } = play.task;
    play.apply({ kind: 'pause_requested', ...PERSON }).pass(DELIVERED_MS);
    play.apply({ kind: 'rollback_requested', ...PERSON }).tell({}, token);
    expect(play.task.reports).toMatchObject([{ token, late: 'rolled_back' }]);
    expect(play.apply({ kind: 'resume_requested', ...PERSON }).task.outcome).toBe('rolled_back');
  });

  it('of a run that was reset at the end of its lease is no outcome of the next run', () => {
    const { normal } = new Play().task.plan.steps[0]!;
    const plain = { steps: [{ name: 'a', needs: [], normal: normal!, rollback: null }] };
    const play = new Play({}, plain).claim().renew();
    const { token } = play.task;
    play.apply({ kind: 'reset_requested', ...PERSON, to: 'a' }).pass(LENGTH_MS);
    expect(play.task.runs[0]).toMatchObject({ generation: 2, normal: { state: 'queued' } });
    play.tell({}, token);
    expect(play.run.state).toBe('queued');
    expect(play.task.reports).toMatchObject([{ token, late: 'superseded' }]);
  });

  it('tells why it came too late', () => {
    const ended = new Play()
      .claim()
      .renew()
      .apply({ kind: 'terminate_requested', ...PERSON });
    expect(ended.tell().task.reports).toMatchObject([{ late: 'terminated' }]);
    const back = new Play().claim().renew();
    back.apply({ kind: 'rollback_requested', ...PERSON }).pass(LENGTH_MS);
    expect(back.tell().task.reports).toMatchObject([{ late: 'rolled_back' }]);
    expect(back.task.journal.at(-1)).toMatchObject({ kind: 'reported_late', actor: 'w' });
  });
});
