import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type KeyOrder, makeKey } from '#access';
import { action, chain, type EngineWorld, flow, settle } from '#testing';
import { misfits } from '../docs/misfits-spec.js';
import { Gateway } from '../gateway-spec.js';
import type { WholeOperation } from './operation.presenter.js';

const OTHER = flow([{ name: 'a', needs: [], normal: action('m.a'), rollback: null }], {
  name: 'other',
});

let gateway: Gateway;
let world: EngineWorld;
const keys = new Map<string, string>();

beforeEach(() => open(false));
afterEach(() => gateway.close());

async function open(asksForKeys: boolean): Promise<void> {
  gateway = await Gateway.open([chain(['a', 'b']), OTHER], { asksForKeys });
  ({ world } = gateway);
}

async function addKey(order: KeyOrder): Promise<void> {
  const secret = { id: `${keys.size}`.padStart(16, '0'), secret: 's'.repeat(43) };
  const { record, text } = makeKey(order, secret, world.clock.now());
  await world.store.keys.put(record, null);
  keys.set(order.name, text);
}

const as = (name: string) => ({ authorization: `Bearer ${keys.get(name)}` });

/** Tasks that wait for a person, each because its rollback failed. */
async function stuck(count: number, body: object = {}): Promise<readonly string[]> {
  gateway.failRollback();
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    ids.push(await gateway.create({ flow: 'test-flow', ...body }));
  }
  for (const id of ids) await fellStuck(id);
  return ids;
}

async function fellStuck(id: string): Promise<void> {
  for (let n = 0; (await world.task(id)).status !== 5; n += 1) {
    if (n === 10_000) throw new Error(`task ${id} does not wait for a person`);
    await settle();
  }
}

const ORDER = { action: 'skip', step: 'a', q: 'status:rollback_failed', reason: 'undone by hand' };

async function start(body: object, headers: Record<string, string> = {}): Promise<WholeOperation> {
  const answer = await gateway.post('/v1/operations', body, headers);
  expect([answer.statusCode, answer.body]).toEqual([202, expect.any(String)]);
  const operation = answer.json() as WholeOperation;
  expect(answer.headers['location']).toBe(`/v1/operations/${operation.operationId}`);
  return operation;
}

async function get({ operationId }: Pick<WholeOperation, 'operationId'>): Promise<WholeOperation> {
  const answer = await gateway.ask({ url: `/v1/operations/${operationId}` });
  return answer.json() as WholeOperation;
}

async function ended(operation: Pick<WholeOperation, 'operationId'>): Promise<WholeOperation> {
  for (let n = 0; n < 100; n += 1) {
    const now = await get(operation);
    if (now.endedAt !== null) return now;
    await world.clock.advance(1_000);
  }
  throw new Error('the operation does not end');
}

