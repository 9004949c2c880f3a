import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeKey } from '#access';
import { chain, settle } from '#testing';
import { Gateway } from '../gateway-spec.js';

const ID = '0'.repeat(16);

let gateway: Gateway;
let headers: { readonly authorization: string };

beforeEach(async () => {
  gateway = await Gateway.open([chain(['a', 'b'])], { asksForKeys: true });
  const { clock, commands, store } = gateway.world;
  const secret = { id: ID, secret: 's'.repeat(43) };
  const { record, text } = makeKey({ name: 'ann', role: 'starter' }, secret, clock.now());
  await store.keys.addKey(record);
  headers = { authorization: `Bearer ${text}` };
  commands.scripts.set('m.a', () => new Promise(() => {}));
});
afterEach(() => gateway.close());

describe('a request that waits for its task', () => {
  it('is answered at once when its key is revoked', async () => {
    const { clock, store } = gateway.world;
    const answer = gateway.post('/v1/tasks?wait=600', { flow: 'test-flow' }, headers);
    while (store.contents.tasks.size === 0) await settle();
    await clock.advance(4_000);
    await store.keys.removeKey(ID);
    await clock.advance(4_000);
    const { statusCode } = await answer;
    expect(statusCode).toBe(201);
  });
});
