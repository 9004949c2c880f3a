import { afterEach, describe, expect, it } from '@jest/globals';
import { makeKey } from '#access';
import { chain, settle } from '#testing';
import { Gateway } from '../gateway-spec.js';

const FIRST = { id: 'f'.repeat(16), secret: 'f'.repeat(43) };

let gateway: Gateway;
afterEach(() => gateway.close());

async function openWithKeys(): Promise<Record<string, string>> {
  gateway = await Gateway.open([chain(['a', 'b'])], { asksForKeys: true });
  const { clock, store } = gateway.world;
  const { record, text } = makeKey({ name: 'root', role: 'admin' }, FIRST, clock.now() - 1);
  await store.keys.put(record, null);
  return bearer(text);
}

function bearer(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}` };
}

async function keyOf(admin: Record<string, string>, order: object): Promise<string> {
  const made = await gateway.post('/v1/keys', order, admin);
  return (made.json() as { key: string }).key;
}

describe('a gateway that asks for keys', () => {
  it.each(['/livez', '/readyz', '/'])('answers %s to everybody', async (url) => {
    await openWithKeys();
    expect((await gateway.ask({ url })).statusCode).toBe(200);
  });

  it.each(['/metrics', '/docs', '/openapi.json', '/v1/tasks', '/v1/tasks/x/events', '/nothing'])(
    'answers %s to nobody without a key',
    async (url) => {
      await openWithKeys();
      const answer = await gateway.ask({ url });
      expect(answer.statusCode).toBe(401);
      expect(answer.headers['www-authenticate']).toBe('Bearer');
      expect(answer.json()).toMatchObject({ code: 'UNAUTHENTICATED' });
    },
  );

  it.each(['Bearer', 'Bearer x', 'Basic eDp5', `Bearer bsk_${'f'.repeat(16)}_${'g'.repeat(43)}`])(
    'does not take %s',
    async (authorization) => {
      await openWithKeys();
      const answer = await gateway.ask({ url: '/v1/tasks', headers: { authorization } });
      expect(answer.statusCode).toBe(401);
      expect(answer.body).not.toContain('gggg');
    },
  );

  it('refuses a body before it reads it', async () => {
    await openWithKeys();
    expect((await gateway.post('/v1/tasks', '{')).statusCode).toBe(401);
  });

  it('lists keys page by page, also where one was revoked in between', async () => {
    const admin = await openWithKeys();
    for (const name of ['a', 'b', 'c', 'd']) {
      await gateway.world.clock.advance(1_000);
      await keyOf(admin, { name, role: 'viewer' });
    }
    const page = async (query: string) => {
      const answer = await gateway.ask({ url: `/v1/keys${query}`, headers: admin });
      return answer.json<{
        items: { id: string; name: string }[];
        page: { nextCursor: string | null };
      }>();
    };
    const all = await page('');
    expect(all.items).toHaveLength(5);
    expect(all.page.nextCursor).toBeNull();
    const first = await page('?limit=2');
    expect(first.items).toEqual(all.items.slice(0, 2));
    await gateway.ask({ method: 'DELETE', url: `/v1/keys/${all.items[1]?.id}`, headers: admin });
    const second = await page(`?limit=2&cursor=${first.page.nextCursor}`);
    expect(second.items).toEqual(all.items.slice(2, 4));
    const last = await page(`?limit=2&cursor=${second.page.nextCursor}`);
    expect(last).toEqual({ items: all.items.slice(4), page: { nextCursor: null } });
    const wrong = await gateway.ask({ url: '/v1/keys?cursor=x', headers: admin });
    expect(wrong.statusCode).toBe(400);
  });

  it('makes a key, shows it once, takes it, and takes it back', async () => {
    const admin = await openWithKeys();
    const order = { name: 'ci', role: 'starter', flows: ['test-*'], expires: '90d' };
    const made = await gateway.post('/v1/keys', order, admin);
    expect(made.statusCode).toBe(201);
    const { id, key } = made.json() as { id: string; key: string };
    expect(key).toMatch(new RegExp(`^bsk_${id}_`));
    const listed = await gateway.ask({ url: '/v1/keys', headers: admin });
    expect(listed.json()).toMatchObject({ items: [{ name: 'root' }, { id, name: 'ci' }] });
    const one = await gateway.ask({ url: `/v1/keys/${id}`, headers: admin });
    expect(one.json()).toEqual(listed.json().items[1]);
    expect(listed.body).not.toContain(key.slice(-43));
    expect(listed.body).not.toContain('hash');
    expect((await gateway.ask({ url: '/v1/tasks', headers: bearer(key) })).statusCode).toBe(200);
    const revoked = await gateway.ask({ method: 'DELETE', url: `/v1/keys/${id}`, headers: admin });
    expect(revoked.statusCode).toBe(204);
    expect((await gateway.ask({ url: '/v1/tasks', headers: bearer(key) })).statusCode).toBe(401);
    const again = await gateway.ask({ method: 'DELETE', url: `/v1/keys/${id}`, headers: admin });
    expect(again.json()).toMatchObject({ code: 'KEY_NOT_FOUND' });
    for (const gone of [id, 'none']) {
      const asked = await gateway.ask({ url: `/v1/keys/${gone}`, headers: admin });
      expect(asked.json()).toMatchObject({ status: 404, code: 'KEY_NOT_FOUND' });
    }
  });

  it.each([
    [{ name: 'api', role: 'viewer' }, '/name'],
    [{ name: 'a', role: 'king' }, '/role'],
    [{ name: 'a', role: 'viewer', flows: [] }, '/flows'],
    [{ name: 'a', role: 'viewer', flows: 7 }, '/flows'],
    [{ name: 'a', role: 'viewer', labels: [] }, '/labels'],
    [{ name: 'a', role: 'viewer', expires: 'x' }, '/expires'],
  ])('refuses the key %j', async (order, pointer) => {
    const admin = await openWithKeys();
    const answer = await gateway.post('/v1/keys', order, admin);
    expect(answer.json()).toMatchObject({ code: 'INVALID_REQUEST', errors: [{ pointer }] });
  });

  it('writes down the name of the key as who acts, whatever else the request claims', async () => {
    const admin = await openWithKeys();
    const key = await keyOf(admin, { name: 'on-call', role: 'operator' });
    const headers = { ...bearer(key), 'x-backstep-actor': 'somebody else' };
    const taskId = await gateway.create({ flow: 'test-flow' }, headers);
    await gateway.post(`/v1/tasks/${taskId}:terminate`, { reason: 'r' }, headers);
    const events = await gateway.ask({ url: `/v1/tasks/${taskId}/events`, headers });
    const { items } = events.json() as { items: { kind: string; actor: string }[] };
    expect(items[0]).toMatchObject({ actor: 'on-call' });
    expect(events.body).not.toContain('somebody else');
  });

  it('ends the streams of a key within seconds of its being revoked', async () => {
    const admin = await openWithKeys();
    gateway.world.commands.scripts.set('m.a', () => new Promise(() => undefined));
    const key = await keyOf(admin, { name: 'screen', role: 'viewer' });
    const taskId = await gateway.create({ flow: 'test-flow' }, admin);
    const url = `/v1/tasks/${taskId}/events`;
    const stream = gateway.ask({ url, headers: { ...bearer(key), accept: 'text/event-stream' } });
    const [, { id }] = (await gateway.ask({ url: '/v1/keys', headers: admin })).json().items;
    await settle();
    await gateway.ask({ method: 'DELETE', url: `/v1/keys/${id}`, headers: admin });
    await gateway.world.clock.advance(2_000);
    await settle();
    expect((await stream).statusCode).toBe(200);
  });
});

describe('a gateway that asks nobody', () => {
  it('believes who a request says it is', async () => {
    gateway = await Gateway.open([chain(['a', 'b'])]);
    const headers = { 'x-backstep-actor': 'me', authorization: 'Bearer nonsense' };
    const taskId = await gateway.create({ flow: 'test-flow' }, headers);
    const events = await gateway.ask({ url: `/v1/tasks/${taskId}/events` });
    const { items } = events.json() as { items: { actor: string }[] };
    expect(items[0]?.actor).toBe('me');
  });
});
