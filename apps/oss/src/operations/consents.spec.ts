import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { LightMyRequestResponse } from 'fastify';
import { type KeyOrder, makeKey } from '#access';
import { action, chain, done, type EngineWorld, flow, settle } from '#testing';
import { misfits } from '../docs/misfits-spec.js';
import { Gateway } from '../gateway-spec.js';
import { CONSENT_MS, ruleFor } from './consent.js';
import type { WholeOperation } from './operation.presenter.js';

const RULE = {
  text: 'terminate, restart, delete on test-* needs two',
  actions: ['terminate', 'restart', 'delete'],
  flows: ['test-*'],
} as const;

const OTHER = flow([{ name: 'a', needs: [], normal: action('m.a'), rollback: null }], {
  name: 'other',
});

let gateway: Gateway;
let world: EngineWorld;
let taskId: string;
/** Ends the command that runs. */
let finish: (outcome: ReturnType<typeof done>) => void;
const keys = new Map<string, string>();

const as = (name: string) => ({ authorization: `Bearer ${keys.get(name)}` });

beforeEach(async () => {
  keys.clear();
  const approvals = [RULE];
  gateway = await Gateway.open([chain(['a', 'b']), OTHER], { asksForKeys: true, approvals });
  ({ world } = gateway);
  await addKey({ name: 'ann', role: 'operator' });
  await addKey({ name: 'ben', role: 'operator' });
  await addKey({ name: 'eve', role: 'viewer' });
  await addKey({ name: 'out', role: 'operator', flows: 'other' });
  await addKey({ name: 'all', role: 'operator', flows: '*' });
  world.commands.scripts.set('m.a', () => new Promise((resolve) => (finish = resolve)));
  taskId = await gateway.create({ flow: 'test-flow' }, as('ann'));
  await settle();
});
afterEach(() => gateway.close());

async function addKey(order: KeyOrder): Promise<void> {
  const secret = { id: `${keys.size}`.padStart(16, '0'), secret: 's'.repeat(43) };
  const { record, text } = makeKey(order, secret, world.clock.now());
  await world.store.keys.put(record, null);
  keys.set(order.name, text);
}

/** Over HTTP, as people make keys. */
async function makeKeyAs(maker: string, name: string): Promise<void> {
  const answer = await gateway.post('/v1/keys', { name, role: 'admin' }, as(maker));
  expect(misfits('MadeKey', answer.json())).toEqual([]);
  keys.set(name, answer.json<{ key: string }>().key);
}

function terminate(headers: object = {}, id = taskId): Promise<LightMyRequestResponse> {
  const all = { ...as('ann'), ...headers };
  return gateway.post(`/v1/tasks/${id}:terminate`, { reason: 'no use' }, all);
}

async function asked(): Promise<WholeOperation> {
  const answer = await terminate();
  expect(answer.statusCode).toBe(202);
  return answer.json() as WholeOperation;
}

/** `person`: a name, and what comes with the request, if anything does. */
function say(what: string, { operationId }: WholeOperation, person: string | [string, object]) {
  const [who, body] = typeof person === 'string' ? [person, {}] : person;
  return gateway.post(`/v1/operations/${operationId}:${what}`, body, as(who));
}

async function statusOf(id = taskId): Promise<string> {
  const answer = await gateway.ask({ url: `/v1/tasks/${id}`, headers: as('ann') });
  return (answer.json() as { status: string }).status;
}

async function actsOn(id = taskId): Promise<readonly { actor: string; message: string }[]> {
  const answer = await gateway.ask({ url: `/v1/tasks/${id}/events`, headers: as('ann') });
  const { items } = answer.json() as { items: { kind: string; actor: string; message: string }[] };
  return items.filter(({ actor, kind }) => actor === 'ann' && /terminat/.test(kind));
}

