import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { LightMyRequestResponse } from 'fastify';
import { type KeyOrder, makeKey } from '#access';
import { chain } from '#testing';
import { Gateway } from '../gateway-spec.js';

const CHANNEL = { type: 'webhook', url: 'http://127.0.0.1:9/in', secret: 's'.repeat(32) };
const BODIES = {
  schedules: { flow: 'test-flow', every: '10m' },
  notifications: { on: ['failed'], channel: CHANNEL },
};

let gateway: Gateway;
const keys = new Map<string, string>();

async function addKey(name: string, order: Omit<KeyOrder, 'name' | 'role'>): Promise<void> {
  const secret = { id: `${keys.size}`.padStart(16, '0'), secret: 's'.repeat(43) };
  const made = makeKey({ name, role: 'admin', ...order }, secret, gateway.world.clock.now());
  await gateway.world.store.keys.put(made.record, null);
  keys.set(name, made.text);
}

beforeEach(async () => {
  keys.clear();
  gateway = await Gateway.open([chain(['a', 'b'])], { asksForKeys: true });
  await addKey('all', {});
  await addKey('team', { flows: 'test-flow', labels: { team: 'db' } });
});
afterEach(() => gateway.close());

describe.each(['schedules', 'notifications'] as const)('%s of which one cannot be read', (kind) => {
  type Headers = Readonly<Record<string, string>>;

  const ask = (
    method: string,
    { by = 'all', ...headers }: Headers = {},
  ): Promise<LightMyRequestResponse> => {
    const body = method === 'PUT' ? { body: BODIES[kind] } : {};
    const authorization = `Bearer ${keys.get(by)}`;
    const all = { ...headers, authorization };
    return gateway.ask({ method, url: `/v1/${kind}/a`, ...body, headers: all });
  };
  const codes = ({ json, statusCode }: LightMyRequestResponse): readonly unknown[] => {
    return [statusCode, (json() as { readonly code: string }).code];
  };

  beforeEach(async () => {
    expect((await ask('PUT')).statusCode).toBe(201);
    gateway.world.store.records.unreadable.add(`${kind.slice(0, -1)} a`);
    expect(codes(await ask('GET'))).toEqual([409, 'RECORD_UNREADABLE']);
  });

  it('replaces it by a new one, with a new id', async () => {
    const { records } = gateway.world.store.contents;
    const idOf = (): string => {
      return (records.get(kind.slice(0, -1))!.get('a') as { readonly id: string }).id;
    };
    const id = idOf();
    const stored = await ask('PUT');
    expect([stored.statusCode, stored.headers['etag']]).toEqual([201, '"1"']);
    expect(stored.headers['location']).toBe(`/v1/${kind}/a`);
    expect(idOf()).not.toBe(id);
    expect((await ask('GET')).statusCode).toBe(200);
    expect((await ask('PUT')).statusCode).toBe(200);
  });

  it('removes it', async () => {
    expect((await ask('DELETE')).statusCode).toBe(204);
    expect((await ask('GET')).statusCode).toBe(404);
    expect((await ask('DELETE')).statusCode).toBe(404);
  });

  it.each([
    ['GET', 404],
    ['PUT', 403],
    ['DELETE', 404],
  ])('does not exist for %s of a caller with limits', async (method, status) => {
    expect((await ask(method, { by: 'team' })).statusCode).toBe(status);
    expect((await ask('GET')).statusCode).toBe(409);
  });

  it.each(['PUT', 'DELETE'])('has no generation that a %s could ask for', async (method) => {
    expect(codes(await ask(method, { 'if-match': '"1"' }))).toEqual([412, 'REVISION_CHANGED']);
    expect(codes(await ask(method, { 'if-none-match': '*' }))).toEqual([412, 'REVISION_CHANGED']);
    expect(codes(await ask(method, { 'if-none-match': '"1"' }))).toEqual([400, 'INVALID_REQUEST']);
    expect(codes(await ask(method, { 'if-match': 'x' }))).toEqual([400, 'INVALID_REQUEST']);
    expect((await ask(method, { 'if-match': '*' })).statusCode).toBe(method === 'PUT' ? 201 : 204);
  });
});
