import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { LightMyRequestResponse } from 'fastify';
import { makeKey } from '#access';
import { CheckerBusy } from '#flow-files';
import { RecordUnreadable } from '#ports';
import { chain } from '#testing';
import { Gateway } from '../gateway-spec.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await Gateway.open([chain(['a'])]);
});
afterAll(() => gateway.close());

function steps(...commands: string[]): object[] {
  return commands.map((command) => ({ normal: { module: 'm', command } }));
}

function put(name: string, body: unknown, headers = {}): Promise<LightMyRequestResponse> {
  return gateway.ask({ method: 'PUT', url: `/v1/flows/${name}`, body, headers });
}

function retire(name: string, headers = {}): Promise<LightMyRequestResponse> {
  return gateway.ask({ method: 'DELETE', url: `/v1/flows/${name}`, headers });
}

function start(flow: string): Promise<LightMyRequestResponse> {
  return gateway.post('/v1/tasks', { flow });
}

describe('PUT /v1/flows/{name}', () => {
  it('stores versions, which can be started', async () => {
    const first = await put('puts', steps('a'));
    expect(first.statusCode).toBe(201);
    expect(first.headers).toMatchObject({ etag: '"1"', location: '/v1/flows/puts' });
    expect(first.json()).toMatchObject({
      name: 'puts',
      version: 1,
      revived: false,
      warnings: [{ code: 'NO_INPUT', pointer: '' }],
    });
    const same = await put('puts', { steps: steps('a') });
    expect([same.statusCode, same.json().version]).toEqual([200, 1]);
    const next = await put('puts', '// longer\n{"input": {}, "steps": [', {
      'content-type': 'application/jsonc',
    });
    expect(next.statusCode).toBe(422);
    const second = await put('puts', `// longer\n${JSON.stringify(steps('a', 'b'))}`, {
      'content-type': 'application/jsonc',
    });
    expect([second.statusCode, second.json().version]).toEqual([200, 2]);
    expect((await start('puts')).json()).toMatchObject({ flow: 'puts', flowVersion: 2 });
    expect((await start('puts@1')).json()).toMatchObject({ flow: 'puts', flowVersion: 1 });
    expect((await gateway.ask({ url: '/v1/flows/puts' })).headers).toMatchObject({ etag: '"2"' });
    const { results } = (
      await gateway.post('/v1/tasks:batch', { tasks: [{ flow: 'puts@1' }, { flow: 'puts@3' }] })
    ).json();
    expect(results).toMatchObject([{ status: 201 }, { problem: { code: 'FLOW_NOT_FOUND' } }]);
  });

  it('says what is wrong, with code, pointer and place, and stores nothing', async () => {
    const answer = await put('bad', '{\n "steps": [{"normal": {"module": "m"}}]\n}');
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({
      code: 'INVALID_FLOW',
      errors: [
        {
          code: 'MISSING_MEMBER',
          type: '/docs/findings#MISSING_MEMBER',
          pointer: '/steps/0/normal',
          line: 2,
        },
      ],
    });
    expect((await gateway.ask({ url: '/v1/flows/bad' })).statusCode).toBe(404);
  });

  it.each(['', '{', '[]', '3', '[], "x": []'])('refuses %j', async (text) => {
    expect((await put('bad', text)).json()).toMatchObject({ code: 'INVALID_FLOW' });
  });

  it('asks for the version that is expected', async () => {
    const isNew = { 'if-none-match': '*' };
    expect((await put('guarded', steps('a'), { 'if-match': '*' })).statusCode).toBe(412);
    expect((await put('guarded', steps('a'), isNew)).statusCode).toBe(201);
    const again = await put('guarded', steps('b'), isNew);
    expect([again.statusCode, again.json().code]).toEqual([412, 'REVISION_CHANGED']);
    expect((await put('guarded', steps('b'), { 'if-match': '"2"' })).statusCode).toBe(412);
    expect((await put('guarded', steps('b'), { 'if-match': '"1"' })).json().version).toBe(2);
    expect((await put('guarded', steps('b'), { 'if-match': 'x' })).statusCode).toBe(400);
    expect((await put('guarded', steps('b'), { 'if-match': '"x"' })).statusCode).toBe(412);
    expect((await put('guarded', steps('b'), { 'if-none-match': '"1"' })).statusCode).toBe(400);
    expect((await retire('guarded', { 'if-match': '"1"' })).statusCode).toBe(412);
  });

  it.each(['put', 'retire'])('takes a version that cannot be read for one to %s', async (verb) => {
    await put('broken', steps('a'));
    const { store } = gateway.world;
    const found = jest.spyOn(store, 'getFlow').mockImplementation(async (name) => {
      throw new RecordUnreadable('flow', name, 'steps is missing');
    });
    const any = { 'if-match': '*' };
    const answer = await (verb === 'put' ? put('broken', steps('b'), any) : retire('broken', any));
    found.mockRestore();
    expect(answer.statusCode).toBe(verb === 'put' ? 200 : 204);
  });

  it('leaves flows of files alone', async () => {
    for (const answer of [await put('test-flow', steps('a')), await retire('test-flow')]) {
      expect([answer.statusCode, answer.json().code]).toEqual([409, 'FLOW_IN_FILE']);
    }
  });

  it.each(['a@3', '%20', 'x'.repeat(101), '$schema'])('takes no name %j', async (name) => {
    const answer = await put(name, steps('a'));
    expect(answer.statusCode).toBe(422);
    const errors = [{ code: 'WRONG_NAME', pointer: '/name' }];
    expect(answer.json()).toMatchObject({ code: 'INVALID_FLOW', errors });
  });

  it('is refused while too many texts are checked', async () => {
    const refuse = () => Promise.reject(new CheckerBusy('Too many.'));
    const fits = () => [];
    const checker = { checkInput: fits, checkOutput: fits, checkFile: refuse, readFlow: refuse };
    const busy = await Gateway.open([], { checker });
    const answer = await busy.ask({ method: 'PUT', url: '/v1/flows/a', body: steps('a') });
    expect(answer.json()).toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    await busy.close();
  });

  it('is for authors of such flows', async () => {
    const guarded = await Gateway.open([], { asksForKeys: true });
    const order = { name: 'mine', role: 'author', flows: 'mine-*', modules: 'm' } as const;
    const secret = { id: '1'.repeat(16), secret: 's'.repeat(43) };
    const { record, text } = makeKey(order, secret, guarded.world.clock.now());
    await guarded.world.store.keys.put(record, null);
    const headers = { authorization: `Bearer ${text}` };
    const ask = async (name: string, body: unknown): Promise<number> => {
      const request = { method: 'PUT', url: `/v1/flows/${name}`, body, headers };
      return (await guarded.ask(request)).statusCode;
    };
    expect(await ask('mine-1', steps('a'))).toBe(201);
    expect(await ask('other', steps('a'))).toBe(403);
    const elsewhere = [{ normal: { module: 'n', command: 'c' } }];
    expect(await ask('mine-1', elsewhere)).toBe(403);
    const entries = await guarded.world.store.audit.readEntries({ limit: 10, first: 'oldest' });
    expect(entries.map(({ operation, status, target }) => [operation, status, target])).toEqual([
      ['PUT /v1/flows/{name}', 201, '/v1/flows/mine-1'],
      ['PUT /v1/flows/{name}', 403, '/v1/flows/other'],
      ['PUT /v1/flows/{name}', 403, '/v1/flows/mine-1'],
    ]);
    await guarded.close();
  });

  it('refuses flows that start others than their author may start', async () => {
    const guarded = await Gateway.open([chain(['a'])], { asksForKeys: true });
    const limits = { flows: 'mine-*', modules: 'm' };
    const order = { name: 'mine', role: 'author', ...limits } as const;
    const secret = { id: '1'.repeat(16), secret: 's'.repeat(43) };
    const { record, text } = makeKey(order, secret, guarded.world.clock.now());
    await guarded.world.store.keys.put(record, null);
    const headers = { authorization: `Bearer ${text}` };
    const body = {
      failureFlow: 'elsewhere',
      steps: [
        { flow: { name: 'mine-2' } },
        { group: [{ foreach: { in: [1], as: 'x', flow: '{% x %}' } }] },
        { choice: [{ when: true, steps: [{ flow: { name: 'other' } }] }] },
      ],
    };
    const refused = await guarded.ask({ method: 'PUT', url: '/v1/flows/mine-1', body, headers });
    expect(refused.statusCode).toBe(403);
    expect(refused.json()).toMatchObject({
      code: 'FORBIDDEN',
      errors: [
        { pointer: '/failureFlow', message: expect.stringContaining('flow elsewhere') },
        { pointer: '/steps/1/group/0/foreach/flow' },
        { pointer: '/steps/2/choice/0/steps/0/flow/name' },
      ],
    });
    const own = { failureFlow: 'mine-3', steps: [{ flow: { name: 'mine-2' } }] };
    const url = '/v1/flows/mine-1';
    expect((await guarded.ask({ method: 'PUT', url, body: own, headers })).statusCode).toBe(201);
    await guarded.close();
  });

  it('refuses a flow that closes a ring with those that are stored', async () => {
    expect((await put('ring-a', [{ flow: { name: 'ring-b' } }])).json()).toMatchObject({
      warnings: [{ code: 'NO_INPUT' }, { code: 'UNKNOWN_CHILD_FLOW', pointer: '/0/flow/name' }],
    });
    expect((await put('ring-b', [{ flow: { name: 'ring-a' } }])).json()).toMatchObject({
      code: 'INVALID_FLOW',
      errors: [{ code: 'ENDLESS_FLOWS', pointer: '/0/flow/name' }],
    });
  });

  it('compares what child tasks are given with the input of their flow', async () => {
    await put('given', { input: { properties: { size: { type: 'integer' } } }, steps: steps('a') });
    const child = { flow: { name: 'given', parameters: { size: 'large' } } };
    expect((await put('giving', { input: {}, steps: [child] })).json()).toMatchObject({
      warnings: [{ code: 'WRONG_CHILD_PARAMETERS', pointer: '/steps/0/flow/parameters/size' }],
    });
  });
});