describe('an action that needs two', () => {
  it('waits, and changes nothing', async () => {
    const answer = await terminate();
    const operation = answer.json() as WholeOperation;
    expect(answer.headers['location']).toBe(`/v1/operations/${operation.operationId}`);
    expect(misfits('Operation', operation)).toEqual([]);
    expect(operation).toMatchObject({
      action: 'terminate',
      taskId,
      reason: 'no use',
      actor: 'ann',
      status: 'waiting',
      matched: 1,
      consent: { rule: RULE.text, decision: null },
    });
    await world.clock.advance(60_000);
    expect(await statusOf()).toBe('running');
  });

  it('is done once somebody else approves it, with both names in the journal', async () => {
    const operation = await asked();
    const answer = await say('approve', operation, ['ben', { comment: 'looked at it' }]);
    expect(answer.statusCode).toBe(200);
    expect(misfits('Operation', answer.json())).toEqual([]);
    expect(answer.json()).toMatchObject({
      status: 'finished',
      done: 1,
      consent: { decision: { actor: 'ben', approved: true, comment: 'looked at it' } },
    });
    expect(await statusOf()).toBe('terminated');
    const [act, ...more] = await actsOn();
    expect(act).toMatchObject({ actor: 'ann', message: expect.stringContaining('by ben') });
    expect(more).toEqual([]);
  });

  it('is the deletion of a task, which is refused at once where the task must stay', async () => {
    const remove = (headers: object = {}): Promise<LightMyRequestResponse> => {
      const all = { ...as('ann'), ...headers };
      return gateway.ask({ method: 'DELETE', url: `/v1/tasks/${taskId}`, headers: all });
    };
    expect((await remove()).json()).toMatchObject({ code: 'ILLEGAL_ACTION' });
    expect((await remove({ 'if-match': '"99"' })).json()).toMatchObject({
      code: 'REVISION_CHANGED',
    });
    finish(done());
    while ((await statusOf()) !== 'succeeded') await settle();
    const answer = await remove({ 'x-backstep-reason': 'ticket 4711' });
    expect(answer.statusCode).toBe(202);
    const operation = answer.json() as WholeOperation;
    expect(misfits('Operation', operation)).toEqual([]);
    expect(operation).toMatchObject({ action: 'delete', reason: 'ticket 4711', status: 'waiting' });
    expect(await statusOf()).toBe('succeeded');
    const said = await say('approve', operation, 'ben');
    expect(said.json()).toMatchObject({ status: 'finished', done: 1 });
    expect((await remove()).json()).toMatchObject({ code: 'TASK_NOT_FOUND' });
  });

  it('is not approved by whoever asked, nor with another key of the same name', async () => {
    const operation = await asked();
    await addKey({ name: 'ann', role: 'admin' });
    const answer = await say('approve', operation, 'ann');
    expect([answer.statusCode, answer.json()]).toEqual([
      403,
      expect.objectContaining({ detail: expect.stringContaining('somebody else') }),
    ]);
    expect(await statusOf()).toBe('running');
  });

  it('is not approved with a key that whoever asked has made, nor one made with that', async () => {
    await addKey({ name: 'root', role: 'admin' });
    await makeKeyAs('root', 'puppet');
    await makeKeyAs('puppet', 'second-puppet');
    const answer = await terminate(as('root'));
    const operation = answer.json() as WholeOperation;
    for (const who of ['puppet', 'second-puppet']) {
      const said = await say('approve', operation, who);
      expect([who, said.statusCode, said.json()]).toEqual([
        who,
        403,
        expect.objectContaining({ detail: expect.stringContaining('one person may have both') }),
      ]);
    }
    expect(await statusOf()).toBe('running');
    expect((await say('approve', operation, 'ben')).statusCode).toBe(200);
  });

  it('is not approved with one of two keys that one person made', async () => {
    await addKey({ name: 'root', role: 'admin' });
    await makeKeyAs('root', 'puppet');
    await makeKeyAs('root', 'other-puppet');
    const operation = (await terminate(as('puppet'))).json() as WholeOperation;
    expect((await say('approve', operation, 'other-puppet')).statusCode).toBe(403);
    expect((await say('approve', operation, 'root')).statusCode).toBe(403);
    expect((await say('approve', operation, 'ann')).statusCode).toBe(200);
  });

  it('is approved by nobody who could not do it himself', async () => {
    const operation = await asked();
    expect((await say('approve', operation, 'eve')).statusCode).toBe(403);
    expect((await say('approve', operation, 'out')).statusCode).toBe(404);
    const list = await gateway.ask({ url: '/v1/operations', headers: as('out') });
    expect(list.json()).toMatchObject({ items: [] });
  });

  it('never begins once it is rejected, by whoever asked too', async () => {
    for (const who of ['ben', 'ann']) {
      const operation = await asked();
      const answer = await say('reject', operation, [who, { comment: 'no' }]);
      expect(answer.json()).toMatchObject({ status: 'rejected', done: 0 });
      const late = await say('approve', operation, 'ben');
      expect([late.statusCode, late.json()]).toEqual([
        409,
        expect.objectContaining({ code: 'NOT_WAITING' }),
      ]);
    }
    expect(await statusOf()).toBe('running');
  });

  it('expires after a day', async () => {
    const operation = await asked();
    await world.clock.advance(CONSENT_MS);
    expect((await say('approve', operation, 'ben')).statusCode).toBe(409);
    await world.clock.advance(2_000);
    const url = `/v1/operations/${operation.operationId}`;
    const found = await gateway.ask({ url, headers: as('ann') });
    expect(found.json()).toMatchObject({ status: 'expired', done: 0 });
    expect(await actsOn()).toEqual([]);
  });

  it('is judged again when it is approved', async () => {
    const operation = await asked();
    finish(done());
    while ((await statusOf()) !== 'succeeded') await settle();
    const answer = await say('approve', operation, 'ben');
    expect(answer.json()).toMatchObject({
      status: 'finished',
      done: 0,
      refused: 1,
      counts: { ILLEGAL_ACTION: 1 },
    });
  });

  it('that is not legal now does not even wait', async () => {
    await say('approve', await asked(), 'ben');
    expect((await terminate()).json()).toMatchObject({ code: 'ILLEGAL_ACTION' });
    expect((await terminate({ 'if-match': '"1"' })).json()).toMatchObject({
      code: 'REVISION_CHANGED',
    });
  });

  it('is asked for once, however often the request is repeated', async () => {
    const first = await terminate({ 'idempotency-key': 'one' });
    const second = await terminate({ 'idempotency-key': 'one' });
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(second.json()).toEqual(first.json());
  });

  it('counts one approval, however often it is said', async () => {
    const operation = await asked();
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => say('approve', operation, 'ben')),
    );
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
    expect(await actsOn()).toHaveLength(1);
  });

  it('is called off like any operation', async () => {
    const operation = await asked();
    const answer = await say('cancel', operation, ['ann', { reason: 'not needed' }]);
    expect(answer.json()).toMatchObject({ status: 'cancelled' });
    expect((await say('approve', operation, 'ben')).statusCode).toBe(409);
  });

  it('leaves both people in the audit log', async () => {
    await addKey({ name: 'root', role: 'admin' });
    const operation = await asked();
    await say('approve', operation, ['ben', { comment: 'looked at it' }]);
    const log = await gateway.ask({ url: '/v1/audit?limit=10', headers: as('root') });
    const { items } = log.json() as { items: { actor: string; reason: string }[] };
    const said = items.map(({ actor, reason }) => [actor, reason]);
    expect(said).toContainEqual(['ann', 'no use']);
    expect(said).toContainEqual(['ben', 'looked at it']);
    expect(said).toContainEqual(['ann', expect.stringContaining('approved by ben: 1 done')]);
  });

  it('may be to start a task anew', async () => {
    await say('approve', await asked(), 'ben');
    const reason = { reason: 'again' };
    const answer = await gateway.post(`/v1/tasks/${taskId}:restart`, reason, as('ann'));
    expect(answer.statusCode).toBe(202);
    await say('approve', answer.json(), 'ben');
    const list = await gateway.ask({ url: '/v1/tasks', headers: as('ann') });
    expect(list.json().items).toHaveLength(2);
  });

  it('is found among those that wait', async () => {
    const operation = await asked();
    const waiting = { url: '/v1/operations?status=waiting', headers: as('ann') };
    const list = (await gateway.ask(waiting)).json() as { items: WholeOperation[] };
    expect(list.items.map(({ operationId }) => operationId)).toEqual([operation.operationId]);
    await say('reject', operation, 'ben');
    expect((await gateway.ask(waiting)).json()).toMatchObject({ items: [] });
    const wrong = await gateway.ask({ url: '/v1/operations?status=odd', headers: as('ann') });
    expect(wrong.statusCode).toBe(400);
  });
});

