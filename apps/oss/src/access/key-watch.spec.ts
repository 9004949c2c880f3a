import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeKey, type Principal } from '#access';
import { chain, ManualClock, settle } from '#testing';
import { Gateway } from '../gateway-spec.js';
import type { OssOptions } from '../options.js';
import { KeyWatch } from './key-watch.js';

const ID = '0'.repeat(16);

let gateway: Gateway;
let headers: { readonly authorization: string };

beforeEach(async () => {
  gateway = await Gateway.open([chain(['a', 'b'])], { asksForKeys: true });
  const { clock, commands, store } = gateway.world;
  const secret = { id: ID, secret: 's'.repeat(43) };
  const { record, text } = makeKey({ name: 'ann', role: 'starter' }, secret, clock.now());
  await store.keys.put(record, null);
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
    await store.keys.remove(ID, 'any');
    await clock.advance(4_000);
    const { statusCode } = await answer;
    expect(statusCode).toBe(201);
  });
});

it('ends what one person has opened with groups that count no more, and nothing else', async () => {
  const clock = new ManualClock();
  const isGood = async ({ somebody }: Principal): Promise<boolean> =>
    somebody?.groups.includes('now') === true;
  const watch = new KeyWatch({ clock, keyRing: { isGood } } as unknown as OssOptions);
  const ended: string[] = [];
  const limits = { flows: null, labels: null, modules: null };
  for (const group of ['now', 'before']) {
    const somebody = { way: 'proxy', subject: 'ann', groups: [group] } as const;
    const person: Principal = {
      ...limits,
      name: 'ann',
      keyId: 'proxy#ann',
      role: 'viewer',
      somebody,
    };
    watch.watch(person, () => ended.push(group));
  }
  await clock.advance(2_000);
  await settle();
  expect(ended).toEqual(['before']);
});