describe('DELETE /v1/flows/{name}', () => {
  it('retires a flow until it is stored again', async () => {
    await put('old', steps('a'));
    expect((await retire('old')).statusCode).toBe(204);
    expect((await retire('old')).statusCode).toBe(204);
    for (const reference of ['old', 'old@1']) {
      const refused = await start(reference);
      expect(refused.statusCode).toBe(404);
      expect(refused.json()).toMatchObject({
        code: 'FLOW_NOT_FOUND',
        detail: expect.stringContaining('is retired'),
      });
    }
    expect((await gateway.ask({ url: '/v1/flows/old/versions/1' })).statusCode).toBe(200);
    const { items } = (await gateway.ask({ url: '/v1/flows' })).json();
    expect(items).toContainEqual(
      expect.objectContaining({ name: 'old', startable: false, retired: true }),
    );
    const back = await put('old', steps('a'));
    expect(back.statusCode).toBe(200);
    expect(back.json()).toMatchObject({ version: 2, revived: true });
    expect((await start('old')).statusCode).toBe(201);
  });

  it('knows no flow that was never there', async () => {
    for (const name of ['never', 'a@3', '%20', '$schema']) {
      const answer = await retire(name);
      expect([answer.statusCode, answer.json().code]).toEqual([404, 'FLOW_NOT_FOUND']);
    }
  });
});

