import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { FlowDefinition, StepOf, StepPlan } from '#core';
import { action, chain, fails, settle } from '#testing';
import { Gateway } from '../gateway-spec.js';

/** The id of no task. */
const NOBODY = '01a205c9-1dea-7597-85ee-8989a2ad1330';

let gateway: Gateway;

const last: StepPlan = { name: 'd', needs: [2], normal: action('m.d'), rollback: null };
const [a, b, c] = chain(['a', 'b', 'c']).steps as [StepPlan, StepPlan, StepPlan];
const DONE: FlowDefinition = { ...chain(['a']), name: 'done', steps: [a, b, c, last] };
const HELD: FlowDefinition = { ...DONE, name: 'held', onFailure: { holdMs: null } };

const EACH: StepOf<'foreach'> = {
  name: 'each',
  needs: [],
  foreach: {
    in: ['x', 'y', 'z'],
    as: 'item',
    concurrency: 3,
    successPercent: 100,
    steps: [a],
    flow: null,
    parameters: null,
  },
};
const LIST: FlowDefinition = { ...HELD, name: 'list', steps: [EACH] };
const MOST: FlowDefinition = {
  ...DONE,
  name: 'most',
  steps: [{ ...EACH, foreach: { ...EACH.foreach, successPercent: 50 } }, b],
};

beforeEach(async () => {
  gateway = await Gateway.open([DONE, HELD, LIST, MOST]);
});

afterEach(() => gateway.close());

async function create(flow: string): Promise<string> {
  const taskId = await gateway.create({ flow });
  await settle();
  gateway.world.commands.calls.length = 0;
  return taskId;
}

async function quiet(): Promise<void> {
  for (let n = 0; n < 80; n += 1) await settle();
}

async function preview(taskId: string, query: string) {
  const answer = await gateway.ask({ url: `/v1/tasks/${taskId}/preview?${query}` });
  return { status: answer.statusCode, body: answer.json<Previewed>() };
}

interface Previewed {
  readonly revision: number;
  readonly status: { readonly before: string; readonly after: string };
  readonly starts: readonly { readonly id: string; readonly direction: string }[];
  readonly undoes: readonly { readonly id: string }[];
}

/** The preview of an action, and the undos that the action really runs. */
async function compared(taskId: string, verb: string, more: Readonly<Record<string, string>>) {
  const query = new URLSearchParams({ action: verb, ...more }).toString();
  const { body } = await preview(taskId, query);
  expect(gateway.world.commands.calls).toEqual([]);
  const done = await gateway.ask({
    method: 'POST',
    url: `/v1/tasks/${taskId}:${verb}`,
    headers: { 'if-match': `"${body.revision}"` },
    body: { reason: 'why', ...more },
  });
  expect(done.statusCode).toBe(200);
  await settle();
  const undone = gateway.world.commands.calls.filter((call) => call.endsWith(':rollback'));
  return { body, undone };
}