describe('an action that needs one', () => {
  it('is done at once: another action, and a task of another flow', async () => {
    const other = await gateway.create({ flow: 'other' }, as('ann'));
    expect((await terminate({}, other)).statusCode).toBe(200);
    const pause = await gateway.post(`/v1/tasks/${taskId}:pause`, { reason: 'x' }, as('ann'));
    expect(pause.statusCode).toBe(200);
  });
});

describe('an action on all tasks that match', () => {
  const ORDER = { action: 'terminate', q: 'status:running', reason: 'no use' };

  it('waits as a whole where it may meet a flow that needs two', async () => {
    const answer = await gateway.post('/v1/operations', ORDER, as('ann'));
    const operation = answer.json() as WholeOperation;
    expect(operation).toMatchObject({ status: 'waiting', taskId: null, matched: 1 });
    expect(await statusOf()).toBe('running');
    const after = await say('approve', operation, 'ben');
    expect(after.json()).toMatchObject({ status: 'finished', done: 1 });
    expect(await statusOf()).toBe('terminated');
  });

  it('that is only tried out waits for nobody', async () => {
    const dry = { ...ORDER, dryRun: true };
    const answer = await gateway.post('/v1/operations', dry, as('ann'));
    expect(answer.json()).toMatchObject({ status: 'finished', wouldDo: 1, consent: null });
  });

  it.each([
    ['ann', 'flow:other status:running', false],
    ['ann', 'flow:other,third', false],
    ['ann', 'flow:other flow:test-flow', false],
    ['ann', 'flow:other,test-flow', true],
    ['ann', 'flow:o*', false],
    ['ann', 'flow:*', true],
    ['ann', 'status:running', true],
    ['all', 'flow:other', false],
    ['all', 'flow:test-*', true],
    ['all', 'status:running', true],
    ['out', 'flow:*', false],
    ['out', 'status:running', false],
    ['out', 'flow:test-flow', false],
  ])('of %s with %s needs two: %s', async (name, q, isNeeded) => {
    const answer = await gateway.post('/v1/operations', { ...ORDER, q }, as(name));
    const { status } = answer.json() as WholeOperation;
    expect([answer.statusCode, status === 'waiting']).toEqual([202, isNeeded]);
    expect(await statusOf()).toBe('running');
  });

  it('acts on the flows that its search names, and on no other that its sender sees', async () => {
    const other = await gateway.create({ flow: 'other' }, as('ann'));
    const answer = await gateway.post('/v1/operations', { ...ORDER, q: 'flow:other' }, as('all'));
    expect(answer.json()).toMatchObject({ matched: 1 });
    await settle();
    expect(await statusOf(other)).toBe('terminated');
    expect(await statusOf()).toBe('running');
  });
});

describe('a rule', () => {
  it('is about its actions on its flows', () => {
    expect(ruleFor([RULE], 'terminate', 'test-x')).toBe(RULE);
    expect(ruleFor([RULE], 'terminate', 'other')).toBeUndefined();
    expect(ruleFor([RULE], 'skip', 'test-x')).toBeUndefined();
    expect(ruleFor([RULE], 'approve', 'test-x')).toBeUndefined();
  });
});
