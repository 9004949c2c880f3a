import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeKey } from '#access';
import { CheckerBusy, CheckTooCostly } from '#flow-files';
import { ProcessUnavailable } from '#ports';
import { action, chain, flow } from '#testing';
import { Gateway } from '../gateway-spec.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await Gateway.open([chain(['a']), flow([], { name: 'empty' })]);
  // A later version that no file has yet or any more.
  const retry = { attempts: 3, backoff: 'fixed', delayMs: 500, maxDelayMs: null, jitter: false };
  const normal = action('m.a', {
    retry: { ...retry, backoff: 'fixed', only: ['BUSY'], never: ['QUOTA'] },
    onCrash: 'fail',
    parameters: { x: 1 },
  });
  const steps = [{ name: 'a', needs: [], normal, rollback: null }];
  const more = { timeoutMs: 90_000, description: 'd', input: { type: 'object' } };
  await gateway.world.store.saveFlow(flow(steps, more), 'h2', 5_500);
  await gateway.world.store.saveFlow(flow([], { name: 'gone' }), 'h', 1_000);
});
afterAll(() => gateway.close());

describe('GET /v1/flows', () => {
  it('lists the newest version of every flow', async () => {
    const { items } = (await gateway.ask({ url: '/v1/flows' })).json() as { items: object[] };
    expect(items).toMatchObject([
      { name: 'empty', version: 1, startable: true },
      { name: 'gone', version: 1, startable: false },
      { name: 'test-flow', version: 2, startable: true },
    ]);
  });

  it('shows the newest version', async () => {
    expect((await gateway.ask({ url: '/v1/flows/test-flow' })).json()).toEqual({
      name: 'test-flow',
      version: 2,
      hash: 'h2',
      file: 'flows.json',
      drill: null,
      timeCreate: 5,
      description: 'd',
      input: { type: 'object' },
      timeout: 90,
      onFailure: 'rollback',
      steps: [
        {
          name: 'a',
          needs: [],
          normal: {
            module: 'm',
            command: 'a',
            timeout: 60,
            retry: {
              ...{ attempts: 3, backoff: 'fixed', delay: 0.5, maxDelay: null, jitter: false },
              ...{ only: ['BUSY'], never: ['QUOTA'] },
            },
            onCrash: 'fail',
            parameters: { x: 1 },
          },
          rollback: null,
        },
      ],
    });
  });

  it('keeps every version readable', async () => {
    const answer = await gateway.ask({ url: '/v1/flows/test-flow/versions/1' });
    expect(answer.json()).toMatchObject({ version: 1, timeout: null });
  });

  it.each(['nope', 'test-flow/versions/9', 'test-flow/versions/0', 'test-flow/versions/x', '%00'])(
    'knows no %s',
    async (path) => {
      const answer = await gateway.ask({ url: `/v1/flows/${path}` });
      expect(answer.statusCode).toBe(404);
      expect(answer.json()).toMatchObject({ code: 'FLOW_NOT_FOUND' });
    },
  );

  it('says which version there is not, and of which flow', async () => {
    const answer = await gateway.ask({ url: '/v1/flows/test-flow/versions/9' });
    expect(answer.json()).toMatchObject({ detail: 'There is no version 9 of flow "test-flow".' });
  });
});

it.each(['flows', 'flows/test-flow', 'flows/test-flow/versions/1'])(
  'GET /v1/%s takes no parameters',
  async (path) => {
    const answer = await gateway.ask({ url: `/v1/${path}?version=1` });
    expect(answer.json()).toMatchObject({
      code: 'INVALID_REQUEST',
      errors: [{ pointer: '/version' }],
    });
  },
);