describe('GET /v1/flows/{name}/versions', () => {
  it('lists them page by page, the newest first', async () => {
    for (const command of ['a', 'b', 'c']) await put('many', steps(command));
    const page = (await gateway.ask({ url: '/v1/flows/many/versions?limit=2' })).json();
    expect(page).toMatchObject({ items: [{ version: 3 }, { version: 2 }] });
    expect(page.page.nextCursor).toBe('2');
    const rest = await gateway.ask({ url: '/v1/flows/many/versions?limit=2&cursor=2' });
    expect(rest.json()).toMatchObject({ items: [{ version: 1 }], page: { nextCursor: null } });
  });

  it.each(['limit=0', 'limit=201', 'cursor=x', 'x=1'])('takes no %s', async (query) => {
    const answer = await gateway.ask({ url: `/v1/flows/test-flow/versions?${query}` });
    expect(answer.json()).toMatchObject({ code: 'INVALID_REQUEST' });
  });
});

describe('GET /v1/flows/{name}/versions/{version}/source', () => {
  const jsonc = { 'content-type': 'application/jsonc' };
  const sourceOf = (name: string, version: number, headers = {}) => {
    return gateway.ask({ url: `/v1/flows/${name}/versions/${version}/source`, headers });
  };

  it('is the text that was stored, of each version by itself', async () => {
    const first = `// why: é\r\n${JSON.stringify(steps('a'))} /* end */\n\n`;
    await put('told', first, jsonc);
    await put('told', steps('a', 'b'));
    const answer = await sourceOf('told', 1);
    expect([answer.statusCode, answer.body]).toEqual([200, first]);
    expect(answer.headers['content-type']).toBe('application/jsonc; charset=utf-8');
    expect((await sourceOf('told', 2)).body).toBe(JSON.stringify(steps('a', 'b')));
    const again = await put('told', answer.body, { ...jsonc, 'if-match': '"2"' });
    expect(again.json()).toMatchObject({ version: 3 });
  });

  it('is the newest text of those that mean the same, under another tag', async () => {
    await put('reworded', `// old\n${JSON.stringify(steps('a'))}`, jsonc);
    const { etag } = (await sourceOf('reworded', 1)).headers;
    expect(etag).toMatch(/^"1\.[0-9a-f]{8}"$/);
    expect((await sourceOf('reworded', 1, { 'if-none-match': etag })).statusCode).toBe(304);
    const newer = `// new\n${JSON.stringify(steps('a'))}`;
    const stored = await put('reworded', newer, { ...jsonc, 'if-match': etag });
    expect(stored.json()).toMatchObject({ version: 1 });
    const answer = await sourceOf('reworded', 1, { 'if-none-match': etag });
    expect([answer.statusCode, answer.body]).toEqual([200, newer]);
    await put('reworded', steps('b'), { 'if-match': '"2"' });
    expect((await sourceOf('reworded', 1)).body).toBe(newer);
  });

  it('is not there where the version or its text is not', async () => {
    await put('untold', steps('a'));
    for (const [name, version] of [
      ['untold', 2],
      ['never', 1],
      ['test-flow', 1],
    ] as const) {
      const answer = await sourceOf(name, version);
      expect([answer.statusCode, answer.json().code]).toEqual([404, 'FLOW_NOT_FOUND']);
    }
  });

  it('is hidden with its flow', async () => {
    const guarded = await Gateway.open([], { asksForKeys: true });
    const as = async (flows: string, id: string) => {
      const order = { name: flows, role: 'author', flows, modules: 'm' } as const;
      const secret = { id: id.repeat(16), secret: 's'.repeat(43) };
      const { record, text } = makeKey(order, secret, guarded.world.clock.now());
      await guarded.world.store.keys.put(record, null);
      return { authorization: `Bearer ${text}` };
    };
    const [mine, theirs] = [await as('mine', '1'), await as('theirs', '2')];
    const url = '/v1/flows/mine';
    await guarded.ask({ method: 'PUT', url, body: steps('a'), headers: mine });
    const source = `${url}/versions/1/source`;
    expect((await guarded.ask({ url: source, headers: mine })).statusCode).toBe(200);
    const hidden = await guarded.ask({ url: source, headers: theirs });
    const absent = await guarded.ask({ url: `${url}/versions/2/source`, headers: theirs });
    expect([hidden.statusCode, hidden.json().detail]).toEqual([
      404,
      absent.json().detail.replace('2', '1'),
    ]);
    await guarded.close();
  });
});

