import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EVERYBODY } from '#access';
import { type FlowDefinition, NO_RETRY, type StepPlan } from '#core';
import { action, done, fails, flow, settle } from '#testing';
import { Gateway } from '../gateway-spec.js';
import { alone, CallersOf, inBulk } from './gate-spec.js';
import { expectMayAnswer } from './may-answer.js';

function ask(name: string, roles: readonly string[], needs: readonly number[] = []): StepPlan {
  const approve = { title: 'Go on?', roles, timeoutMs: null, onTimeout: 'fail' } as const;
  return { name, needs, approve, rollback: null };
}

function command(name: string, needs: readonly number[] = []): StepPlan {
  return { name, needs, normal: action(`m.${name}`), rollback: action(`m.undo_${name}`) };
}

/** A flow that asks people of these roles. */
function asking(name: string, roles: readonly string[]): FlowDefinition {
  return flow([ask('sure', roles)], { name });
}

/** A flow that runs a command, then the step `held`, then pays. */
function behind(name: string, held: object): FlowDefinition {
  const second = { name: 'held', needs: [0], ...held } as unknown as StepPlan;
  return flow([command('first'), second, command('pay', [1])], { name });
}

const INNER = [ask('ok', ['admin'])];
const DEEP = [{ name: 'in', needs: [], group: INNER, retry: NO_RETRY, timeoutMs: null }];
const EACH = { in: [1], as: 'item', concurrency: 1, successPercent: 100, parameters: null };

/** Every way in which a step may be, or hold, a step that asks admins. */
const HOLDERS = {
  approval: ask('held', ['admin'], [0]),
  group: { group: INNER, retry: NO_RETRY, timeoutMs: null },
  deep: { group: DEEP, retry: NO_RETRY, timeoutMs: null },
  choice: { choice: [{ name: 'one', when: true, steps: INNER }], otherwise: null },
  otherwise: { choice: [{ name: 'one', when: false, steps: [] }], otherwise: INNER },
  parallel: { parallel: [{ name: 'left', steps: INNER }], onBranchFailure: 'cancel' },
  loop: { loop: { steps: INNER, while: null, until: true, max: 2, delay: null } },
  foreach: { foreach: { ...EACH, steps: INNER, flow: null } },
  items: { foreach: { ...EACH, steps: null, flow: 'asks' } },
  child: { flow: { name: 'asks', version: null, parameters: null } },
  grandchild: { flow: { name: 'calls', version: null, parameters: null } },
  caught: {
    normal: action('m.held'),
    rollback: null,
    catch: [{ errors: ['*'], as: null, steps: INNER }],
  },
  dynamic: { dynamic: { steps: '{% steps %}' } },
  named: { flow: { name: '{% name %}', version: null, parameters: null } },
} as const;

const FLOWS = [
  asking('open', []),
  asking('authors', ['author']),
  asking('dbas', ['dba']),
  asking('asks', ['admin']),
  flow([{ name: 'call', needs: [], ...HOLDERS.child }], { name: 'calls' }),
  behind('plain', { group: [command('in')], retry: NO_RETRY, timeoutMs: null }),
  behind('free', ask('held', [], [0])),
  ...Object.entries(HOLDERS).map(([name, held]) => behind(`by-${name}`, held)),
];

let gateway: Gateway;
let callers: CallersOf;
beforeEach(async () => {
  gateway = await Gateway.open(FLOWS, { asksForKeys: true });
  callers = new CallersOf(gateway);
});
afterEach(() => gateway.close());

/** A task of a flow, of which the first command runs for as long as `finish` is not called. */
async function begin(name: string): Promise<{ readonly taskId: string; finish: () => void }> {
  let finish = (): void => undefined;
  gateway.world.commands.scripts.set('m.first', () => {
    return new Promise((resolve) => (finish = () => resolve(done())));
  });
  const taskId = await gateway.create({ flow: name }, await callers.role('admin'));
  await settle();
  return { taskId, finish: () => finish() };
}

async function stateOf(taskId: string, name: string): Promise<string> {
  const headers = await callers.role('admin');
  const answer = await gateway.ask({ url: `/v1/tasks/${taskId}`, headers });
  const { steps } = answer.json<{ steps: { name: string; state: string }[] }>();
  return steps.find((step) => step.name === name)?.state ?? '';
}

describe('a step that asks people of some roles', () => {
  it.each([
    ['open', 'operator', 200],
    ['authors', 'operator', 403],
    ['authors', 'author', 200],
    ['authors', 'admin', 200],
    ['dbas', 'author', 403],
    ['dbas', 'admin', 200],
  ] as const)('flow %s is answered by a key of the role %s: %d', async (name, role, status) => {
    const headers = await callers.role(role);
    const { taskId } = await begin(name);
    for (const verb of ['reject', 'approve']) {
      const body = { step: 'sure', comment: 'mine' };
      const answer = await gateway.post(`/v1/tasks/${taskId}:${verb}`, body, headers);
      expect(answer.statusCode).toBe(status);
      if (status === 200) return;
      expect(answer.json()).toMatchObject({
        code: 'FORBIDDEN',
        detail: expect.stringContaining('asks for'),
      });
    }
  });
});

