import { Journal } from '../task/journal.js';
import { describe, expect, it } from '@jest/globals';
import { eventfulTask, sampleTask } from '#testing';
import { type ActionRun, PENDING_RUN } from '../task/action-run.js';
import { NO_RETRY } from '../flow/action.js';
import type { Scope, Turn } from '../task/scope.js';
import type { Task } from '../task/task.js';
import { taskFault } from './task-shape.js';

/** The task with its first step's normal run changed. */
function withRun(change: Partial<Record<keyof ActionRun, unknown>>): Task {
  const task = sampleTask();
  const [first, ...rest] = task.runs;
  const normal = { ...first!.normal, ...change } as ActionRun;
  return { ...task, runs: [{ ...first!, normal }, ...rest] };
}

/** A task whose second step is a group that was entered. */
function withGroup(change: Partial<Scope>, more: object = {}): Task {
  const [first] = sampleTask().plan.steps;
  const group = {
    name: 'g',
    needs: [],
    group: [first!],
    retry: NO_RETRY,
    timeoutMs: null,
    ...more,
  };
  const scope: Scope = {
    kind: 'try',
    holder: 1,
    list: 0,
    round: 1,
    first: 2,
    way: 'forward',
    turned: null,
    stage: 'open',
    values: null,
  };
  const task = sampleTask({ steps: [first!, group] });
  const [own, both] = task.runs;
  const holder = { ...both!, normal: { ...PENDING_RUN, state: 'running' } } as const;
  return { ...task, runs: [own!, holder, own!], scopes: [{ ...scope, ...change }] };
}

/** The task as it goes back by a reset that keeps child tasks. */
function withTurn(change: object): Task {
  const turned = { ...eventfulTask().turned!, children: 'failed', ...change } as Turn;
  return sampleTask({}, { status: 3, way: 'back', turned });
}

/** The task with more members in its first step. */
function withStep(more: object): Task {
  const [first, ...rest] = sampleTask().plan.steps;
  return sampleTask({ steps: [{ ...first!, ...more }, ...rest] });
}

/** The task with more members in its first step's normal action. */
function withAction(more: object): Task {
  const { normal } = sampleTask().plan.steps[0]!;
  return withStep({ normal: { ...normal, ...more } });
}

describe('the shape of a task', () => {
  it('is that of every task that was made', () => {
    expect(taskFault(sampleTask())).toBeNull();
    expect(taskFault(eventfulTask())).toBeNull();
  });

  it.each<[string, Task]>([
    ['status is not a status of the table', sampleTask({}, { status: 42 as never })],
    ['way is not a direction', sampleTask({}, { way: 'up' as never })],
    [
      'outcome is not an outcome or null',
      sampleTask({}, { outcome: 'lost' as never, wakeAt: null }),
    ],
    ['turned is missing while it goes back', sampleTask({}, { status: 3, turned: null })],
    [
      'turned.children is not child tasks that are begun anew',
      withTurn({ children: { run: 'a#1' } }),
    ],
    ['turned.to is not what turned.why makes it', withTurn({ why: 'requested' })],
    ['turned of what goes forward', sampleTask({}, { status: 3, way: 'forward' })],
    [
      'hold.why is not a reason to wait',
      sampleTask({}, { status: 5, hold: { why: '' as never, by: null, until: null } }),
    ],
    ['status is not what way, hold, paused and outcome make it', { ...sampleTask(), status: 2 }],
    ['plan.v is not a format that this version knows', sampleTask({ v: 2 as never })],
    ['plan.parameters is not an object', sampleTask({ parameters: [] as never })],
    ['plan.labels is not an object of texts', sampleTask({ labels: { a: 1 as never } })],
    ['revision is not a whole number from 1 on', sampleTask({}, { revision: 0 })],
    ['token is missing', sampleTask({}, { token: undefined as never })],
    ['runs are 1, and steps 2', sampleTask({}, { runs: sampleTask().runs.slice(1) })],
    ['wakeAt is missing while the task is live', sampleTask({}, { wakeAt: null })],
    ['wakeAt of a final task', sampleTask({}, { status: 0 })],
    ['runs[0].normal.state is not a state of the table', withRun({ state: 'dreaming' })],
    ['runs[0].normal.state is not a state of the table', withRun({ state: 'none' })],
    ['runs[0].normal.lease is missing while it is running', withRun({ state: 'running' })],
    ['runs[0].normal.dueAt is not a moment or null', withRun({ dueAt: 'soon' })],
    ['runs[0].normal.attempts is not a whole number from 0 on', withRun({ attempts: -1 })],
    ['nothing of a live task is under way', withRun({ state: 'pending' })],
    ['journal[0].at is missing', sampleTask({}, { journal: Journal.of([{ seq: 1 } as never]) })],
    ['alert.number is missing', { ...eventfulTask(), alert: {} as never }],
    ['plan.steps has no step', sampleTask({ steps: [] })],
    ['plan.steps[0].dynamic is unknown to this build', withStep({ dynamic: {} })],
    ['plan.steps[0].a member is unknown to this build', withStep({ 'a secret': 1 })],
    ['plan.steps[0].normal.if is unknown to this build', withAction({ if: true })],
    ['plan.steps[0].normal.onCrash is missing', withAction({ onCrash: undefined })],
    ['plan.steps[0].normal.onCrash is not a policy for crashes', withAction({ onCrash: 'again' })],
    [
      'plan.steps[0].normal.onCrash is not a policy for crashes',
      withAction({ onCrash: { restarts: -1 } }),
    ],
  ])('%s', (fault, task) => {
    expect(taskFault(task)).toBe(fault);
  });
});

describe('the shape of a task whose steps hold steps', () => {
  it('is that of one with a scope for each that was entered', () => {
    expect(taskFault(withGroup({}))).toBeNull();
  });

  it.each<[string, Task]>([
    [
      'scopes[0].kind is not a kind of scope that this build knows',
      withGroup({ kind: 'x' as never }),
    ],
    ['scopes[0].holder is no step that may hold it', withGroup({ holder: 0 })],
    ['scopes[0].holder is no step that may hold it', withGroup({ holder: 2 })],
    ['scopes[0].first is 1, and the block before ends at 2', withGroup({ first: 1 })],
    ['scopes[0].turned is missing while it goes back', withGroup({ way: 'back' })],
    ['runs[1] does not stand as its scope does', withGroup({ round: 0 })],
    ['runs are 3, and steps 2', { ...withGroup({}), scopes: [] }],
    ['plan.steps[1].group has no step', withGroup({}, { group: [] })],
    ['plan.steps[1].loop is unknown to this build', withGroup({}, { loop: {} })],
  ])('%s', (fault, task) => {
    expect(taskFault(task)).toBe(fault);
  });
});