describe('GET /v1/flows/{name}/versions/{version}:diff', () => {
  it('tells added, removed and changed steps, and members', async () => {
    const group = (...inner: object[]) => ({ name: 'g', group: inner });
    const [a, b] = steps('a', 'b');
    await put('diffs', { timeout: '1m', steps: [a, group(...steps('x', 'y'))] });
    const x = { normal: { module: 'm', command: 'x', timeout: '1s' } };
    await put('diffs', { description: 'more', timeout: '1m', steps: [b, group(x)] });
    const answer = await gateway.ask({ url: '/v1/flows/diffs/versions/1:diff?to=2' });
    expect(answer.json()).toEqual({
      flow: 'diffs',
      from: 1,
      to: 2,
      added: [{ step: 'b', pointer: '/steps/0' }],
      removed: [
        { step: 'a', pointer: '/steps/0' },
        { step: 'g/y', pointer: '/steps/1/group/1' },
      ],
      changed: [
        {
          step: 'g',
          pointer: '/steps/1',
          members: [{ pointer: '/steps/1/needs', from: ['a'], to: ['b'] }],
        },
        {
          step: 'g/x',
          pointer: '/steps/1/group/0',
          members: [{ pointer: '/steps/1/group/0/normal/timeout', from: 300, to: 1 }],
        },
      ],
      members: [{ pointer: '/description', from: null, to: 'more' }],
    });
    const same = (await gateway.ask({ url: '/v1/flows/diffs/versions/2:diff' })).json();
    expect(same).toMatchObject({
      from: 2,
      to: 2,
      added: [],
      removed: [],
      changed: [],
      members: [],
    });
  });

  it('knows no version that is not there', async () => {
    const answer = await gateway.ask({ url: '/v1/flows/diffs/versions/1:diff?to=9' });
    expect(answer.json()).toMatchObject({ code: 'FLOW_NOT_FOUND' });
  });
});