describe('a step that the starter of its task may not approve', () => {
  const approve = { title: 'Go on?', roles: [], notBy: 'starter', timeoutMs: null } as const;
  const step = { name: 'sure', needs: [], approve: { ...approve, onTimeout: 'fail' } } as const;
  const apart = flow([{ ...step, rollback: null }], { name: 'apart' });
  const call = { name: 'apart', version: null, parameters: null };
  const around = flow([{ name: 'call', needs: [], flow: call }], { name: 'around' });

  const YES = { verb: 'approve', body: { step: 'sure', comment: 'yes', reason: undefined } };
  const NO = { verb: 'reject', body: { step: 'sure', comment: 'no', reason: undefined } };
  const SKIP = { verb: 'skip', body: { step: 'sure' } };

  beforeEach(async () => {
    await gateway.close();
    gateway = await Gateway.open([apart, around], { asksForKeys: true });
    callers = new CallersOf(gateway);
  });

  it('is approved, and skipped, by somebody else', async () => {
    const ann = await callers.as({ name: 'ann', role: 'admin' });
    const puppet = await callers.as({ name: 'puppet', role: 'operator', madeBy: 'ann' });
    const ben = await callers.as({ name: 'ben', role: 'operator' });
    const taskId = await gateway.create({ flow: 'apart' }, ann);
    await settle();
    const q = 'flow:apart';
    for (const headers of [ann, puppet]) {
      expect(await alone(gateway, YES, { taskId, headers })).toBe('FORBIDDEN');
      expect(await alone(gateway, SKIP, { taskId, headers })).toBe('FORBIDDEN');
      expect(await inBulk(gateway, SKIP, { q, headers })).toBe('FORBIDDEN');
    }
    expect(await alone(gateway, YES, { taskId, headers: ben })).toBe('done');
  });

  it('is rejected by the starter too', async () => {
    const ann = await callers.as({ name: 'ann', role: 'operator' });
    const taskId = await gateway.create({ flow: 'apart' }, ann);
    await settle();
    expect(await alone(gateway, NO, { taskId, headers: ann })).toBe('done');
  });

  it('is one in a child task, whose starter is the one of the task around', async () => {
    const ann = await callers.as({ name: 'ann', role: 'operator' });
    await gateway.create({ flow: 'around' }, ann);
    for (let n = 0; n < 20; n += 1) await settle();
    const list = await gateway.ask({ url: '/v1/tasks?flow=apart', headers: ann });
    const [child] = list.json<{ items: { taskId: string }[] }>().items;
    const task = await gateway.world.task(child?.taskId ?? '');
    expect(task.plan.starter).toMatchObject({ name: 'ann' });
    const event = { kind: 'judged', step: 'sure', isApproved: true } as const;
    const person = { actor: 'x', reason: 'yes', key: null };
    const answer = (name: string) => {
      const principal = { ...EVERYBODY, name, keyId: `${name}'s` };
      return expectMayAnswer(
        { principal, task, event: { ...event, ...person } },
        gateway.options.flowStore,
      );
    };
    await expect(answer('ann')).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(answer('ben')).resolves.toBeUndefined();
  });

  it('says so as HTTP shows its flow', async () => {
    const headers = await callers.role('viewer');
    const shown = await gateway.ask({ url: '/v1/flows/apart', headers });
    expect(shown.json()).toMatchObject({ steps: [{ approve: { notBy: 'starter' } }] });
  });
});