describe('an operation', () => {
  it('deletes every task that matches and has ended', async () => {
    await gateway.create({ flow: 'other' });
    const ids = await stuck(1);
    await gateway.create({ flow: 'other' });
    await settle();
    const order = { action: 'delete', q: 'age:<1h', reason: 'a test' };
    const tried = await ended(await start({ ...order, dryRun: true }));
    expect(tried).toMatchObject({ wouldDo: 2, refused: 1, counts: { ILLEGAL_ACTION: 1 } });
    expect(world.store.contents.tasks.size).toBeGreaterThan(2);
    const done = await ended(await start(order));
    expect(done).toMatchObject({ done: 2, refused: 1, counts: { ILLEGAL_ACTION: 1 } });
    expect(misfits('Operation', done)).toEqual([]);
    const left = (await gateway.ask({ url: '/v1/tasks' })).json<{ items: { taskId: string }[] }>();
    expect(left.items.map(({ taskId }) => taskId)).toEqual(ids);
  });

  it('acts on every task that matches, and on no other', async () => {
    const ids = await stuck(5);
    const other = await gateway.create({ flow: 'other' });
    await settle();
    const begun = await start(ORDER, { 'x-backstep-actor': 'ann' });
    expect(begun).toMatchObject({ matched: 5, isCounted: true, status: 'running', actor: 'ann' });
    const { operationId } = begun;
    const over = await ended(begun);
    expect(over).toMatchObject({ matched: 5, done: 5, refused: 0, failed: 0, status: 'finished' });
    expect([...over.sample].sort()).toEqual([...ids].sort());
    expect(misfits('Operation', over)).toEqual([]);
    for (const id of ids) {
      const { journal, status } = await world.task(id);
      expect(status).toBe(4);
      expect(journal.entries().filter(({ kind }) => kind === 'skip_requested')).toMatchObject([
        { actor: 'ann', message: `undone by hand (operation ${operationId})` },
      ]);
    }
    expect((await world.task(other)).journal.entries().map(({ kind }) => kind)).not.toContain(
      'skip_requested',
    );
  });

  it('counts and names those that refuse', async () => {
    const [id = ''] = await stuck(1);
    await gateway.create({ flow: 'other' });
    await settle();
    const { counts, done, examples, matched, refused } = await ended(
      await start({ ...ORDER, q: 'status:succeeded,rollback_failed flow:*' }),
    );
    expect({ done, matched, refused }).toEqual({ done: 1, matched: 2, refused: 1 });
    expect(counts).toEqual({ ILLEGAL_ACTION: 1 });
    expect(examples).toMatchObject([{ outcome: 'refused', code: 'ILLEGAL_ACTION' }]);
    expect(examples[0]!.taskId).not.toBe(id);
  });

  it('that is a dry run says what would become of each task, and changes none', async () => {
    const ids = await stuck(3);
    await gateway.create({ flow: 'other' });
    await settle();
    const order = { action: 'retry', q: 'flow:*', reason: 'why', dryRun: true };
    const before = await Promise.all(ids.map((id) => world.task(id)));
    const operation = await start(order);
    expect(operation).toMatchObject({ status: 'finished', matched: 4, wouldDo: 3, refused: 1 });
    expect(operation).toMatchObject({ done: 0, failed: 0, counts: { ILLEGAL_ACTION: 1 } });
    expect([...operation.sample].sort()).toEqual([...ids].sort());
    expect(await Promise.all(ids.map((id) => world.task(id)))).toEqual(before);
  });

  it('restarts what has ended, each once, with the reason in the journal', async () => {
    for (let n = 0; n < 3; n += 1) await gateway.create({ flow: 'other' });
    await settle();
    const order = { action: 'restart', q: 'flow:other', reason: 'once more' };
    const dry = await start({ ...order, dryRun: true });
    expect(dry).toMatchObject({ wouldDo: 3, refused: 0 });
    const { done, operationId } = await ended(await start(order));
    expect(done).toBe(3);
    const list = await gateway.ask({ url: '/v1/tasks?flow=other' });
    const { items } = list.json() as { items: { taskId: string }[] };
    expect(items).toHaveLength(6);
    const anew = await Promise.all(items.map(({ taskId }) => world.task(taskId)));
    const made = anew.filter(({ plan }) => plan.restartOf !== null);
    expect(made.map(({ journal }) => journal.at(0))).toMatchObject(
      made.map(() => ({ kind: 'created', message: `once more (operation ${operationId})` })),
    );
  });

  it('is called off: nothing more is begun', async () => {
    const ids = await stuck(6);
    const begun = await start({ ...ORDER, ratePerSecond: 1 });
    await world.clock.advance(1_500);
    const headers = { 'x-backstep-actor': 'ben' };
    const url = `/v1/operations/${begun.operationId}:cancel`;
    const answer = await gateway.post(url, { reason: 'too many' }, headers);
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({
      status: 'cancelled',
      done: 2,
      cancel: { actor: 'ben', reason: 'too many' },
    });
    const states = await Promise.all(ids.map(async (id) => (await world.task(id)).status));
    expect(states.filter((status) => status === 4)).toHaveLength(2);
    expect((await gateway.post(url)).json()).toMatchObject({ cancel: { actor: 'ben' } });
  });

  it('that has ended is not called off', async () => {
    const operation = await ended(await start(ORDER));
    const answer = await gateway.post(`/v1/operations/${operation.operationId}:cancel`, {});
    expect([answer.statusCode, answer.json().code]).toEqual([409, 'OPERATION_ENDED']);
  });

  it('is begun once for each key', async () => {
    await stuck(2);
    const headers = { 'idempotency-key': 'k' };
    const first = await start(ORDER, headers);
    const again = await gateway.post('/v1/operations', ORDER, headers);
    expect([again.statusCode, again.headers['idempotent-replayed']]).toEqual([202, 'true']);
    expect(again.json().operationId).toBe(first.operationId);
    const other = await gateway.post('/v1/operations', { ...ORDER, reason: 'b' }, headers);
    expect([other.statusCode, other.json().code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    const list = await gateway.ask({ url: '/v1/operations' });
    expect(misfits('OperationPage', list.json())).toEqual([]);
    expect(list.json().items).toHaveLength(1);
  });

  it('waits while the store is away, and counts nothing of that', async () => {
    await stuck(3);
    const begun = await start({ ...ORDER, ratePerSecond: 1 });
    await world.clock.advance(500);
    world.store.down = true;
    await world.clock.advance(8_000);
    world.store.down = false;
    expect(await ended(begun)).toMatchObject({ done: 3, refused: 0, failed: 0 });
  });

  it('is written down when it begins, when it is called off, and when it ends', async () => {
    await stuck(2);
    const { operationId } = await ended(await start(ORDER));
    const entries = await world.store.audit.readEntries({ first: 'oldest', limit: 100 });
    expect(entries.slice(-2)).toMatchObject([
      { operation: 'POST /v1/operations', status: 202, reason: ORDER.reason },
      {
        operation: 'END /v1/operations/{operationId}',
        target: `/v1/operations/${operationId}`,
        reason: 'skip finished: 2 done, 0 refused, 0 failed',
      },
    ]);
  });

  it('that another gateway was carrying out is taken over when it is due', async () => {
    await stuck(3);
    const begun = await start({ ...ORDER, ratePerSecond: 1 });
    const { operations } = world.store;
    const record = (await operations.get(begun.operationId))!;
    const lost = { runner: 'somebody else', revision: record.revision + 5 };
    const dueAt = world.clock.now() + 10_000;
    await operations.put({ ...record, ...lost, dueAt }, record);
    await world.clock.advance(9_000);
    expect(await get(begun)).toMatchObject({ done: 0, status: 'running' });
    expect(await ended(begun)).toMatchObject({ done: 3, matched: 3 });
  });
});

describe('a request for an operation', () => {
  it.each([
    [{ ...ORDER, q: '' }, '/q'],
    [{ ...ORDER, q: '   ' }, '/q'],
    [{ ...ORDER, q: 'flavour:sweet' }, '/q'],
    [{ ...ORDER, action: 'signal' }, '/action'],
    [{ ...ORDER, step: undefined }, '/step'],
    [{ ...ORDER, reason: '' }, '/reason'],
    [{ ...ORDER, to: 'a' }, '/to'],
    [{ ...ORDER, ratePerSecond: 0 }, '/ratePerSecond'],
    [{ ...ORDER, ratePerSecond: 1_001 }, '/ratePerSecond'],
    [{ ...ORDER, dryRun: 'yes' }, '/dryRun'],
    [{ ...ORDER, more: 1 }, '/more'],
    [{ action: 'retry', q: 'status:live', reason: 'a', parameters: [] }, '/parameters'],
  ])('that is wrong is refused with what is wrong: %j', async (body, pointer) => {
    const answer = await gateway.post('/v1/operations', body);
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'INVALID_REQUEST']);
    expect(answer.json().errors).toMatchObject([{ pointer }]);
  });

  it('for one that is not there is told so', async () => {
    for (const url of ['/v1/operations/none', `/v1/operations/${'x'.repeat(80)}`]) {
      const answer = await gateway.ask({ url });
      expect([answer.statusCode, answer.json().code]).toEqual([404, 'OPERATION_NOT_FOUND']);
    }
    const answer = await gateway.post('/v1/operations/none:cancel', {});
    expect(answer.json().code).toBe('OPERATION_NOT_FOUND');
  });

  it('for a list gives page after page', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      ids.unshift((await start({ ...ORDER, dryRun: true })).operationId);
      await world.clock.advance(1);
    }
    const seen: string[] = [];
    let cursor = '';
    do {
      const url = `/v1/operations?limit=2${cursor}`;
      const page = (await gateway.ask({ url })).json() as {
        items: { operationId: string }[];
        page: { nextCursor: string | null };
      };
      seen.push(...page.items.map(({ operationId }) => operationId));
      cursor = page.page.nextCursor === null ? '' : `&cursor=${page.page.nextCursor}`;
    } while (cursor !== '');
    expect(seen).toEqual(ids);
  });
});

