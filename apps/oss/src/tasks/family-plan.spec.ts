import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { FlowDefinition, StepOf, StepPlan, Task } from '#core';
import { action, fails, flow, settle } from '#testing';
import { misfits } from '../docs/misfits-spec.js';
import { Gateway } from '../gateway-spec.js';

const command = (name: string, needs: readonly number[] = [], more: object = {}): StepPlan => ({
  name,
  needs,
  normal: action(`m.${name}`),
  rollback: action(`m.undo_${name}`),
  ...more,
});

const bare = (name: string, needs: readonly number[]): StepPlan => {
  return { name, needs, normal: action(`m.${name}`), rollback: null };
};

function each(more: Partial<StepOf<'foreach'>['foreach']>): StepPlan {
  const nothing = { successPercent: 100, flow: null, parameters: null, steps: null };
  const foreach = { in: [1, 2, 3], as: 'item', concurrency: 1, ...nothing, ...more };
  return { name: 'fleet', needs: [0], foreach };
}

const PART = { steps: [command('stop'), bare('note', [0]), command('put', [1])] };
const FLEET = flow([command('reserve'), each(PART), command('tell', [1])], { name: 'fleet' });
const INNER = flow([command('inner', [], { pivot: true }), command('more', [0])], {
  name: 'inner',
});
const CALLING = flow(
  [
    command('reserve'),
    { name: 'call', needs: [0], flow: { name: 'inner', version: null, parameters: null } },
  ],
  { name: 'calling' },
);
const DEEP = flow([command('top'), each({ flow: 'fleet', in: [1, 2] })], { name: 'deep' });
const WIDE = flow(
  [
    command('reserve'),
    each({ in: [...Array(220).keys()], concurrency: 50, steps: [command('one')] }),
  ],
  { name: 'wide' },
);
const TEMPLATED = flow(
  [
    command('plain', [], { rollback: action('m.undo', { parameters: { size: '{% cpu %}' } }) }),
    command('bad', [0], { rollback: action('m.undo', { parameters: { size: '{% boom %}' } }) }),
  ],
  { name: 'templated' },
);

const FAILING = flow([...TEMPLATED.steps.slice(0, 1), command('bad', [0])], { name: 'failing' });

const FLOWS: readonly FlowDefinition[] = [FAILING, FLEET, INNER, CALLING, DEEP, WIDE, TEMPLATED];

interface Plan {
  readonly items: readonly { readonly taskId: string; readonly id: string }[];
  readonly leftOver: readonly { readonly taskId: string; readonly id: string }[];
  readonly obstacle: string | null;
  readonly isCut: boolean;
}

let gateway: Gateway;
beforeEach(async () => {
  gateway = await Gateway.open(FLOWS);
});
afterEach(() => gateway.close());

async function quiet(): Promise<void> {
  for (let n = 0; n < 400; n += 1) await settle();
}

async function start(name: string, parameters: object = {}): Promise<string> {
  const taskId = await gateway.create({ flow: name, parameters });
  await quiet();
  return taskId;
}

async function planFor(taskId: string): Promise<Plan> {
  const told = (await gateway.ask({ url: `/v1/tasks/${taskId}/rollback-plan` })).json();
  expect(misfits('RollbackPlan', told)).toEqual([]);
  return told as Plan;
}

/** The child tasks in a world, in the order of their indexes. */
function children(): readonly Task[] {
  const all = [...gateway.world.store.contents.tasks.values()];
  const below = all.filter(({ plan }) => plan.parent !== null);
  return below.sort((a, b) => (a.plan.parent?.index ?? 0) - (b.plan.parent?.index ?? 0));
}

/** The undos that really run, as the plan names them. */
function undone(): readonly string[] {
  const { contexts } = gateway.world.commands;
  const back = contexts.filter(({ command }) => command.startsWith('undo_'));
  return back.map(({ run, taskId }) => `${taskId} ${run}`);
}

const named = ({ id, taskId }: { readonly id: string; readonly taskId: string }): string => {
  return `${taskId} ${id}`;
};

