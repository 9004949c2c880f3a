import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type KeyOrder, makeKey } from '#access';
import { chain, settle } from '#testing';
import { misfits } from '../docs/misfits-spec.js';
import { Gateway } from '../gateway-spec.js';

interface Page {
  readonly items: readonly (Readonly<Record<string, unknown>> & { readonly taskId: string })[];
  readonly page: { readonly nextCursor: string | null };
}

let gateway: Gateway;
const keys = new Map<string, Record<string, string>>();
const ids: string[] = [];

/** Three tasks: one at its first step, one at its second, one that undoes its first. */
beforeEach(async () => {
  const flows = ['one', 'two', 'three'].map((name) => ({ ...chain(['a', 'b']), name }));
  gateway = await Gateway.open(flows, { asksForKeys: true });
  keys.clear();
  await addKey({ name: 'all', role: 'operator' });
  await addKey({ name: 'some', role: 'viewer', flows: 't*' });
  await addKey({ name: 'labelled', role: 'viewer', labels: { way: 't*' } });
  const hangs = (): Promise<never> => new Promise(() => {});
  const { scripts } = gateway.world.commands;
  scripts.set('m.a', hangs);
  ids.splice(0, 3, await start('one'));
  scripts.delete('m.a');
  scripts.set('m.b', hangs);
  ids.push(await start('two'));
  gateway.failRollback();
  scripts.set('m.undo_a', hangs);
  ids.push(await start('three'));
});
afterEach(() => gateway.close());

async function start(flow: string): Promise<string> {
  const taskId = await gateway.create({ flow, labels: { way: flow } }, keys.get('all'));
  for (let n = 0; n < 20; n += 1) await settle();
  await gateway.world.clock.advance(1_000);
  return taskId;
}

async function addKey(order: KeyOrder): Promise<void> {
  const secret = { id: `${keys.size}`.padStart(16, '0'), secret: 's'.repeat(43) };
  const { record, text } = makeKey(order, secret, gateway.world.clock.now());
  await gateway.world.store.keys.put(record, null);
  keys.set(order.name, { authorization: `Bearer ${text}` });
}

async function list(query = '', name = 'all'): Promise<Page> {
  const answer = await gateway.ask({ url: `/v1/attempts${query}`, headers: keys.get(name)! });
  expect([query, answer.statusCode]).toEqual([query, 200]);
  expect(misfits('Attempts', answer.json())).toEqual([]);
  return answer.json();
}

/** Which of the three tasks an answer names, in its order. */
function places({ items }: Page): readonly number[] {
  return items.map(({ taskId }) => ids.indexOf(taskId));
}

describe('GET /v1/attempts', () => {
  it('lists what runs, the oldest first, with its executor', async () => {
    const found = await list();
    expect(places(found)).toEqual([0, 1, 2]);
    const since = expect.stringMatching(/^\d{4}-.*Z$/);
    const more = { attempt: 1, module: 'm', executor: 'executor-1', since, deadline: since };
    const { items } = found;
    expect(items[0]).toMatchObject({ step: 'a', id: 'a', command: 'a', flow: 'one', ...more });
    expect(items[1]).toMatchObject({ step: 'b', direction: 'normal', age: 2 });
    expect(items[2]).toMatchObject({ step: 'a', direction: 'rollback', command: 'undo_a', age: 1 });
  });

  it('tells the build of the executor, if that is known', async () => {
    expect((await list()).items[0]).toMatchObject({ build: null });
    const { engine, store } = gateway.world;
    await engine.directory.tick();
    const [record] = await store.listExecutors(0);
    await store.announce({ ...record!, build: 'shop@1' });
    expect((await list()).items[0]).toMatchObject({ build: 'shop@1' });
  });

  it.each<[string, readonly number[]]>([
    ['?executor=executor-1', [0, 1, 2]],
    ['?executor=executor', []],
    ['?step=a', [0, 2]],
    ['?step=a&direction=normal', [0]],
    ['?direction=rollback', [2]],
    ['?module=m', [0, 1, 2]],
    ['?module=n', []],
    ['?flow=two', [1]],
    ['?flow=two&step=a', []],
    ['?age=2s', [0, 1]],
    ['?age=2500ms', [0]],
  ])('%s', async (query, expected) => {
    expect(places(await list(query))).toEqual(expected);
  });

  it('shows a caller with limits those of the tasks that he sees', async () => {
    expect(places(await list('', 'some'))).toEqual([1, 2]);
    expect(places(await list('', 'labelled'))).toEqual([1, 2]);
    expect(places(await list('?flow=one', 'some'))).toEqual([]);
  });

  it('goes on where a page ended', async () => {
    const seen: number[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const found: Page = await list(`?limit=1${cursor && `&cursor=${cursor}`}`);
      seen.push(...places(found));
      cursor = found.page.nextCursor;
    }
    expect(seen).toEqual([0, 1, 2]);
  });

  it.each(['?age=soon', '?direction=up', '?cursor=abc', '?colour=red'])(
    'refuses %s',
    async (query) => {
      const url = `/v1/attempts${query}`;
      const answer = await gateway.ask({ url, headers: keys.get('all')! });
      expect([query, answer.statusCode]).toEqual([query, 400]);
    },
  );
});

describe('GET /v1/tasks?q=', () => {
  it.each<[string, readonly number[]]>([
    ['step:a', [2, 0]],
    ['step:a,b', [2, 1, 0]],
    ['step:a step:b', []],
    ['step:none', []],
    ['module:m status:running', [1, 0]],
    ['module:n', []],
    ['stage:b', [2, 1]],
    ['stage:b step:a', [2]],
    ['executor:executor-1 flow:t*', [2, 1]],
    ['executor:executor-2', []],
    ['step:a status:succeeded', []],
  ])('%s', async (q, expected) => {
    const url = `/v1/tasks?q=${encodeURIComponent(q)}`;
    const answer = await gateway.ask({ url, headers: keys.get('all')! });
    expect(places(answer.json())).toEqual(expected);
  });

  it.each([
    ['step:a*', 'At character 6: This is no name that `step:` takes.'],
    ['module:a,', 'At character 8: This is no name that `module:` takes.'],
    ['executor:a executor:b', 'At character 21: A search has executors once.'],
  ])('says where %s is wrong', async (q, message) => {
    const url = `/v1/tasks?q=${encodeURIComponent(q)}`;
    const answer = await gateway.ask({ url, headers: keys.get('all')! });
    expect(answer.json()).toMatchObject({ errors: [{ pointer: '/q', message }] });
  });

  it.each(['/v1/events', '/v1/archive'])('is refused in %s, which does not know', async (path) => {
    await addKey({ name: 'admin', role: 'admin' });
    const answer = await gateway.ask({ url: `${path}?q=step:a`, headers: keys.get('admin')! });
    expect(answer.statusCode).toBe(400);
    const message = expect.stringContaining('find unfinished tasks by what they do now');
    expect(answer.json()).toMatchObject({ errors: [{ pointer: '/q', message }] });
  });

  it('counts by them, and acts on what they find', async () => {
    const headers = keys.get('all')!;
    const count = await gateway.ask({ url: '/v1/tasks:count?q=step:a', headers });
    expect(count.json()).toMatchObject({ total: 2 });
    const order = { action: 'terminate', q: 'stage:b', reason: 'a test', dryRun: true };
    const answer = await gateway.post('/v1/operations', order, headers);
    expect(answer.json()).toMatchObject({ matched: 2 });
  });
});
