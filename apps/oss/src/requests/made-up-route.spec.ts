import { Controller, Res } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { IsInt } from 'class-validator';
import type { FastifyReply } from 'fastify';
import { EVERYBODY, type Principal } from '#access';
import { createHttpApp, type HttpApp } from '#http-server';
import { openApiDocument } from '../docs/openapi.js';
import { type Asked, Handles } from './asked.js';
import { parameter, RequestQuery, wholeRule } from './request-query.js';
import { RequestReader } from './request-reader.js';
import { type Answer, body, json, JSON_TYPE, READS, type Routes, WRITES } from './route.js';

class WeighRequest {
  @IsInt({ message: '`grams` is a whole number.' })
  grams!: number;
}

const WEIGHT: Answer = { description: 'The weight', content: { [JSON_TYPE]: { type: 'object' } } };

const SCALES = {
  remove: {
    at: 'DELETE /v1/scales/{scale}',
    need: { role: 'any' },
    summary: 'Remove a scale',
    description: 'Takes it away. What lies on it falls.',
    answers: { 204: { description: 'It is gone' } },
    problems: READS,
  },
  weigh: {
    at: 'POST /v1/scales/{scale}:weigh',
    need: { role: 'author' },
    summary: 'Weigh something',
    description: 'Puts it on the scale. Says how heavy it is.',
    actsAgain: true,
    parameters: ['X-Backstep-Actor'],
    query: new RequestQuery({ times: parameter('How often.', wholeRule(1, 3)) }),
    body: body('Weigh', new RequestReader(WeighRequest)),
    answers: { 200: WEIGHT },
    problems: WRITES,
  },
  show: {
    at: 'GET /v1/scales/{scale}',
    need: { role: 'none' },
    summary: 'Show a scale',
    description: 'Shows it. Weighs nothing.',
    answers: { 204: { description: 'It is there' } },
    problems: READS,
  },
  empty: {
    at: 'PUT /v1/scales/{scale}',
    need: { role: 'any' },
    summary: 'Empty a scale',
    description: 'Takes all off it. It need not say what.',
    body: body('Weigh', new RequestReader(WeighRequest), { isLate: true }),
    answers: { 200: WEIGHT },
  },
} as const satisfies Routes;

@Controller()
class Scales {
  @Handles(SCALES.weigh)
  weigh({ actor, body, path, principal, query }: Asked<typeof SCALES.weigh>) {
    const grams: number = body.grams * (query.times ?? 1);
    return { grams, scale: path.scale, actor, role: principal.role };
  }

  @Handles(SCALES.show)
  show(_asked: Asked<typeof SCALES.show>, @Res({ passthrough: true }) reply: FastifyReply): void {
    reply.header('x-scale', 'there');
  }

  @Handles(SCALES.remove)
  remove(): void {}

  @Handles(SCALES.empty)
  empty(asked: Asked<typeof SCALES.empty>): { readonly grams: number } {
    if (asked.path.scale === 'none') return { grams: 0 };
    return { grams: asked.body.grams };
  }
}

/** An answer that is not the declared one does not compile. */
class WrongScales {
  // @ts-expect-error -- the answer has another member
  @Handles({ ...SCALES.empty, answers: { 200: json('It is there', 'Live') } })
  empty(): { readonly grams: string } {
    return { grams: 'many' };
  }
}
void WrongScales;

const PEOPLE: Readonly<Record<string, Principal>> = Object.fromEntries(
  (['viewer', 'author'] as const).map((role) => [
    role,
    { ...EVERYBODY, name: `the ${role}`, keyId: role, role },
  ]),
);

let http: HttpApp;
beforeAll(async () => {
  http = await createHttpApp(
    { module: class TestModule {}, controllers: [Scales] },
    {
      bodyLimit: 1_000,
      idPrefix: 'p',
      onFault: ({ cause, message }) => expect([message, cause]).toEqual([]),
      access: { find: (shown) => PEOPLE[shown] ?? null },
    },
  );
  await http.app.init();
  await http.app.getHttpAdapter().getInstance().ready();
});
afterAll(() => http.app.close());

interface Sent {
  readonly as?: string;
  readonly body?: object;
  readonly more?: Readonly<Record<string, string>>;
  readonly method?: 'DELETE' | 'GET' | 'POST' | 'PUT';
}

