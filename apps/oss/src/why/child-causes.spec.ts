import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { FlowDefinition, StepOf, StepPlan } from '#core';
import { action, chain, flow, settle } from '#testing';
import { GuardedGateway } from '../access/guarded-gateway-spec.js';
import { Gateway } from '../gateway-spec.js';
import type { Cause } from './cause.js';

function each(more: Partial<StepOf<'foreach'>['foreach']>): StepPlan {
  const nothing = { successPercent: 100, flow: null, parameters: null, steps: null };
  const foreach = { in: [1, 2, 3], as: 'item', concurrency: 10, ...nothing, ...more };
  return { name: 'fleet', needs: [], foreach };
}

const calling = (name: string): StepPlan => {
  return { name: 'call', needs: [], flow: { name, version: null, parameters: null } };
};

/** Its step b fails, and then its rollback. */
const LEAF: FlowDefinition = { ...chain(['a', 'b']), name: 'leaf' };
const PARENT = flow([each({ flow: 'leaf' })], { name: 'parent' });
const GRAND = flow([calling('parent')], { name: 'grand' });
const MANY = flow([each({ flow: 'leaf', in: [...Array(30).keys()], concurrency: 30 })], {
  name: 'many',
});
const approve = { title: 'Go on?', roles: [], timeoutMs: null, onTimeout: 'fail' } as const;
const ASKING = flow([each({ steps: [{ name: 'ask', needs: [], approve, rollback: null }] })], {
  name: 'asking',
});
const UNSERVED = flow(
  [each({ steps: [{ name: 'go', needs: [], normal: action('nobody.go'), rollback: null }] })],
  { name: 'unserved' },
);
const RESTING = flow(
  [each({ steps: [{ name: 'rest', needs: [], wait: { for: 3_600_000 }, rollback: null }] })],
  { name: 'resting' },
);
/** Both of its items pass a point of no return; then a step fails. */
const pivot = {
  name: 'seal',
  needs: [],
  pivot: true,
  set: { done: true },
  rollback: null,
} as const;
const PASSED = flow(
  [
    each({ in: [1, 2], concurrency: 1, steps: [...chain(['a']).steps, { ...pivot, needs: [0] }] }),
    { name: 'no', needs: [0], fail: { code: 'NO', message: 'no' } },
  ],
  { name: 'passed' },
);
/** Its item asks for the lock that it holds itself. */
const LOCKS = [{ name: 'fleet', slots: 1 }];
const [makes] = chain(['a']).steps;
const LOCKING = flow([each({ in: [1], steps: [{ ...makes!, locks: LOCKS }] })], {
  name: 'locking',
  locks: LOCKS,
});
const FLOWS = [LOCKING, LEAF, PARENT, GRAND, MANY, ASKING, UNSERVED, RESTING, PASSED];

interface Explained {
  readonly moving: boolean;
  readonly standsStill: boolean;
  readonly causes: readonly Cause[];
  readonly isCut: boolean;
}

let gateway: Gateway;
beforeEach(async () => {
  gateway = await Gateway.open(FLOWS);
});
afterEach(() => gateway.close());

async function stuck(name: string): Promise<string> {
  gateway.failRollback();
  return started(name);
}

async function started(name: string): Promise<string> {
  const id = await gateway.create({ flow: name });
  for (let n = 0; n < 5; n += 1) {
    await settle();
    await gateway.world.clock.advance(1_000);
  }
  return id;
}

async function why(id: string): Promise<Explained> {
  return (await gateway.ask({ url: `/v1/tasks/${id}/why` })).json();
}

function childrenOf(id: string): readonly string[] {
  const tasks = [...gateway.world.store.contents.tasks.values()];
  const below = tasks.filter((task) => task.plan.parent?.taskId === id);
  return below.map(({ plan }) => plan.taskId);
}