describe('an operation of a key with limits', () => {
  beforeEach(async () => {
    await gateway.close();
    keys.clear();
    await open(true);
    await addKey({ name: 'all', role: 'operator' });
    await addKey({ name: 'team', role: 'operator', labels: { team: 'a' } });
    await addKey({ name: 'team-too', role: 'viewer', labels: { team: 'a' } });
    await addKey({ name: 'others', role: 'operator', flows: 'other' });
  });

  it('leaves room for those of others, to begin and to be carried out', async () => {
    for (let n = 0; n < 3; n += 1) await gateway.create({ flow: 'other' }, as('all'));
    await settle();
    const order = { action: 'undo', q: 'status:succeeded flow:other', reason: 'why' };
    const slow = { ...order, ratePerSecond: 1 };
    for (let n = 0; n < 25; n += 1) await start(slow, as('all'));
    const more = await gateway.post('/v1/operations', slow, as('all'));
    expect([more.statusCode, more.json().code]).toEqual([429, 'TOO_MANY_REQUESTS']);
    const other = await start({ ...order, dryRun: true }, as('others'));
    expect(other).toMatchObject({ status: 'finished', actor: 'others' });
  });

  it('is about the tasks that it sees, and only the same limits see it', async () => {
    for (const team of ['a', 'b']) {
      await gateway.create({ flow: 'other', labels: { team } }, as('all'));
    }
    await settle();
    const order = { action: 'undo', q: 'status:succeeded', reason: 'why', dryRun: true };
    const operation = await start(order, as('team'));
    expect(operation).toMatchObject({ matched: 1, wouldDo: 1, actor: 'team' });
    const url = `/v1/operations/${operation.operationId}`;
    const statuses: Record<string, number> = {};
    for (const name of keys.keys()) {
      statuses[name] = (await gateway.ask({ url, headers: as(name) })).statusCode;
    }
    expect(statuses).toEqual({ all: 200, team: 200, 'team-too': 200, others: 404 });
    const list = await gateway.ask({ url: '/v1/operations', headers: as('others') });
    expect(list.json().items).toEqual([]);
  });
});
