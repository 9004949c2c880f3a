import { afterEach, describe, expect, it } from '@jest/globals';
import type { FlowDefinition, StepPlan, Task } from '#core';
import { type ApprovalRule, type OperationAction, TaskUnreadable } from '#ports';
import { action, done, flow, settle } from '#testing';
import { alone, CallersOf, inBulk } from '../access/gate-spec.js';
import { Gateway } from '../gateway-spec.js';

let gateway: Gateway;
let callers: CallersOf;
afterEach(() => gateway.close());

async function settled(): Promise<void> {
  for (let n = 0; n < 20; n += 1) await settle();
}

function command(name: string): StepPlan {
  return { name, needs: [], normal: action(`m.${name}`), rollback: action(`m.undo_${name}`) };
}

const RULED: readonly OperationAction[] = ['terminate', 'rollback', 'undo', 'pause', 'restart'];

function calls(name: string, called: string): FlowDefinition {
  const call = { name: called, version: null, parameters: null };
  return flow([{ name: 'call', needs: [], flow: call }], { name });
}

/** Starts a task whose payment runs, or is done. */
async function start(name: string, isDone: boolean): Promise<string> {
  const { scripts } = gateway.world.commands;
  scripts.set('m.pay', () => (isDone ? done() : new Promise(() => undefined)));
  const taskId = await gateway.create({ flow: name }, await callers.role('operator'));
  await settled();
  return taskId;
}

function rule(actions: readonly OperationAction[]): ApprovalRule {
  return { text: 'needs two', actions, flows: ['pay-*'] };
}

async function open(actions: readonly OperationAction[]): Promise<void> {
  const each = { in: [1, 2], as: 'n', concurrency: 2, successPercent: 100, parameters: null };
  const part = { foreach: { ...each, flow: null, steps: calls('x', 'pay-out').steps } };
  const flows = [
    flow([command('pay')], { name: 'pay-out' }),
    flow([command('pay')], { name: 'other' }),
    calls('wrap', 'pay-out'),
    calls('deep', 'wrap'),
    calls('free', 'other'),
    flow([{ name: 'each', needs: [], ...part }], { name: 'parts' }),
  ];
  gateway = await Gateway.open(flows, { asksForKeys: true, approvals: [rule(actions)] });
  callers = new CallersOf(gateway);
}

async function outcomes(verb: string, name: string, isDone: boolean) {
  const taskId = await start(name, isDone);
  const headers = await callers.role('operator');
  const asked = { verb, body: {} };
  const q = `flow:${name}`;
  const tried = await inBulk(gateway, asked, { q, headers, dryRun: true });
  const many = await inBulk(gateway, asked, { q, headers });
  return [tried, many, await alone(gateway, asked, { taskId, headers })];
}

describe('an action that reaches child tasks', () => {
  const TWO = ['NEEDS_TWO_PEOPLE', 'NEEDS_TWO_PEOPLE', 'waits'];

  it.each([
    ['terminate', 'wrap', false],
    ['terminate', 'deep', false],
    ['terminate', 'parts', false],
    ['pause', 'deep', false],
    ['rollback', 'wrap', false],
    ['undo', 'wrap', true],
    ['undo', 'deep', true],
    ['restart', 'deep', true],
  ])('needs two where a rule is about one: %s %s', async (verb, name, isDone) => {
    await open(RULED);
    expect(await outcomes(verb, name, isDone)).toEqual(TWO);
  });

  it('needs two where it undoes one that has succeeded', async () => {
    await open(['undo']);
    const taskId = await start('deep', true);
    const headers = await callers.role('operator');
    const reset = { verb: 'reset', body: { to: 'call' } };
    expect(await alone(gateway, reset, { taskId, headers })).toBe('waits');
  });

  it.each([
    ['terminate', 'free', false],
    ['undo', 'free', true],
  ])('needs one where no rule is about any: %s %s', async (verb, name, isDone) => {
    await open(RULED);
    const [tried, many] = await outcomes(verb, name, isDone);
    expect([tried, many]).toEqual(['done', 'done']);
  });

  it('needs one where it does not reach them any more', async () => {
    await open(['terminate']);
    expect((await outcomes('undo', 'wrap', true)).slice(0, 2)).toEqual(['done', 'done']);
  });

  it('is done once somebody else has approved it', async () => {
    await open(RULED);
    const taskId = await start('deep', false);
    const headers = await callers.role('operator');
    const url = `/v1/tasks/${taskId}:terminate`;
    const { operationId } = (await gateway.post(url, { reason: 'no use' }, headers)).json<{
      operationId: string;
    }>();
    const own = await gateway.post(`/v1/operations/${operationId}:approve`, {}, headers);
    expect(own.statusCode).toBe(403);
    const other = await callers.as({ name: 'ben', role: 'operator' });
    const answer = await gateway.post(`/v1/operations/${operationId}:approve`, {}, other);
    expect(answer.json()).toMatchObject({ status: 'finished', done: 1 });
  });

  it('is taken to need two where the family is too large to look through', async () => {
    await open(['terminate']);
    const taskId = await start('free', false);
    const store = gateway.options.children;
    const child = await gateway.world.task(taskId);
    // A family that never ends: each child task is the task itself.
    Object.assign(gateway.options, {
      children: { find: () => Promise.resolve([{ taskId, index: 0, status: child.status }]) },
    });
    const headers = await callers.role('operator');
    const terminate = { verb: 'terminate', body: {} };
    expect(await alone(gateway, terminate, { taskId, headers })).toBe('waits');
    Object.assign(gateway.options, { children: store });
  });

  it('is taken to need two where a child task cannot be read', async () => {
    await open(['terminate']);
    const taskId = await start('free', false);
    const store = gateway.options.store;
    const get = async (id: string): Promise<Task | null> => {
      if (id !== taskId) throw new TaskUnreadable(id, 'it is damaged');
      return store.get(id);
    };
    Object.assign(gateway.options, { store: Object.create(store, { get: { value: get } }) });
    const headers = await callers.role('operator');
    const terminate = { verb: 'terminate', body: {} };
    expect(await alone(gateway, terminate, { taskId, headers })).toBe('waits');
    Object.assign(gateway.options, { store });
  });
});