describe('a parent', () => {
  it('waits for each child task past a point of no return until a person has ended it', async () => {
    const id = await started('passed');
    for (const child of childrenOf(id).toReversed()) {
      const { causes, moving, standsStill } = await why(id);
      expect({ moving, standsStill }).toEqual({ moving: false, standsStill: true });
      expect(causes.find(({ code }) => code === 'CHILD_STUCK')).toMatchObject({
        message: expect.stringContaining('step seal, which is a point of no return'),
        evidence: { taskId: child, status: 'rollback_failed', cause: { code: 'PAST_PIVOT' } },
        next: [{ action: 'terminate', taskId: child }, { action: 'children' }],
      });
      const act = { actor: 'ann', reason: 'undone by hand', key: null };
      const { engine } = gateway.options;
      const retried = await engine.operate(child, { kind: 'retry_requested', ...act });
      expect(retried).toMatchObject({ code: 'ILLEGAL_ACTION' });
      await engine.operate(child, { kind: 'terminate_requested', ...act });
      await settle();
    }
    const { status } = (await gateway.ask({ url: `/v1/tasks/${id}` })).json();
    expect(status).toBe('rolled_back');
  });

  it('says that a child task waits for a lock of the parent itself', async () => {
    const id = await started('locking');
    const { causes, moving } = await why(id);
    expect(moving).toBe(false);
    const [child] = childrenOf(id);
    expect(causes.find(({ code }) => code === 'CHILD_STUCK')).toMatchObject({
      message: expect.stringContaining('Its parent holds it, and waits for this task.'),
      evidence: { taskId: child, cause: { code: 'WAITS_FOR_LOCK' } },
      next: [{ action: 'rollback', taskId: child }, { action: 'locks' }, { action: 'children' }],
    });
  });

  it('says which child tasks are stuck, in which step, why, and what to do there', async () => {
    const id = await stuck('parent');
    const { causes, moving, standsStill } = await why(id);
    expect({ moving, standsStill }).toEqual({ moving: false, standsStill: true });
    const told = causes.filter(({ code }) => code === 'CHILD_STUCK');
    const named = new Set(told.map(({ evidence }) => evidence['taskId']));
    expect(named).toEqual(new Set(childrenOf(id)));
    const [first] = causes as [Cause];
    const taskId = first.evidence['taskId'] as string;
    expect(first).toMatchObject({
      code: 'CHILD_STUCK',
      message: expect.stringMatching(/^Child task .* of step fleet does not move: A rollback/),
      evidence: {
        ...{ step: 'fleet', path: [taskId], flow: 'leaf', status: 'rollback_failed' },
        cause: { code: 'ROLLBACK_FAILED', evidence: { step: 'a' } },
      },
      next: [
        { action: 'retry', taskId },
        { action: 'skip', step: 'a', taskId },
        { action: 'children' },
      ],
    });
    expect(causes.at(-1)).toMatchObject({
      code: 'WAITS_FOR_CHILDREN',
      evidence: { active: 3, held: 3, looked: 3, stuck: 3 },
    });
  });

  it('says the same of a task two levels below', async () => {
    const id = await stuck('grand');
    const [middle = ''] = childrenOf(id);
    const { causes, moving, standsStill } = await why(id);
    expect({ moving, standsStill }).toEqual({ moving: false, standsStill: true });
    const [{ evidence, message, next }] = causes as [Cause];
    const leaf = evidence['taskId'] as string;
    expect(childrenOf(middle)).toContain(leaf);
    expect(evidence).toMatchObject({
      ...{ step: 'call', path: [middle, leaf], flow: 'leaf' },
      cause: { code: 'ROLLBACK_FAILED' },
    });
    expect(message).toContain(`Child task ${leaf} of step fleet does not move`);
    expect(next[0]).toMatchObject({ action: 'retry', taskId: leaf });
  });

  it('names the first few of many, and counts', async () => {
    const id = await stuck('many');
    const { causes, isCut } = await why(id);
    expect(causes.filter(({ code }) => code === 'CHILD_STUCK')).toHaveLength(5);
    expect(isCut).toBe(true);
    expect(causes.at(-1)?.evidence).toMatchObject({ active: 30, looked: 20, stuck: 20 });
  });

  it.each([
    ['asking', 'WAITS_FOR_APPROVAL', 'approve', true],
    ['unserved', 'MODULE_NOT_SERVED', 'start_executor', false],
  ] as const)(
    'does not move while its child tasks wait: %s',
    async (...[name, code, act, stands]) => {
      const id = await started(name);
      const { causes, moving, standsStill } = await why(id);
      expect({ moving, standsStill }).toEqual({ moving: false, standsStill: stands });
      const [{ evidence, next }] = causes as [Cause];
      expect(evidence).toMatchObject({ cause: { code } });
      expect(next[0]).toMatchObject({ action: act, taskId: evidence['taskId'] });
    },
  );

  it('moves while one of its child tasks does, and still names the others', async () => {
    gateway.failRollback();
    gateway.world.commands.scripts.set('m.a', ({ parameters }) => {
      return parameters['item'] === 3 ? new Promise(() => {}) : { kind: 'succeeded', output: null };
    });
    const id = await started('parent');
    const { causes, moving, standsStill } = await why(id);
    expect({ moving, standsStill }).toEqual({ moving: true, standsStill: false });
    expect(causes.map(({ code }) => code)).toEqual([
      'CHILD_STUCK',
      'CHILD_STUCK',
      'WAITS_FOR_CHILDREN',
    ]);
  });

  it('is not stuck where its child tasks only wait for a moment', async () => {
    const { causes } = await why(await started('resting'));
    expect(causes.map(({ code }) => code)).toEqual(['WAITS_FOR_CHILDREN']);
  });

  it('names no child task that the caller does not see, and supposes that it moves', async () => {
    const guarded = await GuardedGateway.open(FLOWS);
    guarded.gateway.failRollback();
    const all = await guarded.key('admin');
    const { body } = await guarded.as(all).send('POST', '/v1/tasks', { flow: 'parent' });
    await guarded.rest();
    const url = `/v1/tasks/${String(body['taskId'])}/why`;
    expect((await guarded.as(all).send('GET', url)).body).toMatchObject({ moving: false });
    const some = await guarded.key('viewer', { flows: 'parent' });
    const told = (await guarded.as(some).send('GET', url)).body as unknown as Explained;
    expect(told.causes.map(({ code }) => code)).toEqual(['WAITS_FOR_CHILDREN']);
    expect(told.moving).toBe(true);
    await guarded.gateway.close();
  });

  it.each(['parent', 'grand', 'asking'])(
    'ends `wait` once all it waits for stands still: %s',
    async (name) => {
      gateway.failRollback();
      const answer = gateway.post('/v1/tasks?wait=10m', { flow: name });
      for (let n = 0; n < 20; n += 1) {
        await settle();
        await gateway.world.clock.advance(1_000);
      }
      expect((await answer).json()).toMatchObject({ status: 'running' });
    },
  );
});
