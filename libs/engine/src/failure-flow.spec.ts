import { describe, expect, it } from '@jest/globals';
import { type FlowDefinition, NO_RETRY, type StepPlan, type Task } from '#core';
import { chain, EngineWorld, fails, flow, settle } from '#testing';
import type { PersonsEvent } from './operate-task.js';
import { stopWorlds, world as started } from './worlds-spec.js';

stopWorlds();

const PERSON = { actor: 'ann', reason: 'told to', key: null } as const;

const HELD = { onFailure: { holdMs: null } } as const;

/** A world in which the flow `report` is stored. */
async function world(report: Partial<FlowDefinition> = {}): Promise<EngineWorld> {
  const w = await started();
  await save(w, { ...chain(['tell']), name: 'report', ...report });
  return w;
}

async function save(w: EngineWorld, definition: FlowDefinition): Promise<void> {
  await w.store.saveFlow(definition, definition.name, w.clock.now());
}

async function quiet(): Promise<void> {
  for (let n = 0; n < 30; n += 1) await settle();
}

async function submit(w: EngineWorld, definition: FlowDefinition): Promise<Task> {
  const { plan } = await w.submit(definition);
  await quiet();
  return w.task(plan.taskId);
}

function failing(w: EngineWorld): FlowDefinition {
  w.commands.scripts.set('m.b', () => fails('no room'));
  return { ...chain(['a', 'b']), failureFlow: 'report' };
}

function reportsOf(w: EngineWorld): readonly Task[] {
  return [...w.store.contents.tasks.values()].filter(({ plan }) => plan.parent?.run === 'failure');
}

/** Governance looks again and again, until nothing is due. */
async function governed(w: EngineWorld): Promise<void> {
  for (let n = 0; n < 3; n += 1) {
    await w.clock.advance(20_000);
    await w.engine.governance.tick();
    await quiet();
  }
}