describe('the plan of a rollback with child tasks', () => {
  it.each([['fleet'], ['deep']])('of %s is what is then undone, in that order', async (name) => {
    const taskId = await start(name);
    const plan = await planFor(taskId);
    expect(plan).toMatchObject({ obstacle: null, isCut: false });
    await gateway.post(`/v1/tasks/${taskId}:undo`, { reason: 'why' });
    await quiet();
    expect(await gateway.world.task(taskId)).toMatchObject({ outcome: 'rolled_back' });
    expect(plan.items.map(named)).toEqual(undone());
    expect(plan.items.length).toBeGreaterThan(7);
  });

  it('names the task of each undo, the last child first, and what children leave', async () => {
    const taskId = await start('fleet');
    const plan = await planFor(taskId);
    const [one, two, three] = children().map((child) => child.plan.taskId);
    const ids = [`${three} put`, `${three} stop`, `${two} put`, `${two} stop`];
    const rest = [`${one} put`, `${one} stop`, `${taskId} reserve`];
    expect(plan.items.map(named)).toEqual([`${taskId} tell`, ...ids, ...rest]);
    expect(plan.leftOver.map(named).sort()).toEqual(
      [one, two, three].map((id) => `${id} note`).sort(),
    );
  });

  it('knows child tasks that are under way', async () => {
    gateway.world.commands.scripts.set('m.put', () => new Promise(() => {}));
    const taskId = await start('fleet');
    const [one] = children().map((child) => child.plan.taskId);
    const ids = [`${one} put`, `${one} stop`, `${taskId} reserve`];
    expect((await planFor(taskId)).items.map(named)).toEqual(ids);
  });

  it('stops at a child task that passed its point of no return, and names it', async () => {
    const taskId = await start('calling');
    const [child] = children().map((each) => each.plan.taskId);
    const plan = await planFor(taskId);
    expect(plan.items).toEqual([]);
    expect(plan.obstacle).toContain(`child task ${child} of step call`);
    expect(plan.obstacle).toContain('inner, which is a point of no return');
    await gateway.post(`/v1/tasks/${taskId}:undo`, { reason: 'why' });
    await quiet();
    expect(undone()).toEqual([]);
  });

  it('stops at a child task that failed a rollback, and names it', async () => {
    const { scripts } = gateway.world.commands;
    scripts.set('m.put', () => fails());
    scripts.set('m.undo_stop', () => fails());
    const taskId = await start('fleet');
    const [child] = children().map((each) => each.plan.taskId);
    const plan = await planFor(taskId);
    expect(plan.obstacle).toBe(
      `child task ${child} of step fleet waits for a person: a rollback of it failed`,
    );
    expect(plan.items).toEqual([]);
  });

  it('stops at a child task that is paused, and names it', async () => {
    gateway.world.commands.scripts.set('m.put', () => new Promise(() => {}));
    const taskId = await start('fleet');
    const child = children()[0]?.plan.taskId ?? '';
    const pause = { kind: 'pause_requested', actor: 'ann', reason: 'why', key: null } as const;
    await gateway.options.engine.operate(child, pause);
    const plan = await planFor(taskId);
    expect(plan.obstacle).toBe(`child task ${child} of step fleet is paused`);
    await gateway.post(`/v1/tasks/${taskId}:rollback`, { reason: 'why' });
    await quiet();
    expect(plan.items).toEqual([]);
    expect(undone()).toEqual([]);
  });

  it('names a child task of a child task that does not go back', async () => {
    const { scripts } = gateway.world.commands;
    scripts.set('m.put', () => fails());
    scripts.set('m.undo_stop', () => fails());
    const taskId = await start('deep');
    const stuck = children().find(({ hold }) => hold?.why === 'rollback_failed');
    const plan = await planFor(taskId);
    expect(plan.obstacle).toContain(`child task ${stuck?.plan.taskId} of step fleet`);
    expect(plan.items.filter(({ taskId: of }) => of === taskId)).toEqual([]);
  });

  it('says that it is cut where there are too many child tasks', async () => {
    const plan = await planFor(await start('wide'));
    expect(plan).toMatchObject({ isCut: true, obstacle: null });
    expect(plan.items).toHaveLength(200);
  });

  it('is what the task then shows that the undo was called with', async () => {
    const { scripts } = gateway.world.commands;
    scripts.set('m.bad', () => fails());
    const taskId = await start('failing', { cpu: 4 });
    const task = (await gateway.ask({ url: `/v1/tasks/${taskId}` })).json();
    expect(misfits('Task', task)).toEqual([]);
    expect(task.steps[0].rollback).toMatchObject({ state: 'succeeded', values: { size: 4 } });
  });

  it('works out the expressions of parameters, and says which have no value', async () => {
    const plan = await planFor(await start('templated', { cpu: 4 }));
    expect(plan.items).toMatchObject([
      { id: 'bad', parameters: { cpu: 4, size: '{% boom %}' }, unresolved: 'parameters: boom' },
      { id: 'plain', parameters: { cpu: 4, size: 4 }, unresolved: null },
    ]);
  });
});