describe('POST /v1/flows:validate', () => {
  const good =
    '{\n  // a chain\n  "f": {"input": {}, "steps": [{"normal": {"module": "m", "command": "c"}},]},\n}';

  it.each(['application/json', 'application/jsonc', 'application/jsonc; charset=utf-8'])(
    'takes a flow file as it is, as %s',
    async (type) => {
      const answer = await gateway.post('/v1/flows:validate', good, { 'content-type': type });
      expect(answer.statusCode).toBe(200);
      expect(answer.json()).toEqual({ valid: true, problems: [], warnings: [] });
    },
  );

  it('tells what is wrong and where', async () => {
    const answer = await gateway.post('/v1/flows:validate', '{\n "f": [{"normal": {}}]\n}');
    expect(answer.statusCode).toBe(200);
    const { valid, problems } = answer.json() as { valid: boolean; problems: object[] };
    expect(valid).toBe(false);
    expect(problems[0]).toEqual({
      pointer: expect.stringContaining('/f/0/normal'),
      line: 2,
      column: expect.any(Number),
      code: 'MISSING_MEMBER',
      type: '/docs/findings#MISSING_MEMBER',
      message: expect.any(String),
      hint: expect.any(String),
    });
  });

  it.each(['', '{', '{"__proto__": []}', '[]', '['.repeat(9_000)])(
    'finds %.20j invalid',
    async (text) => {
      const answer = await gateway.post('/v1/flows:validate', text);
      expect(answer.statusCode).toBe(200);
      expect(answer.json()).toMatchObject({ valid: false });
    },
  );

  it('warns of a flow without an input, which is valid', async () => {
    const text = '{"f": [{"normal": {"module": "m", "command": "c"}}]}';
    const answer = await gateway.post('/v1/flows:validate', text);
    expect(answer.json()).toMatchObject({
      valid: true,
      problems: [],
      warnings: [
        { code: 'NO_INPUT', type: '/docs/findings#NO_INPUT', pointer: '/f', line: 1, column: 2 },
      ],
    });
  });

  it.each([
    [new CheckTooCostly('It took long.'), 422, 'FLOW_FILE_TOO_COSTLY'],
    [new CheckerBusy('Too many.'), 429, 'TOO_MANY_REQUESTS'],
    [new ProcessUnavailable('it does not start'), 503, 'PROCESS_UNAVAILABLE'],
  ])('tells that a file could not be checked: %s', async (reason, status, code) => {
    const refuse = () => Promise.reject(reason);
    const fits = () => [];
    const checker = { checkInput: fits, checkOutput: fits, checkFile: refuse, readFlow: refuse };
    const busy = await Gateway.open([], { checker });
    const answer = await busy.post('/v1/flows:validate', good);
    expect(answer.statusCode).toBe(status);
    expect(answer.json()).toMatchObject({ code });
    await busy.close();
  });

  it('takes no bytes that are not text', async () => {
    const answer = await gateway.post('/v1/flows:validate', Buffer.from([0x7b, 0xff]));
    expect(answer.json()).toMatchObject({ code: 'MALFORMED_JSON' });
  });
});

describe('modules that a key does not use', () => {
  it('are suggested by no hint', async () => {
    const known = { modules: () => ['mysql', 'monitor'], commands: () => ['a'] };
    const guarded = await Gateway.open([flow([], { name: 'empty' })], { asksForKeys: true, known });
    const { clock, store } = guarded.world;
    const body = JSON.stringify({ x: [{ normal: { module: 'mysqll', command: 'a' } }] });
    const found: string[] = [];
    for (const [n, modules] of [['*'], ['monitor']].entries()) {
      const secret = { id: `${n}`.padStart(16, '0'), secret: 's'.repeat(43) };
      const { record, text } = makeKey({ name: 'k', role: 'viewer', modules }, secret, clock.now());
      await store.keys.put(record, null);
      const headers = { authorization: `Bearer ${text}` };
      const checked = await guarded.ask({ ...{ method: 'POST', body, headers }, url: VALIDATE });
      expect(checked.body).toContain('UNKNOWN_MODULE');
      found.push(checked.body);
    }
    expect(found[0]).toContain('`mysql`');
    expect(found[1]).not.toContain('`mysql`');
    await guarded.close();
  });
});

const VALIDATE = '/v1/flows:validate';
