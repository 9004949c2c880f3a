import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chain } from '#testing';
import { Gateway } from '../gateway-spec.js';

let gateway: Gateway;
beforeAll(async () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  gateway = await Gateway.open(names.map((name) => ({ ...chain(['x']), name })));
});
afterAll(() => gateway.close());

interface Page {
  readonly items: readonly { readonly name: string }[];
  readonly page: { readonly nextCursor: string | null };
}

async function page(query: string): Promise<[names: string, cursor: string | null]> {
  const answer = await gateway.ask({ url: `/v1/flows${query}` });
  const { items, page } = answer.json<Page>();
  return [items.map(({ name }) => name).join(''), page.nextCursor];
}

describe('the list of flows', () => {
  it('comes whole, or page by page', async () => {
    expect(await page('')).toEqual(['abcde', null]);
    expect(await page('?limit=2')).toEqual(['ab', 'b']);
    expect(await page('?limit=2&cursor=b')).toEqual(['cd', 'd']);
    expect(await page('?limit=2&cursor=d')).toEqual(['e', null]);
    expect(await page('?limit=5')).toEqual(['abcde', null]);
    for (const wrong of ['limit=0', 'limit=1001', 'cursor=%20', 'x=1']) {
      expect((await gateway.ask({ url: `/v1/flows?${wrong}` })).statusCode).toBe(400);
    }
  });
});

describe('an answer about flows', () => {
  const known = (url: string, tag: unknown) =>
    gateway.ask({ url, headers: { 'if-none-match': String(tag) } });

  it.each(['/v1/flows', '/v1/flows/a', '/v1/flows/a/versions/1', '/openapi.json', '/docs/errors'])(
    'is not sent to whom has it: %s',
    async (url) => {
      const { headers } = await gateway.ask({ url });
      const again = await known(url, headers.etag);
      expect([again.statusCode, again.body]).toEqual([304, '']);
      expect(again.headers.etag).toBe(headers.etag);
    },
  );

  it('is sent again once the flow was drilled, and its tag still stands for its version', async () => {
    const before = await gateway.ask({ url: '/v1/flows/b' });
    expect(before.headers.etag).toBe('"1"');
    const url = '/v1/flows/b/versions/1/drill';
    await gateway.ask({ method: 'PUT', url, body: { failures: 0, total: 4 } });
    const after = await known('/v1/flows/b', '"1"');
    expect(after.statusCode).toBe(200);
    expect(after.headers.etag).toMatch(/^"1\.[0-9a-f]{8}"$/);
    expect((await known('/v1/flows/b', after.headers.etag)).statusCode).toBe(304);
    const headers = { 'if-match': String(after.headers.etag) };
    const change = { method: 'DELETE', url: '/v1/flows/b' } as const;
    const code = (await gateway.ask({ ...change, headers })).json<{ code?: string }>().code;
    expect(code).not.toBe('REVISION_CHANGED');
  });
});
