import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { json, StubServer } from '../stub-server-spec.js';
import { BackstepClient } from './backstep-client.js';

/** A route that is made up, as `npm run docs` would write it. */
declare module '../../../../schemas/http-api.js' {
  interface HttpRoutes {
    'POST /v1/scales/{scale}:weigh': {
      readonly path: { readonly scale: string };
      readonly query?: { readonly times?: number | string | undefined };
      readonly body: { readonly grams: number };
      readonly answer: { readonly weight: number };
    };
  }
}

let server: StubServer;
let client: BackstepClient;

beforeAll(async () => {
  server = await StubServer.start();
  const { signal } = new AbortController();
  const caller = { actor: 'somebody', token: undefined, program: 'backstep' };
  client = new BackstepClient({ url: server.url, signal, ...caller });
});
afterAll(() => server.stop());

const AT = 'POST /v1/scales/{scale}:weigh';
const path = { scale: 'left one' };
const body = { grams: 5 };

it('a route that is declared can be asked, and nothing else than it takes', async () => {
  server.answer = (_request, response) => json(response, { weight: 10 });
  const { weight } = await client.ask(AT, { path, query: { times: 2 }, body });
  const twice: number = weight * 2;
  expect(twice).toBe(20);
  expect(server.seen.at(-1)).toMatchObject({
    method: 'POST',
    path: '/v1/scales/left%20one:weigh?times=2',
    body: '{"grams":5}',
  });
});

it('leaves out a member that is undefined, and reads an answer without a body', async () => {
  server.answer = (_request, response) => void response.writeHead(204).end();
  const gone = await client.ask('DELETE /v1/keys/{id}', { path: { id: 'a/b' } });
  expect([gone, server.seen.at(-1)?.path]).toEqual([undefined, '/v1/keys/a%2Fb']);
  await client.ask('GET /v1/tasks:count', { query: { by: undefined, q: 'a b' } });
  expect(server.seen.at(-1)?.path).toBe('/v1/tasks:count?q=a+b');
});

/** None of these compiles. */
const wrong = [
  // @ts-expect-error -- there is no such route
  () => client.ask('POST /v1/scale/{scale}:weigh', { path, body }),
  // @ts-expect-error -- the path has another part
  () => client.ask(AT, { path: { scales: 'left' }, body }),
  // @ts-expect-error -- the query has another member
  () => client.ask(AT, { path, query: { time: 2 }, body }),
  // @ts-expect-error -- the body has another member
  () => client.ask(AT, { path, body: { gram: 5 } }),
  // @ts-expect-error -- the body is missing
  () => client.ask(AT, { path }),
  // @ts-expect-error -- the answer has another member
  async () => (await client.ask(AT, { path, body })).heaviness,
];
void wrong;