describe('GET /v1/tasks/{taskId}/preview', () => {
  it.each(['undo', 'reset'])('says what %s undoes, and does as it says', async (verb) => {
    const taskId = await create('done');
    const { body, undone } = await compared(taskId, verb, verb === 'reset' ? { to: 'b' } : {});
    const ids = verb === 'reset' ? ['c', 'b'] : ['c', 'b', 'a'];
    expect(undone).toEqual(ids.map((id) => `${id}:rollback`));
    expect(body.undoes.map(({ id }) => id)).toEqual(ids);
    expect(body).toMatchObject({
      action: verb,
      status: { before: 'succeeded', after: 'rolling_back' },
      starts: [{ id: 'c', direction: 'rollback', module: 'm', command: 'undo_c' }],
      calledOff: [],
      leftOver: [{ id: 'd' }],
      obstacle: null,
      isCut: false,
    });
  });

  it.each(['rollback', 'reset'])(
    'says what %s of a paused task has undone later',
    async (action) => {
      gateway.world.commands.scripts.set('m.c', () => new Promise(() => {}));
      const taskId = await create('done');
      await gateway.post(`/v1/tasks/${taskId}:pause`, { reason: 'why' });
      const to = action === 'reset' ? '&to=b' : '';
      const { body } = await preview(taskId, `action=${action}${to}`);
      expect(body).toMatchObject({
        status: { before: 'paused', after: 'paused' },
        calledOff: [{ id: 'c' }],
        starts: [],
      });
      expect(body.undoes.map(({ id }) => id)).toEqual(
        action === 'reset' ? ['c', 'b'] : ['c', 'b', 'a'],
      );
    },
  );

  it('says what a retry starts: the failed step, and nothing is undone', async () => {
    gateway.world.commands.scripts.set('m.b', () => fails());
    const taskId = await create('held');
    const { body, undone } = await compared(taskId, 'retry', {});
    expect(undone).toEqual([]);
    expect(body).toMatchObject({
      status: { before: 'on_hold', after: 'running' },
      starts: [{ id: 'b', direction: 'normal', module: 'm', command: 'b' }],
      undoes: [],
      leftOver: [],
    });
  });

  it('says of a retry of child tasks what is undone before, and refuses what is none of it', async () => {
    const { scripts } = gateway.world.commands;
    scripts.set('m.a', ({ parameters }) => {
      return parameters['item'] === 'y' ? fails() : { kind: 'succeeded', output: null };
    });
    const taskId = await gateway.create({ flow: 'list' });
    await quiet();
    const { body } = await preview(taskId, 'action=retry');
    expect(body).toMatchObject({ starts: [{ id: 'each', direction: 'normal' }], undoes: [] });
    const whole = await preview(taskId, 'action=retry&children=all');
    expect(whole.body.undoes.map(({ id }) => id)).toEqual(['a', 'a']);
    const id = `children=${taskId}`;
    const foreign = await preview(taskId, `action=retry&${id}`);
    expect(foreign).toMatchObject({ status: 422, body: { code: 'INVALID_PARAMETERS' } });
    const order = { reason: 'why', children: { id: taskId } };
    const refused = await gateway.post(`/v1/tasks/${taskId}:retry`, order);
    expect(refused.json()).toMatchObject({
      code: 'INVALID_PARAMETERS',
      errors: [{ pointer: '/children/id' }],
    });
    const unknown = await gateway.post(`/v1/tasks/${taskId}:retry`, { ...order, children: 'some' });
    expect(unknown.json()).toMatchObject({ errors: [{ pointer: '/children' }] });
  });

  it('says of a reset that keeps child tasks what is undone before, and does as it says', async () => {
    const { calls, scripts } = gateway.world.commands;
    scripts.set('m.a', ({ parameters }) => {
      return parameters['item'] === 'y' ? fails() : { kind: 'succeeded', output: null };
    });
    const taskId = await gateway.create({ flow: 'most' });
    await quiet();
    calls.length = 0;
    const failed = await preview(taskId, 'action=reset&to=each&children=failed');
    expect(failed.body.undoes.map(({ id }) => id)).toEqual(['b']);
    const own = await gateway.ask({ url: `/v1/tasks?parent=${taskId}&status=succeeded` });
    const [{ taskId: id }] = own.json<{ items: [{ taskId: string }] }>().items;
    const one = await preview(taskId, `action=reset&to=each&children=${encodeURIComponent(id)}`);
    expect(one.body.undoes.map((undo) => undo.id)).toEqual(['b', 'a']);
    const whole = await preview(taskId, 'action=reset&to=each');
    expect(whole.body.undoes.map((undo) => undo.id)).toEqual(['b', 'a', 'a']);
    const order = { to: 'each', reason: 'why', children: { id } };
    expect((await gateway.post(`/v1/tasks/${taskId}:reset`, order)).statusCode).toBe(200);
    await quiet();
    expect(calls).toEqual(['b:rollback', 'a:rollback', 'a:normal', 'b:normal']);
  });

  it('refuses a reset that can keep no child tasks, and names the member', async () => {
    const taskId = await create('done');
    const order = { to: 'b', reason: 'why' };
    const reset = (children: unknown) => {
      return gateway.post(`/v1/tasks/${taskId}:reset`, { ...order, children });
    };
    expect((await reset('failed')).json()).toMatchObject({
      code: 'ILLEGAL_ACTION',
      errors: [{ pointer: '/children', message: expect.stringContaining('is not a `foreach`') }],
    });
    expect((await reset({ id: taskId })).json()).toMatchObject({
      code: 'INVALID_PARAMETERS',
      errors: [{ pointer: '/children/id' }],
    });
    expect((await reset('some')).json()).toMatchObject({ errors: [{ pointer: '/children' }] });
  });

  it.each([
    ['reset', 'to'],
    ['skip', 'step'],
    ['complete', 'step'],
    ['approve', 'step'],
    ['reject', 'step'],
  ])('of %s without a step is refused, and names the parameter', async (verb, name) => {
    const { body } = await preview(await create('held'), `action=${verb}`);
    expect(body).toMatchObject({
      code: 'INVALID_PARAMETERS',
      detail: `The parameter \`${name}\` is missing: \`${verb}\` takes a step.`,
      errors: [{ pointer: `/${name}` }],
    });
  });

  it('points to the parameter of a child task that is not one', async () => {
    const { body } = await preview(await create('list'), `action=reset&to=each&children=${NOBODY}`);
    expect(body).toMatchObject({ code: 'INVALID_PARAMETERS', errors: [{ pointer: '/children' }] });
  });

  it('says what a termination leaves as it is', async () => {
    gateway.world.commands.scripts.set('m.b', () => fails());
    const { body } = await preview(await create('held'), 'action=terminate');
    expect(body).toMatchObject({
      status: { after: 'terminated' },
      starts: [],
      undoes: [],
      leftOver: [{ id: 'a' }, { id: 'b' }],
    });
  });

  it('refuses what would be refused', async () => {
    const taskId = await create('done');
    for (const [query, status, code] of [
      ['action=retry', 409, 'ILLEGAL_ACTION'],
      ['action=reset&to=nowhere', 422, 'INVALID_PARAMETERS'],
      ['action=reset', 422, 'INVALID_PARAMETERS'],
      ['action=dance', 400, 'INVALID_REQUEST'],
      ['', 400, 'INVALID_REQUEST'],
    ] as const) {
      expect(await preview(taskId, query)).toMatchObject({ status, body: { code } });
    }
    expect((await preview('nobody', 'action=undo')).status).toBe(404);
  });
});
