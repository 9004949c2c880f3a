import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  DEFAULT_TIMING,
  type FlowDefinition,
  NO_RETRY,
  type StepPlan,
  type Task,
  TASK_STATUS,
  type TaskEvent,
} from '#core';
import { createTask, transition } from '#core/transitions';
import { action, chain, fails, flow, settle } from '#testing';
import { misfits } from '../docs/misfits-spec.js';
import { Gateway } from '../gateway-spec.js';
import type { Surroundings } from './cause.js';
import { explainTask } from './explain-task.js';

const START = 1_800_000_000_000;
const REF = { direction: 'normal', step: 0 } as const;
const FAILED = { kind: 'failed', ...REF, token: 1, failure: 'FAILED', message: 'no' } as const;
const PERSON = { actor: 'ann', reason: 'because', key: null } as const;
const CLAIMED: TaskEvent = { kind: 'claimed', ...REF, attempt: 1, owner: 'p1' };

const EXECUTOR = {
  instance: 'p1',
  module: 'm',
  version: '1',
  host: 'h',
  pid: 1,
  commands: ['a', 'undo_a', 'raise_alert'],
  since: START,
  seenAt: START,
  silentSince: null,
  busy: 0,
  slots: 64,
};
const SESSION = { session: 'p1', beat: 1, leaseMs: 10_000, isOver: false };

function around(more: Partial<Surroundings> = {}): Surroundings {
  return {
    now: START + 60_000,
    executors: [EXECUTOR],
    sessions: [SESSION],
    depths: new Map(),
    receivers: new Map(),
    refusals: new Map(),
    lines: new Map(),
    limits: new Map(),
    hiddenHolders: new Set(),
    ring: [],
    stillHolders: new Map(),
    seesModule: () => true,
    redispatchAfterMs: DEFAULT_TIMING.redispatchAfterMs,
    brokerObstacle: null,
    storeMs: 2,
    estimate: null,
    usual: new Map(),
    alertTask: null,
    below: new Map(),
    ...more,
  };
}

/** A task after these events, each a second after the one before. */
function after(definition: FlowDefinition, ...events: TaskEvent[]): Task {
  const moment = (n: number) => ({ now: START + n * 1_000, chance: 0.5, timing: DEFAULT_TIMING });
  const made = createTask(
    { definition, version: 1 },
    { parameters: {} },
    { taskId: 't', moment: moment(0) },
  );
  return events.reduce((task, event, n) => {
    const decision = transition(task, event, { moment: moment(n + 1) });
    if (decision.kind !== 'moved') throw new Error(`${event.kind} did not move the task`);
    return decision.task;
  }, made.task);
}

function explain(task: Task, more: Partial<Surroundings> = {}) {
  return explainTask({ task, ...around(more) });
}

function codes(task: Task, more: Partial<Surroundings> = {}): string[] {
  const { causes } = explain(task, more);
  for (const { evidence, message, next } of causes) {
    expect(message).not.toBe('');
    expect(Object.keys(evidence).length).toBeGreaterThan(0);
    expect(next.length).toBeGreaterThan(0);
  }
  return causes.map(({ code }) => code);
}

const one = (more: Partial<StepPlan> = {}): FlowDefinition => {
  return flow([{ ...chain(['a']).steps[0]!, ...more } as StepPlan]);
};
const ASKING = { name: 'a', needs: [], rollback: null };
const asked = (step: StepPlan): FlowDefinition => flow([step]);