async function ask(url: string, { as, body: sent, method = 'POST', more }: Sent = {}) {
  const headers = { ...(as !== undefined && { authorization: `Bearer ${as}` }), ...more };
  const payload = sent === undefined ? {} : { payload: sent };
  const {
    body: said,
    headers: given,
    statusCode,
  } = await http.app.inject({ method, url, headers, ...payload });
  return {
    status: statusCode,
    headers: given,
    said: said === '' ? {} : (JSON.parse(said) as object),
  };
}

describe('a route that is declared once', () => {
  it('is in the document, with what it takes and answers', () => {
    const { paths } = openApiDocument('keys', [['operations', SCALES]]) as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
    };
    expect(paths['/v1/scales/{scale}:weigh']?.['post']).toMatchObject({
      operationId: 'weigh',
      parameters: [{ name: 'X-Backstep-Actor' }, { name: 'times', in: 'query' }],
      requestBody: { required: true },
      responses: { 200: {}, 413: {}, default: {} },
    });
    expect(paths['/v1/scales/{scale}']?.['get']).toMatchObject({ security: [] });
  });

  it('gives its handler what was asked for, as declared', async () => {
    const { said, status } = await ask('/v1/scales/left%20one:weigh?times=2', {
      as: 'author',
      body: { grams: 5 },
    });
    expect(status).toBe(200);
    expect(said).toEqual({ grams: 10, scale: 'left one', actor: 'the author', role: 'author' });
  });

  it('answers with the status that it declares', async () => {
    const { headers, status } = await ask('/v1/scales/x', { method: 'GET' });
    expect([status, headers['x-scale']]).toEqual([204, 'there']);
  });

  it('is refused to callers without its right', async () => {
    const order = { body: { grams: 5 } };
    expect(await ask('/v1/scales/x:weigh', order)).toMatchObject({ status: 401 });
    const { said, status } = await ask('/v1/scales/x:weigh', { ...order, as: 'viewer' });
    expect([status, said]).toMatchObject([403, { code: 'FORBIDDEN' }]);
  });

  it.each([
    ['/v1/scales/x:weigh?times=4', { grams: 5 }, '/times'],
    ['/v1/scales/x:weigh?often=1', { grams: 5 }, '/often'],
    ['/v1/scales/x:weigh', { grams: 'many' }, '/grams'],
    ['/v1/scales/x:weigh', { grams: 5, stones: 1 }, '/stones'],
  ])('refuses %s with %j, and points to %s', async (url, sent, pointer) => {
    const { said, status } = await ask(url, { as: 'author', body: sent });
    expect([status, said]).toMatchObject([400, { code: 'INVALID_REQUEST', errors: [{ pointer }] }]);
  });

  it('takes no query where it declares none', async () => {
    const { said, status } = await ask('/v1/scales/x?times=1', { method: 'GET' });
    expect([status, said]).toMatchObject([400, { errors: [{ pointer: '/times' }] }]);
  });

  it.each([
    [{ body: { why: 'rust' } }, ''],
    [{ more: { 'if-match': '"3"' } }, '/If-Match'],
  ])('takes no body and no condition where it declares none: %j', async (sent, pointer) => {
    const { said, status } = await ask('/v1/scales/x', { as: 'viewer', method: 'DELETE', ...sent });
    expect([status, said]).toMatchObject([400, { code: 'INVALID_REQUEST', errors: [{ pointer }] }]);
  });

  it('takes no idempotency key where it would act again', async () => {
    const order = { as: 'author', body: { grams: 5 }, more: { 'idempotency-key': 'k' } };
    expect(await ask('/v1/scales/x:weigh', order)).toMatchObject({
      status: 400,
      said: { code: 'INVALID_REQUEST', errors: [{ pointer: '/Idempotency-Key' }] },
    });
  });

  it('takes an empty object for no body', async () => {
    const order = { as: 'viewer', method: 'DELETE', body: {} } as const;
    expect(await ask('/v1/scales/x', order)).toMatchObject({ status: 204 });
  });

  it('reads a late body when its handler asks for it', async () => {
    const order = { as: 'viewer', method: 'PUT', body: { grams: 'many' } } as const;
    expect(await ask('/v1/scales/none', order)).toMatchObject({ status: 200 });
    expect(await ask('/v1/scales/x', order)).toMatchObject({ status: 400 });
  });
});
