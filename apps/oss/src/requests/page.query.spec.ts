import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { misfits } from '../docs/misfits-spec.js';
import { Gateway } from '../gateway-spec.js';
import { cursorAfter, pageOf } from './page.query.js';

const NAMES = ['a', 'b', 'c', 'd', 'e'];

let gateway: Gateway;
beforeAll(async () => {
  gateway = await Gateway.open([]);
  const { clock, store } = gateway.world;
  const since = clock.now();
  for (const name of NAMES) {
    await gateway.ask({ method: 'PUT', url: `/v1/commands/m/${name}`, body: { timeout: '1m' } });
    await store.locks.enter({ name, taskId: `task-${name}`, number: 0, slots: 1, since });
    const times = { since, seenAt: since };
    const load = { busy: 0, slots: 1, host: 'h', pid: 1, version: '0.1.0' };
    const instance = `i-${name}`;
    const own = { instance, module: 'm', commands: [], parameters: {} };
    await store.announce({ ...own, ...times, ...load });
  }
});
afterAll(() => gateway.close());

interface Answer {
  readonly items: readonly { command?: string; instance?: string; name?: string }[];
  readonly page: { readonly nextCursor: string | null };
}

const LISTS = [
  ['/v1/commands', 'Commands', 'command'],
  ['/v1/executors', 'Executors', 'instance'],
  ['/v1/locks', 'Locks', 'name'],
] as const;

describe.each(LISTS)('the list %s', (path, schema, member) => {
  async function page(query: string): Promise<[names: (string | undefined)[], Answer]> {
    const answer = (await gateway.ask({ url: `${path}${query}` })).json<Answer>();
    expect(misfits(schema, answer)).toEqual([]);
    return [answer.items.map((item) => item[member]), answer];
  }

  it('comes whole where it is short', async () => {
    const [, { items, page: whole }] = await page('');
    expect(items.length).toBeGreaterThanOrEqual(NAMES.length);
    expect(whole).toEqual({ nextCursor: null });
  });

  it('comes page by page, each item once', async () => {
    const [whole] = await page('');
    const walked: (string | undefined)[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const query: string = cursor === '' ? '?limit=2' : `?limit=2&cursor=${cursor}`;
      const [names, answer] = await page(query);
      expect(names.length).toBeLessThanOrEqual(2);
      walked.push(...names);
      cursor = answer.page.nextCursor;
    }
    expect(walked).toEqual(whole);
  });

  it.each(['limit=0', 'limit=1001', 'cursor=%20', 'cursor=YQ==', 'x=1'])(
    'refuses %s',
    async (query) => {
      expect((await gateway.ask({ url: `${path}?${query}` })).statusCode).toBe(400);
    },
  );
});

describe('a page of a whole list', () => {
  const placeOf = (item: string): string => item;

  it('goes on behind its place, though the item of it has gone', () => {
    const { items, page } = pageOf(['a', 'b', 'c'], placeOf, { cursor: undefined, limit: 2 });
    expect([items, page.nextCursor]).toEqual([['a', 'b'], cursorAfter('b')]);
    const rest = pageOf(['a', 'c'], placeOf, { cursor: cursorAfter('b'), limit: 2 });
    expect(rest).toEqual({ items: ['c'], page: { nextCursor: null } });
  });
});