describe('why a task does not move', () => {
  it('child tasks that have not ended', () => {
    const foreach = {
      ...{ in: [1, 2, 3], as: 'x', concurrency: 2, successPercent: 100 },
      ...{ steps: chain(['a']).steps, flow: null, parameters: null },
    };
    const task = after(flow([{ name: 'a', needs: [], foreach }]));
    // As well before somebody looks after them again.
    for (const now of [START + 100, START + 60_000]) {
      expect(explain(task, { now })).toMatchObject({
        moving: true,
        causes: [{ code: 'WAITS_FOR_CHILDREN', evidence: { step: 'a', way: 'forward', total: 3 } }],
      });
    }
  });

  it('child tasks that were started and not counted yet', () => {
    const foreach = {
      ...{ in: [1, 2, 3], as: 'x', concurrency: 2, successPercent: 100 },
      ...{ steps: chain(['a']).steps, flow: null, parameters: null },
    };
    const counts = { found: 0, active: 0, failed: 0, held: 0, succeeded: 0 };
    const begun: TaskEvent = { kind: 'children_counted', run: 'a#1', counts };
    const task = after(flow([{ name: 'a', needs: [], foreach }]), begun);
    expect(explain(task).causes[0]).toMatchObject({
      evidence: { total: 3, started: 2, active: 2 },
      message: expect.stringContaining('2 open (no more at a time)'),
    });
  });

  it('a child task that is undone before its item begins anew', () => {
    const foreach = {
      ...{ in: [1], as: 'x', concurrency: 1, successPercent: 100 },
      ...{ steps: chain(['a']).steps, flow: null, parameters: null },
    };
    const counts = { found: 0, active: 0, failed: 0, held: 0, succeeded: 0 };
    const begun: TaskEvent = { kind: 'children_counted', run: 'a#1', counts };
    const done = { ...begun, counts: { ...counts, found: 1, succeeded: 1 }, results: [] };
    const person = { actor: 'ann', reason: 'why', key: null };
    const children = { run: 'a#1', index: 0, isDone: true };
    const reset: TaskEvent = { kind: 'reset_requested', ...person, to: 'a', children };
    const task = after(flow([{ name: 'a', needs: [], foreach }]), begun, done, reset);
    expect(explain(task).causes[0]).toMatchObject({
      code: 'WAITS_FOR_CHILDREN',
      message: expect.stringContaining('waits for a child task to be undone'),
    });
  });

  it('a module that nobody serves', () => {
    const explained = explain(after(one()), { executors: [] });
    expect(explained).toMatchObject({
      moving: false,
      causes: [
        {
          code: 'MODULE_NOT_SERVED',
          since: new Date(START).toISOString(),
          evidence: { step: 'a', module: 'm', command: 'a', executors: 0, silent: 0 },
          next: [{ action: 'start_executor' }, { action: 'rollback' }],
        },
      ],
    });
  });

  it('a module of which every executor has fallen silent', () => {
    const silent = { ...EXECUTOR, silentSince: START + 54_000 };
    const { causes } = explain(after(one()), { executors: [silent] });
    expect(causes).toMatchObject([
      {
        code: 'MODULE_NOT_SERVED',
        message: expect.stringContaining('no executor of m has been seen for 6 s.'),
        evidence: { executors: 0, silent: 1 },
      },
    ]);
    expect(codes(after(one()), { executors: [silent, EXECUTOR] })).toEqual(['QUEUED']);
  });

  it('a command that no build of the module has', () => {
    const older = { ...EXECUTOR, commands: ['c', 'b'] };
    const { causes } = explain(after(one()), { executors: [older] });
    expect(causes).toMatchObject([
      {
        code: 'COMMAND_NOT_SERVED',
        message: expect.stringMatching(/no executor of m has the command a; it has b, c\.$/),
        since: new Date(START).toISOString(),
        evidence: { module: 'm', command: 'a', commands: ['b', 'c'] },
      },
    ]);
    const hidden = { executors: [older], seesModule: () => false };
    expect(explain(after(one()), hidden).causes[0]?.message).toMatch(/has the command a\.$/);
  });

  it('a queue that is long, a message that was lost, and one that is on its way', () => {
    const task = after(one());
    expect(codes(task, { depths: new Map([['m', 9]]) })).toEqual(['QUEUE_DEEP']);
    const told = (busy: number, depth: number) => {
      const seen = { executors: [{ ...EXECUTOR, busy }], depths: new Map([['m', depth]]) };
      return explain(task, seen).causes[0]?.message;
    };
    expect(told(64, 2)).toMatch(/: 2 messages wait for m; its executors are busy \(64 of 64\)\.$/);
    expect(told(0, 1)).toMatch(
      /: 1 message waits for m; its executors had room when last seen 60 s ago\.$/,
    );
    const again: TaskEvent = { kind: 'tick', crowded: new Map() };
    const later = { now: START + 6_000, chance: 0.5, timing: DEFAULT_TIMING };
    const sent = transition(task, again, { moment: later });
    expect(sent.kind === 'moved' && codes(sent.task)).toEqual(['DISPATCH_LOST']);
    expect(codes(task)).toEqual(['QUEUED']);
    expect(explain(task).moving).toBe(true);
  });

  it('a message that is in no queue, before it is sent again', () => {
    const task = after(one());
    const isLost = (ms: number, executor: object, depth: number | null): boolean => {
      const seen = { executors: [{ ...EXECUTOR, ...executor }], depths: new Map([['m', depth]]) };
      return codes(task, { now: START + ms, ...seen }).includes('DISPATCH_LOST');
    };
    expect(isLost(2_501, {}, 0)).toBe(true);
    // It may be on its way yet, or wait in an executor; or nobody knows.
    expect(isLost(2_500, {}, 0)).toBe(false);
    expect(isLost(2_501, { busy: 64 }, 0)).toBe(false);
    expect(isLost(2_501, {}, null)).toBe(false);
    const { causes } = explain(task, { depths: new Map([['m', 0]]) });
    expect(causes[0]?.message).toMatch(
      /its message is in no queue: it was lost, or no executor took it/,
    );
  });

  it("the broker's own words where it takes no message of the module", () => {
    const message = 'The broker has not taken the last message for backstep.m: no room.';
    const refusal = { kind: 'not_sent', module: 'm', message, since: START } as const;
    const around = { refusals: new Map([['m', refusal]]), depths: new Map([['m', 9]]) };
    const { causes, moving } = explain(after(one()), around);
    expect(causes).toMatchObject([
      {
        code: 'MESSAGE_REFUSED',
        message: expect.stringContaining(message),
        since: new Date(START).toISOString(),
        next: [{ action: 'check_broker' }, { action: 'wait' }],
      },
    ]);
    expect(moving).toBe(false);
    const [hidden] = explain(after(one()), { ...around, seesModule: () => false }).causes;
    expect(JSON.stringify(hidden)).not.toContain('no room');
    const other = { refusals: new Map([['other', { ...refusal, module: 'other' }]]) };
    expect(codes(after(one()), other)).toEqual(['QUEUED']);
  });

  it('executors that live and are not subscribed, rather than a long queue', () => {
    const depths = new Map([['m', 9]]);
    expect(codes(after(one()), { depths, receivers: new Map([['m', 0]]) })).toEqual([
      'NOT_SUBSCRIBED',
    ]);
    for (const receivers of [1, null]) {
      const around = { depths, receivers: new Map([['m', receivers]]) };
      expect(codes(after(one()), around)).toEqual(['QUEUE_DEEP']);
    }
  });

  it('no figures of a module to somebody who does not see it', () => {
    const hidden = { seesModule: () => false };
    const idle: Partial<Surroundings> = { executors: [], ...hidden };
    const busy: Partial<Surroundings> = { depths: new Map([['m', 9]]), ...hidden };
    for (const [around, code] of [
      [idle, 'MODULE_NOT_SERVED'],
      [busy, 'QUEUE_DEEP'],
    ] as const) {
      const [cause] = explain(after(one()), around).causes;
      expect(cause?.code).toBe(code);
      expect(cause?.message).not.toContain('9');
      for (const name of ['executors', 'silent', 'queued', 'busy', 'slots']) {
        expect(cause?.evidence).not.toHaveProperty(name);
      }
    }
  });

  it('a broker that is away', () => {
    const { causes, moving } = explain(after(one()), { brokerObstacle: 'connection refused' });
    expect(causes.map(({ code }) => code)).toEqual(['BROKER_AWAY']);
    expect(moving).toBe(false);
  });

  it('a store that is slow', () => {
    expect(codes(after(one(), CLAIMED), { storeMs: 4_000 })).toEqual(['STORE_SLOW', 'RUNNING']);
  });

  it('a command that runs, one that should have ended, and one whose process is gone', () => {
    const task = after(one(), CLAIMED);
    expect(explain(task)).toMatchObject({
      moving: true,
      causes: [{ code: 'RUNNING', evidence: { owner: 'p1', attempt: 1 } }],
    });
    expect(codes(task, { now: START + 120_000 })).toEqual(['RUNNING_LATE']);
    expect(codes(task, { sessions: [{ ...SESSION, isOver: true }] })).toEqual(['OWNER_LOST']);
    expect(codes(task, { sessions: [] })).toEqual(['OWNER_LOST']);
    const told = explain(task, { sessions: [] }).causes[0]?.message;
    expect(told).toContain('takes over after the deadline');
    expect(codes(task, { sessions: null })).toEqual(['RUNNING']);
  });

  it('a command of a process that has fallen silent, before its lease ends', () => {
    const executors = [{ ...EXECUTOR, silentSince: START + 54_000 }];
    const { causes, moving } = explain(after(one(), CLAIMED), { executors });
    expect(causes).toMatchObject([
      {
        code: 'LEASE_ENDING',
        message: expect.stringContaining('p1, which has been silent for 6 s.'),
        evidence: { owner: 'p1', leaseMs: 10_000, silentSince: expect.any(String) },
        next: [{ action: 'wait' }, { action: 'check_executor' }],
      },
    ]);
    expect(moving).toBe(false);
  });

  it('a command of a worker that has fallen silent, before its lease ends', () => {
    const worker = { lengthMs: 300_000, poll: null };
    const silent = { ...EXECUTOR, worker: true as const, silentSince: START + 20_000 };
    const task = after(one(), { ...CLAIMED, worker });
    expect(explain(task, { executors: [silent], now: START + 10_000 }).causes).toMatchObject([
      {
        code: 'LEASE_ENDING',
        message: expect.stringContaining('p1, which has been silent for'),
        evidence: { silentSince: expect.any(String), leaseUntil: expect.any(String) },
      },
    ]);
  });

  it('a command that takes longer than it did in 95 of 100 past tasks', () => {
    const task = after(one({ normal: action('m.a', { timeoutMs: 900_000 }) }), CLAIMED);
    const usual = (p95Ms: number) => ({ usual: new Map([['a', { p95Ms, tasks: 20 }]]) });
    expect(codes(task, usual(59_000))).toEqual(['RUNNING']);
    const { causes, moving } = explain(task, usual(20_000));
    expect(causes).toMatchObject([
      {
        code: 'RUNNING_LONG',
        message: expect.stringContaining('95 of 100 past tasks needed at most 20 s for it.'),
        evidence: { p95: 20, tasks: 20 },
      },
    ]);
    expect(moving).toBe(true);
  });

  it('a retry that is yet to come, and a look that is', () => {
    const retry = {
      attempts: 3,
      backoff: 'fixed',
      delayMs: 90_000,
      maxDelayMs: null,
      jitter: false,
    } as const;
    const definition = one({ normal: action('m.a', { retry, timeoutMs: 900_000 }) });
    const failed = after(definition, CLAIMED, { ...FAILED, terminal: false });
    expect(explain(failed)).toMatchObject({
      moving: true,
      causes: [{ code: 'RETRY_LATER', evidence: { attempts: 1, attemptsMax: 3, message: 'no' } }],
    });
    const open: TaskEvent = { kind: 'not_finished', ...REF, token: 1, afterMs: 30_000 };
    expect(codes(after(one(), CLAIMED, open))).toEqual(['LOOKS_AGAIN']);
  });

  it('a completion from outside, which its command is not asked for', () => {
    const later: TaskEvent = { kind: 'completes_later', ...REF, token: 1, timeoutMs: 90_000 };
    const explained = explain(after(one(), CLAIMED, later));
    expect(explained).toMatchObject({
      moving: false,
      causes: [
        {
          code: 'WAITS_FOR_COMPLETION',
          message: expect.stringMatching(/^Step a waits for its completion .* times out at 20/),
          next: [{ action: 'complete', step: 'a' }],
        },
      ],
    });
    expect(JSON.stringify(explained)).not.toContain('called again');
  });

  it('a command at work, with how long it may take', () => {
    const [cause] = explain(after(one(), CLAIMED)).causes;
    expect(cause?.message).toBe('Step a has been running for 59 s of at most 60 s on p1.');
  });

  it('a secret store that does not answer', () => {
    const wait = { afterMs: 30_000, lostMs: 1 };
    const message = 'a secret store does not answer: Vault is sealed';
    const away: TaskEvent = { kind: 'handed_back', ...REF, token: 1, message, wait };
    expect(explain(after(one(), CLAIMED, away))).toMatchObject({
      moving: false,
      causes: [
        {
          code: 'SECRET_STORE_AWAY',
          evidence: { message },
          next: [{ action: 'wait' }, { action: 'check_secrets' }],
        },
      ],
    });
  });

  it('a signal, an approval and a time that it waits for', () => {
    const signal = { signal: 'paid', timeoutMs: null, onTimeout: 'fail' } as const;
    expect(explain(after(asked({ ...ASKING, wait: signal })))).toMatchObject({
      moving: false,
      causes: [
        { code: 'WAITS_FOR_SIGNAL', evidence: { signal: 'paid' }, next: [{ action: 'signal' }] },
      ],
    });
    const approve = {
      title: 'Sure?',
      roles: ['lead'],
      timeoutMs: null,
      onTimeout: 'fail',
    } as const;
    expect(explain(after(asked({ ...ASKING, approve })))).toMatchObject({
      causes: [{ code: 'WAITS_FOR_APPROVAL', evidence: { title: 'Sure?', roles: ['lead'] } }],
    });
    const time = after(asked({ ...ASKING, wait: { for: 600_000 } }));
    expect(codes(time)).toEqual(['WAITS_FOR_TIME']);
  });

  it('an expression that is being worked out', () => {
    const normal = action('m.a', { parameters: { id: '{% n %}' } });
    expect(codes(after(one({ normal })))).toEqual(['EXPRESSION_OPEN']);
  });

  it('a person who paused it', () => {
    const task = after(one(), { kind: 'pause_requested', ...PERSON });
    expect(explain(task)).toMatchObject({
      moving: false,
      causes: [{ code: 'PAUSED', evidence: { by: 'ann' }, next: [{ action: 'resume' }] }],
    });
  });

  it('a hold, without an end and with one', () => {
    const fail: TaskEvent = { ...FAILED, terminal: true };
    const held = (holdMs: number | null) => ({ ...one(), onFailure: { holdMs } });
    expect(codes(after(held(null), CLAIMED, fail))).toEqual(['ON_HOLD']);
    const until = explain(after(held(600_000), CLAIMED, fail));
    expect(until.causes).toMatchObject([{ code: 'HELD_UNTIL', since: expect.any(String) }]);
    expect(explain(after(held(null), CLAIMED, fail)).causes[0]?.since).not.toBeNull();
    expect(until.moving).toBe(false);
  });

  it('a hold behind a point of no return, with the rollback that can be done, if any', () => {
    const [a, b, c] = chain(['a', 'b', 'c']).steps as StepPlan[];
    const p = { ...a!, pivot: true } as StepPlan;
    const end = (step: number, token: number, isDone: boolean): TaskEvent[] => {
      const ref = { ...REF, step };
      const failure: TaskEvent = { ...FAILED, ...ref, token, terminal: true };
      const claim = { kind: 'claimed', ...ref, attempt: 1, owner: 'p1' } as const;
      return [claim, isDone ? { kind: 'succeeded', ...ref, token, output: null } : failure];
    };
    const rollback = (steps: StepPlan[], ...events: TaskEvent[]) => {
      const [cause] = explain(after(flow(steps), ...events)).causes;
      expect(cause?.code).toBe('ON_HOLD');
      return cause?.next.find((next) => next.action === 'rollback');
    };
    const three = [...end(0, 1, true), ...end(1, 2, true), ...end(2, 3, false)];
    const label = 'Roll the task back down to step b; step a is a point of no return';
    expect(rollback([p, b!, c!], ...three)).toEqual({ action: 'rollback', label, to: 'b' });
    const group = { name: 'g', needs: [], group: [p, b!], retry: NO_RETRY, timeoutMs: null };
    expect(rollback([group], ...end(1, 1, true), ...end(2, 2, false))).toBeUndefined();
  });

  it('a hold because a time was over behind a point of no return', () => {
    const [a, b] = chain(['a', 'b']).steps as StepPlan[];
    const inner = [{ ...a!, pivot: true } as StepPlan, b!];
    const group = { name: 'g', needs: [], group: inner, retry: NO_RETRY, timeoutMs: 1_500 };
    const ref = { ...REF, step: 1 };
    const task = after(
      flow([group]),
      { kind: 'claimed', ...ref, attempt: 1, owner: 'p1' },
      { kind: 'succeeded', ...ref, token: 1, output: null },
      { kind: 'tick', crowded: new Map() },
    );
    const [cause] = explain(task).causes;
    expect(cause).toMatchObject({
      code: 'ON_HOLD',
      since: expect.any(String),
      evidence: { step: 'g' },
      next: [{ action: 'retry', label: 'Let it go on although its time is over' }],
    });
  });

  it('a rollback that failed, and the alert about it', () => {
    const undo = { direction: 'rollback', step: 0 } as const;
    const task = after(
      one(),
      CLAIMED,
      { ...FAILED, terminal: true },
      { kind: 'claimed', ...undo, attempt: 1, owner: 'p1' },
      { ...FAILED, ...undo, token: 2, terminal: true },
    );
    const [cause] = explain(task).causes;
    expect(cause).toMatchObject({ code: 'ROLLBACK_FAILED', evidence: { alert: 'starting' } });
    const moment = { now: START, chance: 0, timing: DEFAULT_TIMING };
    const told = { kind: 'alert_told', number: 1, taskId: 'call' } as const;
    const decision = transition(task, told, { moment });
    const calling = decision.kind === 'moved' ? decision.task : task;
    const unserved = { code: 'MODULE_NOT_SERVED', evidence: { module: 'monitor' } } as const;
    const explained = {
      moving: false,
      causes: [{ message: '', since: null, next: [], ...unserved }],
    };
    const status = TASK_STATUS.not_started;
    const alertTask = { taskId: 'call', flow: 'backstep-alert', item: null, status, explained };
    const { causes, moving } = explain(calling, { alertTask });
    const about = { alert: 'not_started', alertTask: 'call' };
    expect(causes).toMatchObject([{ code: 'ROLLBACK_FAILED', evidence: about }, unserved]);
    expect(moving).toBe(false);
  });

  it('an end', () => {
    const done = after(one(), CLAIMED, { kind: 'succeeded', ...REF, token: 1, output: null });
    expect(explain(done)).toMatchObject({ moving: false, causes: [{ code: 'ENDED' }] });
  });

  it('an end whose failure flow is about to be started, cannot be, or is', () => {
    const definition = { ...one(), failureFlow: 'report' };
    const end = { kind: 'terminate_requested', actor: 'ann', reason: 'no', key: null } as const;
    const told = { kind: 'failure_flow_told', taskId: null } as const;
    expect(codes(after(definition, end))).toEqual(['ENDED', 'FAILURE_FLOW_WAITS']);
    const refused = after(definition, end, { ...told, message: 'there is no flow report' });
    expect(explain(refused).causes[1]).toMatchObject({
      code: 'FAILURE_FLOW_REFUSED',
      evidence: { flow: 'report', message: 'there is no flow report' },
    });
    expect(codes(after(definition, end, { ...told, taskId: 't' }))).toEqual(['ENDED']);
  });
});

