import { describe, expect, it } from '@jest/globals';
import {
  CHILDREN_MAX,
  type FlowDefinition,
  type StepOf,
  type JsonObject,
  type StepPlan,
  type Task,
} from '#core';
import { action, chain, EngineWorld, fails, flow, settle } from '#testing';
import { stopWorlds, world } from './worlds-spec.js';

stopWorlds();

const PERSON = { actor: 'ann', reason: 'because', key: null } as const;

const EACH: StepOf<'foreach'>['foreach'] = {
  in: [1, 2, 3, 4],
  as: 'item',
  concurrency: 2,
  successPercent: 100,
  steps: chain(['make']).steps,
  flow: null,
  parameters: null,
};

function each(
  more: Partial<StepOf<'foreach'>['foreach']> = {},
  needs: readonly number[] = [],
): StepPlan {
  return { name: 'each', needs, foreach: { ...EACH, ...more } };
}

function step(name: string, needs: readonly number[] = []): StepPlan {
  return { name, needs, normal: action(`m.${name}`), rollback: action(`m.undo_${name}`) };
}

function call(name: string, parameters: JsonObject | null = null): StepPlan {
  return { name: 'call', needs: [], flow: { name, version: null, parameters } };
}

/** The child tasks in a world, in the order of their indexes. */
function childrenOf({ store }: EngineWorld): readonly Task[] {
  const all = [...store.contents.tasks.values()].filter(({ plan }) => plan.parent !== null);
  return all.sort((a, b) => (a.plan.parent?.index ?? 0) - (b.plan.parent?.index ?? 0));
}

/** The items of the calls of a command, in their order. */
function itemsOf({ commands }: EngineWorld, name: string): readonly unknown[] {
  const calls = commands.contexts.filter(({ command }) => command === name);
  return calls.map(({ parameters }) => parameters['item']);
}

/** Lets everything happen that needs no time: one thing has another one happen. */
async function quiet(): Promise<void> {
  for (let n = 0; n < 60; n += 1) await settle();
}

async function submit(w: EngineWorld, definition: FlowDefinition, parameters: JsonObject = {}) {
  const { plan } = await w.submit(definition, parameters);
  await quiet();
  return w.task(plan.taskId);
}

async function save(world: EngineWorld, definition: FlowDefinition): Promise<void> {
  await world.store.saveFlow(definition, JSON.stringify(definition), 0);
}

