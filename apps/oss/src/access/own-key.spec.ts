import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { LightMyRequestResponse } from 'fastify';
import { makeKey } from '#access';
import { chain, type EngineWorld, settle } from '#testing';
import { Gateway } from '../gateway-spec.js';
import { ownKey } from './own-key.js';

const BODY = { flow: 'test-flow', idempotencyKey: 'order-1' };
const AT_ONCE = 8;

let gateway: Gateway;
let world: EngineWorld;
const keys = new Map<string, string>();
const as = (name: string) => ({ authorization: `Bearer ${keys.get(name)}` });

beforeEach(async () => {
  gateway = await Gateway.open([chain(['a', 'b'])], { asksForKeys: true });
  ({ world } = gateway);
  for (const name of ['ann', 'ben']) {
    const secret = { id: `${keys.size}`.padStart(16, '0'), secret: 's'.repeat(43) };
    const { record, text } = makeKey({ name, role: 'operator' }, secret, world.clock.now());
    await world.store.keys.put(record, null);
    keys.set(name, text);
  }
});
afterEach(async () => {
  keys.clear();
  await gateway.close();
});

const post = (name: string, body: object = BODY): Promise<LightMyRequestResponse> =>
  gateway.post('/v1/tasks', body, as(name));

const taskIdOf = (answer: LightMyRequestResponse): string =>
  answer.json<{ taskId: string }>().taskId;

interface Result {
  readonly status: number;
  readonly taskId: string;
}

async function batch(name: string, tasks: readonly object[]): Promise<readonly Result[]> {
  const answer = await gateway.post('/v1/tasks:batch', { tasks }, as(name));
  return answer.json<{ results: readonly Result[] }>().results;
}

describe('one idempotency key of two callers', () => {
  it('makes a task for each, and finds the own one again', async () => {
    const first = await post('ann');
    const other = await post('ben');
    expect([first.statusCode, other.statusCode]).toEqual([201, 201]);
    expect(taskIdOf(other)).not.toBe(taskIdOf(first));
    for (const [name, made] of [
      ['ann', first],
      ['ben', other],
    ] as const) {
      const again = await post(name);
      expect([again.statusCode, again.headers['idempotent-replayed']]).toEqual([200, 'true']);
      expect(taskIdOf(again)).toBe(taskIdOf(made));
    }
  });

  it('does not tell that the other one used it for something else', async () => {
    await post('ann');
    const other = await post('ben', { ...BODY, priority: 1 });
    expect(other.statusCode).toBe(201);
    const own = await post('ann', { ...BODY, priority: 1 });
    expect(own.json()).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  it('finds nothing of the other one where the request is refused', async () => {
    const taskId = taskIdOf(await post('ann'));
    gateway.versions = [];
    const other = await post('ben');
    expect(other.json()).toMatchObject({ code: 'FLOW_NOT_FOUND' });
    expect(taskIdOf(await post('ann'))).toBe(taskId);
  });

  it('is two keys in a batch as well, and the same as alone', async () => {
    const tasks = [BODY, { ...BODY, idempotencyKey: 'order-2' }];
    const first = await batch('ann', tasks);
    const other = await batch('ben', tasks);
    expect([...first, ...other].map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(new Set([...first, ...other].map(({ taskId }) => taskId)).size).toBe(4);
    const again = await batch('ben', tasks);
    const found = other.map(({ taskId }) => expect.objectContaining({ status: 200, taskId }));
    expect(again).toEqual(found);
    expect(taskIdOf(await post('ann'))).toBe(first[0]?.taskId);
  });

  it('makes one task for each, however many ask at once', async () => {
    const callers = Array.from({ length: AT_ONCE }, (_, n) => (n % 2 === 0 ? 'ann' : 'ben'));
    const answers = await Promise.all(
      callers.flatMap((name) => [post(name).then(taskIdOf), batch(name, [BODY]).then(firstId)]),
    );
    const made = callers.map((name, n) => ({ name, ids: answers.slice(2 * n, 2 * n + 2) }));
    const idsOf = (wanted: string): ReadonlySet<string> =>
      new Set(made.filter(({ name }) => name === wanted).flatMap(({ ids }) => ids));
    expect([idsOf('ann').size, idsOf('ben').size]).toEqual([1, 1]);
    expect(new Set(answers).size).toBe(2);
  });

  it('is no repetition where they act on the same task', async () => {
    gateway.failRollback();
    const taskId = taskIdOf(await post('ann'));
    while ((await world.task(taskId)).status !== 5) await settle();
    const act = (name: string, verb: string): Promise<LightMyRequestResponse> => {
      const headers = { ...as(name), 'idempotency-key': 'act-1' };
      return gateway.post(`/v1/tasks/${taskId}:${verb}`, { reason: 'by hand' }, headers);
    };
    const retried = await act('ann', 'retry');
    expect([retried.statusCode, retried.headers['idempotent-replayed']]).toEqual([200, undefined]);
    while ((await world.task(taskId)).status !== 5) await settle();
    const ended = await act('ben', 'terminate');
    expect([ended.statusCode, ended.headers['idempotent-replayed']]).toEqual([200, undefined]);
    expect((await act('ben', 'terminate')).headers['idempotent-replayed']).toBe('true');
  });
});

function firstId(results: readonly Result[]): string {
  return results[0]?.taskId ?? 'none';
}

describe('the idempotency key as it is stored', () => {
  it('is the one that was sent where callers are not told apart', () => {
    expect(ownKey({ keyId: null }, 'k')).toBe('k');
    expect(ownKey({ keyId: 'one' }, null)).toBeNull();
  });

  it('is another one for each caller and key', () => {
    const callers = ['one', 'https://a#b', 'https://a#b\u001Fc'];
    const all = callers.flatMap((keyId) => ['k', 'k one'].map((key) => ownKey({ keyId }, key)));
    expect(new Set(all).size).toBe(all.length);
  });
});
