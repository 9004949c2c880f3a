import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chain, fails, settle } from '#testing';
import { Gateway } from '../gateway-spec.js';

let gateway: Gateway;
beforeEach(async () => {
  gateway = await Gateway.open([chain(['a', 'b'])], { maxParameters: 600_000 });
});
afterEach(() => gateway.close());

interface Page {
  readonly items: readonly { readonly taskId: string; readonly status: string }[];
  readonly page: { readonly nextCursor: string | null };
}

async function list(query: string): Promise<Page> {
  return (await gateway.ask({ url: `/v1/tasks${query}` })).json();
}

describe('GET /v1/tasks', () => {
  it('gives summaries: nothing of what a task holds', async () => {
    const parameters = { secret: 'x' };
    const id = await gateway.create({ flow: 'test-flow', parameters, labels: { l: 'v' } });
    await settle();
    const { items } = await list('');
    const task = (await gateway.ask({ url: `/v1/tasks/${id}` })).json<Record<string, unknown>>();
    const whole = [
      'input',
      'parameters',
      'output',
      'paused',
      'hold',
      'turned',
      'lastError',
      'restartOf',
      'only',
      'failureFlow',
      'steps',
    ];
    for (const member of whole) delete task[member];
    expect(items).toEqual([task]);
  });

  it('gives whole tasks where they are asked for', async () => {
    const id = await gateway.create({ flow: 'test-flow' });
    await settle();
    const task: unknown = (await gateway.ask({ url: `/v1/tasks/${id}` })).json();
    expect((await list('?full=true')).items).toEqual([task]);
    expect((await list('?full=false')).items).toEqual((await list('')).items);
    const none = await gateway.ask({ url: '/v1/tasks?full=true&flow=other' });
    expect(none.json()).toEqual({ items: [], page: { nextCursor: null } });
    expect(none.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it('ends a page of whole tasks by its size, and the next one goes on', async () => {
    // A whole task has them twice: as its input, and among its parameters.
    const parameters = { text: 'x'.repeat(250_000) };
    const ids: string[] = [];
    for (let n = 0; n < 12; n += 1) {
      ids.unshift(await gateway.create({ flow: 'test-flow', parameters }));
    }
    const seen: string[] = [];
    let cursor = '';
    for (let pages = 0; pages < 12; pages += 1) {
      const answer = await gateway.ask({ url: `/v1/tasks?full=true&limit=200${cursor}` });
      expect(answer.body.length).toBeLessThan(3_200_000);
      const { items, page } = answer.json<Page>();
      seen.push(...items.map(({ taskId }) => taskId));
      if (page.nextCursor === null) break;
      cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`;
    }
    expect(seen).toEqual(ids);
  });

  it('finds tasks by the beginning of their id, which is not too short', async () => {
    const first = await gateway.create({ flow: 'test-flow' });
    const second = await gateway.create({ flow: 'test-flow' });
    const found = async (query: string) => (await list(query)).items.map(({ taskId }) => taskId);
    expect(await found(`?idPrefix=${first}`)).toEqual([first]);
    const beginning = first.slice(0, 8);
    expect(await found(`?idPrefix=${beginning}`)).toEqual([second, first]);
    expect(await found(`?idPrefix=${beginning}&flow=other`)).toEqual([]);
    for (const prefix of ['0000000', 'no-such-id', '0000000%25']) {
      const answer = await gateway.ask({ url: `/v1/tasks?idPrefix=${prefix}` });
      expect(answer.statusCode).toBe(400);
      expect(answer.json()).toMatchObject({ errors: [{ pointer: '/idPrefix' }] });
    }
  });

  it('takes words for several states', async () => {
    gateway.world.commands.scripts.set('m.b', () => fails());
    const id = await gateway.create({ flow: 'test-flow' });
    await settle();
    const found = async (status: string) => (await list(`?status=${status}`)).items.length;
    expect((await list('?status=failed')).items).toMatchObject([{ taskId: id }]);
    expect(await found('live')).toBe(0);
    expect(await found('live,rolled_back')).toBe(1);
  });

  it('takes no more items than were asked for', async () => {
    for (let n = 0; n < 3; n += 1) await gateway.create({ flow: 'test-flow' });
    const first = await list('?full=true&limit=2');
    expect(first.items).toHaveLength(2);
    const rest = await list(`?full=true&limit=2&cursor=${first.page.nextCursor}`);
    expect(rest.items).toHaveLength(1);
    expect(rest.page.nextCursor).toBeNull();
  });

  it('reads two lists of whole tasks at a time for a caller, and any number of summaries', async () => {
    await gateway.create({ flow: 'test-flow' });
    const { store } = gateway.world;
    const walk = store.walk.bind(store);
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    store.walk = async function* (filter) {
      await opened;
      yield* walk(filter);
    };
    const ask = (query = '') => gateway.ask({ url: `/v1/tasks${query}` });
    const two = Array.from({ length: 2 }, () => ask('?full=true'));
    await settle();
    const third = ask('?full=true');
    await settle();
    await gateway.world.clock.advance(1_000);
    expect((await third).statusCode).toBe(429);
    expect((await third).headers['retry-after']).toBe('2');
    expect((await third).json()).toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    expect((await ask()).statusCode).toBe(200);
    open();
    for (const answer of await Promise.all(two)) expect(answer.statusCode).toBe(200);
    expect((await ask('?full=true')).statusCode).toBe(200);
  });

  it('answers an error while the store does not answer, and frees its place', async () => {
    gateway.world.store.down = true;
    for (let n = 0; n < 6; n += 1) {
      expect((await gateway.ask({ url: '/v1/tasks?full=true' })).statusCode).toBe(503);
    }
    gateway.world.store.down = false;
    const bad = await gateway.ask({ url: '/v1/tasks?full=true&cursor=nope' });
    expect(bad.json()).toMatchObject({ errors: [{ pointer: '/cursor' }] });
  });
});

describe('a task whose document cannot be read', () => {
  let broken: string;
  let sound: string;
  beforeEach(async () => {
    sound = await gateway.create({ flow: 'test-flow' });
    broken = await gateway.create({ flow: 'test-flow', idempotencyKey: 'k' });
    await settle();
    gateway.world.store.unreadable.set(broken, 'plan.parameters is not JSON');
  });

  it.each(['', '?full=true'])('stands in lists%s as what it is', async (query) => {
    const { items } = await list(query);
    expect(items.map(({ taskId }) => taskId)).toEqual([broken, sound]);
    expect(items[0]).toEqual({
      taskId: broken,
      status: 'unreadable',
      reason: 'plan.parameters is not JSON',
    });
    expect(items[1]).toMatchObject({ status: 'succeeded' });
  });

  it('is an error of its own for whatever is asked of it', async () => {
    const answers = await Promise.all([
      gateway.ask({ url: `/v1/tasks/${broken}` }),
      gateway.ask({ url: `/v1/tasks/${broken}/events` }),
      gateway.post(`/v1/tasks/${broken}:terminate`, { reason: 'r' }),
      gateway.post('/v1/tasks', { flow: 'test-flow', idempotencyKey: 'k' }),
    ]);
    for (const answer of answers) {
      expect(answer.statusCode).toBe(409);
      expect(answer.json()).toMatchObject({
        code: 'TASK_UNREADABLE',
        detail: `Task ${broken} cannot be read: plan.parameters is not JSON.`,
      });
    }
  });

  it('goes on when it can be read again', async () => {
    gateway.world.store.unreadable.clear();
    expect((await gateway.ask({ url: `/v1/tasks/${broken}` })).statusCode).toBe(200);
  });
});