describe('a failure flow', () => {
  it('is started when a task is rolled back, and told what failed', async () => {
    const w = await world();
    const task = await submit(w, failing(w));
    const [report, ...more] = reportsOf(w);
    const { taskId } = task.plan;
    expect(more).toEqual([]);
    expect(report).toMatchObject({ outcome: 'succeeded', plan: { flow: 'report' } });
    expect(report?.plan.parent).toEqual({
      taskId,
      run: 'failure',
      index: 0,
      isPart: false,
      depth: 1,
    });
    expect(report?.plan.parameters).toEqual({
      taskId,
      flow: 'test-flow',
      status: 'rolled_back',
      step: 'b',
      code: 'FAILED',
      message: task.message,
    });
    expect(task.message).toContain('no room');
    expect(task.failureTask).toMatchObject({ taskId: report?.plan.taskId, dueAt: null });
    expect(task.wakeAt).toBeNull();
    expect(task.journal.at(-1)).toMatchObject({ kind: 'failure_flow_started' });
    expect(w.commands.calls).toEqual([
      'a:normal',
      'b:normal',
      'b:rollback',
      'a:rollback',
      'tell:normal',
    ]);
  });

  it('is told of a failure that its author calls as the engine calls an end', async () => {
    const w = await world();
    const wrong = { name: 'x', needs: [], fail: { code: 'TERMINATED', message: 'no' } };
    const task = await submit(w, flow([wrong], { failureFlow: 'report', ...HELD }));
    await w.engine.operate(task.plan.taskId, { kind: 'rollback_requested', ...PERSON });
    await quiet();
    const [report] = reportsOf(w);
    expect(report?.plan.parameters).toMatchObject({ step: 'x', code: 'TERMINATED' });
  });

  it('is not started when the task succeeds', async () => {
    const w = await world();
    const task = await submit(w, { ...chain(['a']), failureFlow: 'report' });
    await governed(w);
    expect(task).toMatchObject({ outcome: 'succeeded', failureTask: null, wakeAt: null });
    expect(reportsOf(w)).toEqual([]);
  });

  it('is started when a person terminates the task', async () => {
    const w = await world();
    w.commands.scripts.set('m.a', () => new Promise(() => {}));
    const { plan } = await submit(w, { ...chain(['a']), failureFlow: 'report' });
    await w.engine.operate(plan.taskId, { kind: 'terminate_requested', ...PERSON });
    await quiet();
    const [report] = reportsOf(w);
    expect(report?.plan.parameters).toMatchObject({
      status: 'terminated',
      step: null,
      code: 'TERMINATED',
      message: expect.stringContaining('told to'),
    });
    expect(await w.task(plan.taskId)).toMatchObject({ outcome: 'terminated', wakeAt: null });
  });

  it.each<[string, PersonsEvent | null, string]>([
    ['terminates it', { kind: 'terminate_requested', ...PERSON }, 'terminated'],
    ['rolls it back', { kind: 'rollback_requested', ...PERSON }, 'rolled_back'],
    ['does nothing until its hold is over', null, 'rolled_back'],
  ])(
    'names the step for which the task was on hold, where a person %s',
    async (_case, event, status) => {
      const w = await world();
      const held = { ...failing(w), onFailure: { holdMs: 60_000 } };
      const { plan } = await submit(w, held);
      expect(await w.task(plan.taskId)).toMatchObject({ hold: { why: 'step_failed' } });
      if (event === null) await w.clock.advance(60_000);
      else await w.engine.operate(plan.taskId, event);
      await governed(w);
      const [report] = reportsOf(w);
      expect(report?.plan.parameters).toMatchObject({ status, step: 'b', code: 'FAILED' });
    },
  );

  it('names the step inside a group for which the task was on hold', async () => {
    const w = await world();
    w.commands.scripts.set('m.b', () => fails('no room'));
    const group = chain(['a', 'b']).steps;
    const steps = [{ name: 'g', needs: [], group, retry: NO_RETRY, timeoutMs: null }];
    const { plan } = await submit(w, {
      ...flow(steps),
      onFailure: { holdMs: null },
      failureFlow: 'report',
    });
    expect(await w.task(plan.taskId)).toMatchObject({ hold: { why: 'step_failed' } });
    await w.engine.operate(plan.taskId, { kind: 'terminate_requested', ...PERSON });
    await governed(w);
    const [report] = reportsOf(w);
    expect(report?.plan.parameters).toMatchObject({ step: 'b', code: 'FAILED' });
  });

  it('names no step that was passed over before a person rolled the task back', async () => {
    const w = await world();
    w.commands.scripts.set('m.b', () => fails('no room'));
    w.commands.scripts.set('m.c', () => new Promise(() => {}));
    const { steps, ...rest } = chain(['a', 'b', 'c']);
    const optional = steps.map((step): StepPlan => {
      return step.name === 'b' ? { ...step, optional: true } : step;
    });
    const { plan } = await submit(w, { ...rest, steps: optional, failureFlow: 'report' });
    await w.engine.operate(plan.taskId, { kind: 'terminate_requested', ...PERSON });
    await governed(w);
    const [report] = reportsOf(w);
    expect(report?.plan.parameters).toMatchObject({ step: null, code: 'TERMINATED' });
  });

  it('is started when a task that succeeded is undone', async () => {
    const w = await world();
    const { plan } = await submit(w, { ...chain(['a']), failureFlow: 'report' });
    await w.engine.operate(plan.taskId, { kind: 'undo_requested', ...PERSON });
    await quiet();
    const [report] = reportsOf(w);
    expect(report?.plan.parameters).toMatchObject({
      status: 'rolled_back',
      step: null,
      code: null,
    });
  });

  it('is started once, also for a task that fails again after a reset', async () => {
    const w = await world();
    const { plan } = await submit(w, failing(w));
    await w.engine.operate(plan.taskId, { kind: 'reset_requested', ...PERSON, to: 'a' });
    await quiet();
    await governed(w);
    expect((await w.task(plan.taskId)).outcome).toBe('rolled_back');
    expect(w.commands.calls.filter((call) => call === 'b:normal')).toHaveLength(2);
    expect(reportsOf(w)).toHaveLength(1);
    expect(w.commands.calls.filter((call) => call === 'tell:normal')).toHaveLength(1);
  });

  it('is started later where what was to start it was lost', async () => {
    const w = await world();
    const { insert } = w.store;
    let lost = 0;
    w.store.insert = async (task) => {
      if (task.plan.parent === null || lost++ > 0) return insert.call(w.store, task);
      throw new Error('no connection');
    };
    const before = await submit(w, failing(w));
    expect(before).toMatchObject({ outcome: 'rolled_back', failureTask: { taskId: null } });
    expect(before.wakeAt).toBe(before.failureTask?.dueAt);
    expect(reportsOf(w)).toEqual([]);
    await governed(w);
    const after = await w.task(before.plan.taskId);
    expect(after).toMatchObject({ failureTask: { message: null, dueAt: null }, wakeAt: null });
    expect(reportsOf(w)).toHaveLength(1);
  });

  it('is started once, where another process has stored it and could not tell', async () => {
    const w = await world();
    const { insert } = w.store;
    w.store.insert = async (task) => {
      const result = await insert.call(w.store, task);
      return task.plan.parent === null ? result : new Promise(() => {});
    };
    const { plan } = await submit(w, failing(w));
    expect(reportsOf(w)).toHaveLength(1);
    w.store.insert = insert;
    const stopped = w.engine.stop();
    await w.clock.advance(10_000);
    await stopped;
    const other = await started({ store: w.store, clock: w.clock, transport: w.transport });
    await governed(other);
    const [report, ...more] = reportsOf(w);
    expect(more).toEqual([]);
    expect(report?.outcome).toBe('succeeded');
    const { failureTask } = await w.task(plan.taskId);
    expect(failureTask?.taskId).toBe(report?.plan.taskId);
  });

  it('adds its labels to those of the failed task', async () => {
    const w = await world({ labels: { kind: 'report', about: '{% flow %}' } });
    await submit(w, { ...failing(w), labels: { kind: 'saga' } });
    expect(reportsOf(w)[0]?.plan.labels).toEqual({ kind: 'saga', about: 'test-flow' });
  });

  it('does not start where its labels cannot be worked out, and says why', async () => {
    const w = await world({ labels: { about: '{% nothing %}' } });
    const { failureTask } = await submit(w, failing(w));
    const message = expect.stringMatching(/^flow report: the label about: /);
    expect(failureTask).toMatchObject({ taskId: null, message, dueAt: null });
  });

  it('that is not there is said to be so, and asked for no more', async () => {
    const w = await started();
    const task = await submit(w, failing(w));
    expect(task.failureTask).toMatchObject({
      taskId: null,
      message: 'flow report does not exist',
      dueAt: null,
    });
    expect(task.wakeAt).toBeNull();
    expect(task.journal.at(-1)).toMatchObject({ kind: 'failure_flow_refused' });
  });

  it('may fail and have one of its own, sixteen deep at most', async () => {
    const w = await world({ failureFlow: 'report' });
    w.commands.scripts.set('m.tell', () => fails('nobody listens'));
    await submit(w, failing(w));
    await quiet();
    const reports = reportsOf(w);
    expect(reports).toHaveLength(16);
    expect(reports.filter(({ wakeAt }) => wakeAt !== null)).toEqual([]);
    const last = reports.find(({ plan }) => plan.parent?.depth === 16);
    expect(last?.failureTask?.message).toContain('at most 16 deep');
  });

  it('is a task that a person may undo and reset, though it has a parent', async () => {
    const w = await world();
    await submit(w, failing(w));
    const id = reportsOf(w)[0]?.plan.taskId ?? '';
    await w.engine.operate(id, { kind: 'undo_requested', ...PERSON });
    await quiet();
    expect((await w.task(id)).outcome).toBe('rolled_back');
    const again = await w.engine.operate(id, { kind: 'reset_requested', ...PERSON, to: 'tell' });
    expect(again.kind).toBe('committed');
  });

  it('of a child task is started as well, beside what its parent does', async () => {
    const w = await world();
    await save(w, { ...failing(w), name: 'child' });
    const call = {
      name: 'call',
      needs: [],
      flow: { name: 'child', version: null, parameters: null },
    };
    const task = await submit(w, flow([call]));
    expect(task.outcome).toBe('rolled_back');
    const [report] = reportsOf(w);
    expect(report?.plan.parent?.depth).toBe(2);
    expect(report?.plan.parameters).toMatchObject({ flow: 'child', step: 'b' });
  });
});