describe('the skip of a step that asks people, or holds one that does', () => {
  const SKIP = { verb: 'skip', body: { step: 'held' } };

  it.each(Object.keys(HOLDERS))('is for whom it asks: %s', async (holder) => {
    const { taskId } = await begin(`by-${holder}`);
    const operator = await callers.role('operator');
    const q = `flow:by-${holder}`;
    expect(await alone(gateway, SKIP, { taskId, headers: operator })).toBe('FORBIDDEN');
    expect(await inBulk(gateway, SKIP, { q, headers: operator })).toBe('FORBIDDEN');
    const dry = { q, headers: operator, dryRun: true };
    expect(await inBulk(gateway, SKIP, dry)).toBe('FORBIDDEN');
    expect(await stateOf(taskId, 'held')).toBe('pending');
    const admin = await callers.role('admin');
    expect(await inBulk(gateway, SKIP, { q, headers: admin })).toBe('done');
    expect(await stateOf(taskId, 'held')).toBe('skipped');
  });

  it.each(['plain', 'free'])('is for operators where nobody else is asked: %s', async (name) => {
    const { taskId } = await begin(name);
    const headers = await callers.role('operator');
    expect(await alone(gateway, SKIP, { taskId, headers })).toBe('done');
  });

  it('is for operators where it is undone by hand, which passes no approval', async () => {
    const held = { ...ask('held', ['admin'], [0]), rollback: action('m.undo_held') } as StepPlan;
    await gateway.close();
    gateway = await Gateway.open([flow([command('first'), held, command('pay', [1])])], {
      asksForKeys: true,
    });
    callers = new CallersOf(gateway);
    const { scripts } = gateway.world.commands;
    for (const name of ['m.pay', 'm.undo_held']) scripts.set(name, () => fails());
    const { finish, taskId } = await begin('test-flow');
    finish();
    await settle();
    const admin = await callers.role('admin');
    const approve = { verb: 'approve', body: { step: 'held', comment: 'yes', reason: undefined } };
    expect(await alone(gateway, approve, { taskId, headers: admin })).toBe('done');
    expect((await gateway.world.task(taskId)).hold?.why).toBe('rollback_failed');
    const headers = await callers.role('operator');
    expect(await alone(gateway, SKIP, { taskId, headers })).toBe('done');
    const skips = (await gateway.world.task(taskId)).journal.entries();
    expect(skips.some(({ unapproved }) => unapproved)).toBe(false);
  });

  it('is no approval, and the journal says so', async () => {
    const { taskId } = await begin('by-deep');
    const headers = await callers.role('admin');
    await alone(gateway, SKIP, { taskId, headers });
    const { journal } = await gateway.world.task(taskId);
    const skips = journal.entries().filter(({ kind }) => kind === 'skip_requested');
    expect(skips).toMatchObject([{ step: 'held', unapproved: true }]);
    const answer = await gateway.ask({ url: `/v1/tasks/${taskId}/events`, headers });
    const { items } = answer.json<{ items: { kind: string }[] }>();
    expect(items.find(({ kind }) => kind === 'skip_requested')).toMatchObject({
      message: 'skipped, not approved: why',
      unapproved: true,
    });
  });

  it.each(['waiting', 'rejected'])('stays so once it is %s', async (when) => {
    const held = flow([command('first'), ask('held', ['admin'], [0])], {
      name: 'held',
      onFailure: { holdMs: null },
    });
    await gateway.close();
    gateway = await Gateway.open([held], { asksForKeys: true });
    callers = new CallersOf(gateway);
    const { finish, taskId } = await begin('held');
    finish();
    await settle();
    const admin = await callers.role('admin');
    if (when === 'rejected') {
      const reject = { verb: 'reject', body: { step: 'held', comment: 'no', reason: undefined } };
      expect(await alone(gateway, reject, { taskId, headers: admin })).toBe('done');
    }
    const headers = await callers.role('operator');
    expect(await alone(gateway, SKIP, { taskId, headers })).toBe('FORBIDDEN');
    const q = 'flow:held';
    expect(await inBulk(gateway, SKIP, { q, headers })).toBe('FORBIDDEN');
  });
});

describe('the output of an approval', () => {
  const FORGED = { by: 'boss', comment: 'granted' };

  it.each([
    ['by-approval', { step: 'held', output: FORGED }],
    ['by-approval', { step: 'held', output: {} }],
    ['by-group', { step: 'held', output: { ok: FORGED } }],
    ['by-deep', { step: 'held', output: { in: { ok: FORGED } } }],
    ['by-choice', { step: 'held', output: { case: 'one', ok: FORGED } }],
    ['by-parallel', { step: 'held', output: { left: { ok: FORGED } } }],
    ['by-approval', { step: 'pay', output: { held: FORGED } }],
  ])('is written by nobody: %s %j', async (name, body) => {
    const { taskId } = await begin(name);
    const skip = { verb: 'skip', body };
    const headers = await callers.role('admin');
    expect(await alone(gateway, skip, { taskId, headers })).toBe('INVALID_PARAMETERS');
    const q = `flow:${name}`;
    expect(await inBulk(gateway, skip, { q, headers })).toBe('INVALID_PARAMETERS');
  });

  it('is not put in its place by parameters of a retry or a reset', async () => {
    const { taskId } = await begin('by-approval');
    const headers = await callers.role('admin');
    const parameters = { held: FORGED };
    for (const asked of [
      { verb: 'retry', body: { parameters } },
      { verb: 'reset', body: { to: 'first', parameters } },
    ]) {
      expect(await alone(gateway, asked, { taskId, headers })).toBe('INVALID_PARAMETERS');
      const q = 'flow:by-approval';
      expect(await inBulk(gateway, asked, { q, headers })).toBe('INVALID_PARAMETERS');
    }
  });

  it('does not come by a signal of its name, nor by a completion', async () => {
    const { finish, taskId } = await begin('by-approval');
    finish();
    await settle();
    const headers = await callers.role('admin');
    const signal = { verb: 'signal', body: { name: 'held', payload: FORGED, reason: undefined } };
    expect(await alone(gateway, signal, { taskId, headers })).toBe('done');
    expect(await stateOf(taskId, 'held')).toBe('waiting');
    const token = 'one-0-normal-held';
    const url = `/v1/tasks/${taskId}/steps/held:complete`;
    const answer = await gateway.post(url, { token, output: FORGED }, headers);
    expect(answer.statusCode).toBeGreaterThanOrEqual(400);
    expect(await stateOf(taskId, 'held')).toBe('waiting');
  });
});