describe('GET /v1/tasks/{taskId}/why', () => {
  let gateway: Gateway;

  beforeEach(async () => {
    gateway = await Gateway.open([chain(['a', 'b'])]);
  });

  afterEach(() => gateway.close());

  it('tells it of a task as it stands', async () => {
    gateway.world.commands.scripts.set('m.b', () => new Promise(() => {}));
    const taskId = await gateway.create({ flow: 'test-flow' });
    await settle();
    const answer = (await gateway.ask({ url: `/v1/tasks/${taskId}/why` })).json() as object;
    expect(answer).toMatchObject({ moving: true, causes: [{ code: 'RUNNING' }], isCut: false });
    expect(misfits('Explanation', answer)).toEqual([]);
  });

  it('tells it of one that waits for a person', async () => {
    gateway.world.commands.scripts.set('m.b', () => fails());
    gateway.world.commands.scripts.set('m.undo_a', () => fails());
    const taskId = await gateway.create({ flow: 'test-flow' });
    await settle();
    await settle();
    const answer = (await gateway.ask({ url: `/v1/tasks/${taskId}/why` })).json() as object;
    expect(answer).toMatchObject({ causes: [{ code: 'ROLLBACK_FAILED' }] });
  });

  it('knows no task that is not there', async () => {
    expect((await gateway.ask({ url: '/v1/tasks/none/why' })).statusCode).toBe(404);
    const taskId = await gateway.create({ flow: 'test-flow' });
    expect((await gateway.ask({ url: `/v1/tasks/${taskId}/why?x=1` })).statusCode).toBe(400);
  });
});