describe('Child tasks', () => {
  it('do what is to be done for each item, so many at a time', async () => {
    const w = await world();
    let running = 0;
    let most = 0;
    w.commands.scripts.set('m.make', async ({ parameters }) => {
      most = Math.max(most, (running += 1));
      await settle();
      running -= 1;
      return { kind: 'succeeded', output: { made: parameters['item'] ?? null } };
    });
    const task = await submit(w, flow([each(), step('after', [0])]), { host: 'h' });
    await quiet();
    const ended = await w.task(task.plan.taskId);
    expect(ended.outcome).toBe('succeeded');
    expect(most).toBe(2);
    const children = childrenOf(w);
    expect(children.map(({ outcome }) => outcome)).toEqual(Array(4).fill('succeeded'));
    expect(children[1]?.plan.parameters).toEqual({ host: 'h', item: 2 });
    const results = children.map(({ plan }, index) => {
      return { index, taskId: plan.taskId, status: 'succeeded', output: { made: index + 1 } };
    });
    const output = { count: 4, succeeded: 4, failed: 0, results };
    expect(ended.runs[0]?.normal.output).toEqual(output);
    expect(w.commands.contexts.at(-1)?.parameters).toMatchObject({ each: output });
  });

  it('inherit all parameters but the list that their step names', async () => {
    const w = await world();
    const list = ['a', 'b'];
    await submit(w, flow([each({ in: '{% hosts %}' })]), { hosts: list, allowed: list });
    expect(childrenOf(w)[1]?.plan.parameters).toEqual({ allowed: list, item: 'b' });
  });

  it('are as many as an expression may name items, and none where it names more', async () => {
    const w = await world();
    w.commands.scripts.set('m.make', () => new Promise(() => {}));
    const of = (count: number) => ({ items: Array.from({ length: count }, (_, index) => index) });
    const definition = flow([each({ in: '{% items %}', concurrency: 1 })]);
    const full = await submit(w, definition, of(CHILDREN_MAX));
    expect(full.runs[0]?.normal).toMatchObject({ values: { total: CHILDREN_MAX, started: 1 } });
    expect(childrenOf(w)).toHaveLength(1);
    const over = await submit(w, definition, of(CHILDREN_MAX + 1));
    expect(over.turned?.cause).toMatchObject({ code: 'CHILDREN_FAILED', step: 'each' });
    expect(over.message).toContain('there are 100001 items, at most 100000 can be');
    expect(childrenOf(w)).toHaveLength(1);
  });

  it('are undone, last first, when enough of them did not succeed', async () => {
    const w = await world();
    w.commands.scripts.set('m.make', ({ parameters }) => {
      return parameters['item'] === 3 ? fails('no room') : { kind: 'succeeded', output: null };
    });
    const task = await submit(w, flow([step('before'), each({ concurrency: 1 }, [0])]));
    const ended = await w.task(task.plan.taskId);
    expect(ended.outcome).toBe('rolled_back');
    expect(ended.turned?.cause).toMatchObject({ code: 'CHILDREN_FAILED', step: 'each' });
    expect(ended.message).toContain('1 of 4 child tasks failed');
    expect(itemsOf(w, 'make')).toEqual([1, 2, 3, 4]);
    expect(itemsOf(w, 'undo_make')).toEqual([3, 4, 2, 1]);
    expect(w.commands.calls.at(-1)).toBe('before:rollback');
    expect(childrenOf(w).map(({ outcome }) => outcome)).toEqual(Array(4).fill('rolled_back'));
  });

  it('may fail where not all of them need succeed', async () => {
    const w = await world();
    w.commands.scripts.set('m.make', ({ parameters }) => {
      return parameters['item'] === 3 ? fails() : { kind: 'succeeded', output: null };
    });
    const task = await submit(w, flow([each({ successPercent: 75 })]));
    const ended = await w.task(task.plan.taskId);
    expect(ended.outcome).toBe('succeeded');
    expect(ended.runs[0]?.normal.output).toMatchObject({ count: 4, succeeded: 3, failed: 1 });
    await w.engine.operate(task.plan.taskId, { kind: 'undo_requested', ...PERSON });
    await quiet();
    expect((await w.task(task.plan.taskId)).outcome).toBe('rolled_back');
    expect(new Set(itemsOf(w, 'undo_make'))).toEqual(new Set([1, 2, 3, 4]));
    expect(itemsOf(w, 'undo_make')).toHaveLength(4);
  });

  it('need not be: a list may be empty', async () => {
    const w = await world();
    const { runs, outcome } = await submit(w, flow([each({ in: [] })]));
    expect(outcome).toBe('succeeded');
    expect(runs[0]?.normal.output).toEqual({ count: 0, succeeded: 0, failed: 0, results: [] });
  });

  it('may be of a flow of their own, of which the version is found once', async () => {
    const w = await world();
    await save(w, { ...chain(['a', 'b']), name: 'other' });
    const task = await submit(w, flow([call('other', { size: 3 })]), { host: 'h' });
    expect(task.outcome).toBe('succeeded');
    const [child] = childrenOf(w);
    expect(child?.plan).toMatchObject({ flow: 'other', flowVersion: 1, parameters: { size: 3 } });
    const taskId = child?.plan.taskId;
    const output = { taskId, status: 'succeeded', output: null };
    expect(task.runs[0]?.normal.output).toEqual(output);
    expect(w.commands.calls).toEqual(['a:normal', 'b:normal']);
  });

  it('have the labels of their parent, and those that their flow adds', async () => {
    const w = await world();
    const labels = { kind: 'child', size: '{% size %}' };
    await save(w, { ...chain(['a']), name: 'other', labels });
    const parent = flow([call('other', { size: 3 })], { labels: { kind: 'parent' } });
    expect(await submit(w, parent)).toMatchObject({ outcome: 'succeeded' });
    expect(childrenOf(w)[0]?.plan.labels).toEqual({ kind: 'parent', size: '3' });
  });

  it('do not start where the labels of their flow cannot be worked out', async () => {
    const w = await world();
    await save(w, { ...chain(['a']), name: 'other', labels: { size: '{% size %}' } });
    const task = await submit(w, flow([call('other', { size: [] })]));
    expect(w.commands.calls).toEqual([]);
    expect(task.turned?.cause).toMatchObject({
      code: 'EXPRESSION_FAILED',
      message: expect.stringMatching(/^item 0: the label size: it comes to no text /),
    });
  });

  it('cannot be of a flow that is not there', async () => {
    const task = await submit(await world(), flow([call('nowhere')]));
    expect(task).toMatchObject({ outcome: 'rolled_back' });
    expect(task.turned?.cause).toMatchObject({
      code: 'CHILD_FAILED',
      message: 'flow nowhere does not exist',
    });
  });

  it('lie in each other sixteen deep at most', async () => {
    const w = await world();
    await save(w, { ...flow([call('deep')]), name: 'deep' });
    const task = await submit(w, flow([call('deep')]));
    expect(childrenOf(w)).toHaveLength(16);
    expect(task.outcome).toBe('rolled_back');
    expect(task.message).toContain('at most 16 deep');
  });

  it('are terminated with their parent', async () => {
    const w = await world();
    w.commands.scripts.set('m.make', () => new Promise(() => {}));
    const task = await submit(w, flow([each()]));
    expect(childrenOf(w)).toHaveLength(2);
    await w.engine.operate(task.plan.taskId, { kind: 'terminate_requested', ...PERSON });
    await quiet();
    expect(childrenOf(w).map(({ outcome }) => outcome)).toEqual(['terminated', 'terminated']);
    expect(await w.task(task.plan.taskId)).toMatchObject({ outcome: 'terminated', wakeAt: null });
  });

  it('go back while they run when their parent does, and no more are started', async () => {
    const w = await world();
    w.commands.scripts.set('m.make', ({ signal }) => {
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(fails('stopped')));
      });
    });
    const task = await submit(w, flow([each()]));
    await w.engine.operate(task.plan.taskId, { kind: 'rollback_requested', ...PERSON });
    await quiet();
    expect((await w.task(task.plan.taskId)).outcome).toBe('rolled_back');
    expect(childrenOf(w).map(({ outcome }) => outcome)).toEqual(['rolled_back', 'rolled_back']);
  });

  it('are started after a pause, and not in it', async () => {
    const w = await world();
    const ends: (() => void)[] = [];
    w.commands.scripts.set('m.make', async () => {
      if (ends.length < 2) await new Promise<void>((resolve) => ends.push(resolve));
      return { kind: 'succeeded', output: null };
    });
    const { plan } = await submit(w, flow([each()]));
    await w.engine.operate(plan.taskId, { kind: 'pause_requested', ...PERSON });
    for (const end of ends) end();
    await quiet();
    expect(childrenOf(w)).toHaveLength(2);
    await w.engine.operate(plan.taskId, { kind: 'resume_requested', ...PERSON });
    await quiet();
    expect(childrenOf(w)).toHaveLength(4);
    expect((await w.task(plan.taskId)).outcome).toBe('succeeded');
  });

  it('keep their parent waiting while a rollback of theirs waits for a person', async () => {
    const w = await world();
    let isBroken = true;
    w.commands.scripts.set('m.undo_make', () => {
      return isBroken ? fails('stuck') : { kind: 'succeeded', output: null };
    });
    const { plan } = await submit(w, flow([each({ in: [1] }), step('after', [0])]));
    await w.engine.operate(plan.taskId, { kind: 'undo_requested', ...PERSON });
    await quiet();
    const waiting = await w.task(plan.taskId);
    expect(waiting).toMatchObject({ outcome: null, hold: null, alert: null });
    expect(waiting.runs[0]?.normal.message).toBe('one child task waits for a person');
    isBroken = false;
    const child = childrenOf(w)[0]?.plan.taskId ?? '';
    await w.engine.operate(child, { kind: 'retry_requested', ...PERSON });
    await quiet();
    expect((await w.task(plan.taskId)).outcome).toBe('rolled_back');
  });

  it('are undone by their parent alone once they have ended', async () => {
    const w = await world();
    await submit(w, flow([each({ in: [1] })]));
    const child = childrenOf(w)[0]?.plan.taskId ?? '';
    const undo = await w.engine.operate(child, { kind: 'undo_requested', ...PERSON });
    const reset = await w.engine.operate(child, { kind: 'reset_requested', ...PERSON, to: 'make' });
    expect([undo, reset]).toMatchObject([{ code: 'ILLEGAL_ACTION' }, { code: 'ILLEGAL_ACTION' }]);
  });

  it('are started again where what was to start them was lost', async () => {
    const w = await world();
    const { insert } = w.store;
    let lost = 0;
    w.store.insert = async (task) => {
      if (task.plan.parent === null || lost++ > 1) return insert.call(w.store, task);
      throw new Error('no connection');
    };
    const { plan } = await submit(w, flow([each()]));
    expect(childrenOf(w)).toHaveLength(0);
    for (let n = 0; n < 3; n += 1) {
      await w.clock.advance(20_000);
      await w.engine.governance.tick();
      await quiet();
    }
    expect((await w.task(plan.taskId)).outcome).toBe('succeeded');
    expect(new Set(itemsOf(w, 'make'))).toEqual(new Set([1, 2, 3, 4]));
    expect(itemsOf(w, 'make')).toHaveLength(4);
  });

  it('that were never stored are barred before their parent counts as undone', async () => {
    const w = await world();
    const { insert } = w.store;
    const late: Task[] = [];
    w.store.insert = async (task) => {
      const isLate = task.plan.parent !== null && task.outcome === null;
      if (!isLate) return insert.call(w.store, task);
      late.push(task);
      return new Promise(() => {});
    };
    const { plan } = await submit(w, flow([each()]));
    expect(late).toHaveLength(2);
    // Another process has the task go back, while this one is about to store its children.
    const other = new EngineWorld({ store: w.store, clock: w.clock, transport: w.transport });
    await other.engine.operate(plan.taskId, { kind: 'rollback_requested', ...PERSON });
    await quiet();
    expect((await other.task(plan.taskId)).outcome).toBe('rolled_back');
    for (const task of late) await insert.call(w.store, task);
    expect(childrenOf(w).map(({ outcome }) => outcome)).toEqual(['terminated', 'terminated']);
  });
});
