import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chain, settle } from '#testing';
import { Gateway } from '../gateway-spec.js';
import { expectDocumented, misfits } from './misfits-spec.js';
import { openApiDocument } from './openapi.js';
import { ROUTES } from './routes.js';
import { SCHEMAS } from './openapi-schemas.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await Gateway.open([chain(['a', 'b'])]);
});
afterAll(() => gateway.close());

describe('the document', () => {
  it('has every route, and nothing else', () => {
    const routes = gateway.http.adapter.routes.list().filter((route) => !route.startsWith('HEAD '));
    expect([...routes].sort()).toEqual(
      Object.values(ROUTES)
        .map(({ at }) => at)
        .sort(),
    );
  });

  it('has a good answer for each operation, but for those that lead elsewhere', () => {
    const leading = Object.entries(ROUTES).filter(([, { answers }]) => {
      return Object.keys(answers).every((status) => !status.startsWith('2'));
    });
    expect(leading.map(([id]) => id)).toEqual(['beginSignIn', 'finishSignIn']);
  });

  it('refers only to what it has', () => {
    const text = JSON.stringify(openApiDocument());
    for (const [, name = ''] of text.matchAll(/#\/components\/schemas\/(\w+)/g)) {
      expect(SCHEMAS).toHaveProperty(name);
    }
    expect(text).not.toContain('null]');
  });

  it('is served', async () => {
    const answer = await gateway.ask({ url: '/openapi.json' });
    expect(answer.json()).toMatchObject({ openapi: '3.1.0', paths: { '/v1/tasks': {} } });
  });

  it('describes what is answered', async () => {
    const body = { flow: 'test-flow', labels: { a: 'b' } };
    const created = await gateway.post('/v1/tasks', body);
    expect(misfits('TaskReceipt', created.json())).toEqual([]);
    await settle();
    const { taskId } = created.json() as { taskId: string };
    const of = async (url: string): Promise<unknown> => (await gateway.ask({ url })).json();
    expect(misfits('Task', await of(`/v1/tasks/${taskId}`))).toEqual([]);
    expect(misfits('TaskPage', await of('/v1/tasks'))).toEqual([]);
    expect(misfits('TaskPage', await of('/v1/tasks?full=true'))).toEqual([]);
    expect(misfits('Events', await of(`/v1/tasks/${taskId}/events`))).toEqual([]);
    expect(misfits('Flows', await of('/v1/flows'))).toEqual([]);
    expect(misfits('Flow', await of('/v1/flows/test-flow'))).toEqual([]);
    expect(misfits('Readiness', await of('/readyz'))).toEqual([]);
    expect(misfits('Live', await of('/livez'))).toEqual([]);
    expect(misfits('Problem', await of('/v1/tasks/nope'))).toEqual([]);
    const batch = await gateway.post('/v1/tasks:batch', { tasks: [body, {}] });
    expect(misfits('BatchResults', batch.json())).toEqual([]);
    const checked = await gateway.post('/v1/flows:validate', '{');
    expect(misfits('Validation', checked.json())).toEqual([]);
  });
});

describe('an answer of a test gateway', () => {
  const live = { status: 'ok' };

  it.each([
    ['with a member that the document does not name', 200, { ...live, more: 1 }],
    ['without one that it promises', 200, {}],
    ['of a status that it does not name', 299, live],
  ])('%s fails the test', (_name, statusCode, value) => {
    const body = JSON.stringify(value);
    const headers = { 'content-type': 'application/json' };
    const answer = { statusCode, headers, body, json: () => value } as never;
    expect(() => expectDocumented('GET', '/livez', answer)).toThrow(/live/);
  });
});

describe('the pages', () => {
  it.each(['/', '/docs', '/docs/errors', '/docs/findings'])(
    '%s loads nothing from elsewhere',
    async (url) => {
      const answer = await gateway.ask({ url });
      expect(answer.statusCode).toBe(200);
      expect(answer.headers['content-type']).toMatch(/^text\/html/);
      expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
      expect(answer.body).not.toMatch(/https?:|<link|src=/);
    },
  );

  it('leave / to a console', async () => {
    const other = await Gateway.open([], { index: false });
    expect((await other.ask({ url: '/' })).statusCode).toBe(404);
    await other.close();
  });
});
