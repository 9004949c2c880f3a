import { afterEach, describe, expect, it } from '@jest/globals';
import { makeKey } from '#access';
import { Gateway } from '../gateway-spec.js';
import { misfits } from '../docs/misfits-spec.js';

const ID = '0'.repeat(16);
const CONSOLE = { 'x-backstep-console': '1' };

let gateway: Gateway;

afterEach(() => gateway.close());

/** Opens a gateway that asks for keys; returns the key of an operator. */
async function openWithKey(): Promise<string> {
  gateway = await Gateway.open([], { asksForKeys: true });
  const secret = { id: ID, secret: 's'.repeat(43) };
  const order = { name: 'ann', role: 'operator' } as const;
  const { record, text } = makeKey(order, secret, gateway.world.clock.now());
  await gateway.world.store.keys.put(record, null);
  return text;
}

/** Signs in; returns the cookie as a browser sends it. */
async function signIn(key: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await gateway.ask({ method: 'POST', url: '/v1/session', headers });
  expect(answer.statusCode).toBe(200);
  const may = ['viewer', 'starter', 'operator'];
  expect(answer.json()).toMatchObject({ name: 'ann', role: 'operator', everybody: false, may });
  expect(misfits('SignedIn', answer.json())).toEqual([]);
  const cookie = String(answer.headers['set-cookie']);
  expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/);
  return cookie.split(';')[0] ?? '';
}

describe('the session of a browser', () => {
  it('lets the console in, and no other page', async () => {
    const cookie = await signIn(await openWithKey());
    const inside = await gateway.ask({ url: '/v1/tasks', headers: { ...CONSOLE, cookie } });
    expect(inside.statusCode).toBe(200);
    const forged = await gateway.ask({ url: '/v1/tasks', headers: { cookie } });
    expect([forged.statusCode, forged.headers['set-cookie']]).toEqual([401, undefined]);
    const who = await gateway.ask({ url: '/v1/session', headers: { ...CONSOLE, cookie } });
    expect(who.json()).toMatchObject({ name: 'ann', role: 'operator' });
  });

  it('has the rights of its key, and a key beside it goes first', async () => {
    const cookie = await signIn(await openWithKey());
    const keys = await gateway.ask({ url: '/v1/keys', headers: { ...CONSOLE, cookie } });
    expect(keys.statusCode).toBe(403);
    const headers = { ...CONSOLE, cookie, authorization: 'Bearer wrong' };
    expect((await gateway.ask({ url: '/v1/tasks', headers })).statusCode).toBe(401);
  });

  it('is over once its key is revoked, and the browser forgets it', async () => {
    const cookie = await signIn(await openWithKey());
    await gateway.world.store.keys.remove(ID, 'any');
    gateway.keyRing.forget(ID);
    const answer = await gateway.ask({ url: '/v1/tasks', headers: { ...CONSOLE, cookie } });
    expect(answer.statusCode).toBe(401);
    expect(String(answer.headers['set-cookie'])).toMatch(/; Max-Age=0$/);
  });

  it('ends when somebody signs out', async () => {
    const cookie = await signIn(await openWithKey());
    const ask = { method: 'DELETE', url: '/v1/session', headers: { ...CONSOLE, cookie } } as const;
    const answer = await gateway.ask(ask);
    expect(answer.statusCode).toBe(204);
    expect(String(answer.headers['set-cookie'])).toMatch(/=; .*; Max-Age=0$/);
    const copied = await gateway.ask({ url: '/v1/tasks', headers: { ...CONSOLE, cookie } });
    expect(copied.statusCode).toBe(401);
  });

  it('has a cookie that is of no use by itself: the key is not in it', async () => {
    const key = await openWithKey();
    const cookie = await signIn(key);
    expect(cookie).not.toContain(key);
    const [, text = ''] = cookie.split('=');
    const bearer = { authorization: `Bearer ${text}` };
    await gateway.ask({ method: 'DELETE', url: '/v1/session', headers: { ...CONSOLE, cookie } });
    expect((await gateway.ask({ url: '/v1/tasks', headers: bearer })).statusCode).toBe(401);
    const direct = { authorization: `Bearer ${key}` };
    expect((await gateway.ask({ url: '/v1/tasks', headers: direct })).statusCode).toBe(200);
    const keys = await gateway.ask({ url: '/v1/session', headers: direct });
    expect(keys.json()).toMatchObject({ name: 'ann' });
  });

  it('is not there where nobody is asked', async () => {
    gateway = await Gateway.open([]);
    const answer = await gateway.ask({ method: 'POST', url: '/v1/session' });
    expect([answer.statusCode, answer.headers['set-cookie']]).toEqual([200, undefined]);
    expect(answer.json()).toMatchObject({ role: 'admin', everybody: true, seesEverything: true });
  });
});
