import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ChainCheck, isHeadSigned, makeKey, type SignedHead } from '#access';
import { chain, settle } from '#testing';
import { misfits } from '../docs/misfits-spec.js';
import { Gateway } from '../gateway-spec.js';

interface Entry {
  readonly seq: number;
  readonly at: string;
  readonly hash: string;
}

let gateway: Gateway;
const tokens: Record<string, Record<string, string>> = {};

async function open(asksForKeys: boolean): Promise<void> {
  gateway = await Gateway.open([chain(['a', 'b'])], { asksForKeys });
  for (const [n, role] of ['admin', 'viewer'].entries()) {
    const secret = { id: `${n}`.repeat(16), secret: 's'.repeat(43) };
    const { record, text } = makeKey({ name: role, role }, secret, gateway.world.clock.now());
    await gateway.world.store.keys.put(record, null);
    tokens[role] = { authorization: `Bearer ${text}` };
  }
}

async function entries(query = ''): Promise<readonly Entry[]> {
  const answer = await gateway.ask({ url: `/v1/audit${query}`, headers: tokens['admin']! });
  expect(misfits('AuditPage', answer.json())).toEqual([]);
  return (answer.json() as { items: readonly Entry[] }).items;
}

afterEach(() => gateway.close());

describe('the audit log of a gateway that asks for keys', () => {
  beforeEach(() => open(true));

  it('has who made, did and was refused what, and why, newest first', async () => {
    const taskId = await gateway.create({ flow: 'test-flow' }, tokens['admin']);
    const url = `/v1/tasks/${taskId}:terminate`;
    await gateway.post(url, { reason: 'too late' }, tokens['viewer']);
    await gateway.post(url, { reason: 'ticket 1' }, tokens['admin']);
    await settle();
    const operation = 'POST /v1/tasks/{taskId}:terminate';
    expect(await entries()).toMatchObject([
      { seq: 3, actor: 'admin', operation, target: url, reason: 'ticket 1' },
      { seq: 2, actor: 'viewer', keyId: '1'.repeat(16), operation, status: 403 },
      { seq: 1, actor: 'admin', operation: 'POST /v1/tasks', status: 201, reason: null },
    ]);
  });

  it('is searched by who, what and where', async () => {
    const taskId = await gateway.create({ flow: 'test-flow' }, tokens['admin']);
    const url = `/v1/tasks/${taskId}:terminate`;
    await gateway.post(url, { reason: 'r' }, tokens['viewer']);
    await gateway.post(url, { reason: 'r' }, tokens['admin']);
    await settle();
    const seqs = async (query: string) => (await entries(query)).map(({ seq }) => seq);
    expect(await seqs('?operation=:Terminate')).toEqual([3, 2]);
    expect(await seqs(`?operation=:terminate&actor=view&target=${taskId}`)).toEqual([2]);
    expect(await seqs('?operation=:terminate&limit=1')).toEqual([3]);
    expect(await seqs('?operation=:terminate&limit=1&cursor=3')).toEqual([2]);
    expect(await seqs('?actor=nobody')).toEqual([]);
  });

  it('is a chain, page by page', async () => {
    for (let n = 0; n < 5; n += 1) await gateway.post('/v1/keys', { n }, tokens['admin']);
    const first = await entries('?first=oldest&limit=3');
    const rest = await entries(`?first=oldest&limit=3&cursor=${first.at(-1)?.seq}`);
    expect([...first, ...rest].map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    const check = new ChainCheck();
    for (const entry of [...first, ...rest]) {
      expect(check.take({ ...entry, at: Date.parse(entry.at) } as never)).toBeNull();
    }
  });

  it('has an end that is signed, whenever somebody asks for it', async () => {
    const ask = () => gateway.ask({ url: '/v1/audit/head', headers: tokens['admin']! });
    expect((await ask()).json()).toEqual({ head: null });
    await gateway.post('/v1/keys', {}, tokens['admin']);
    const answer = await ask();
    expect(misfits('AuditHeadAnswer', answer.json())).toEqual([]);
    const { head } = answer.json() as { readonly head: SignedHead };
    const [newest] = await entries();
    expect(head).toMatchObject({ seq: 1, hash: newest?.hash });
    expect(isHeadSigned(head, [gateway.auditKeys.publicKey])).toBe(true);
    const refused = await gateway.ask({ url: '/v1/audit/head?x=1', headers: tokens['admin']! });
    expect(refused.json()).toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('has no reads, and of strangers who show a wrong key a few entries', async () => {
    await gateway.ask({ url: '/v1/tasks', headers: tokens['viewer']! });
    await gateway.post('/v1/tasks', { flow: 'test-flow' });
    for (let n = 0; n < 20; n += 1) {
      await gateway.post('/v1/tasks', {}, { authorization: `Bearer wrong-${n}` });
    }
    await settle();
    expect(await entries()).toMatchObject([
      {
        seq: 1,
        actor: 'unknown',
        keyId: null,
        operation: 'REFUSE /v1/session',
        target: '/v1/tasks',
        status: 401,
        reason: expect.stringMatching(/^an unknown key or token, from /),
      },
    ]);
    await gateway.world.clock.advance(300_000);
    const [newest, ...rest] = await entries();
    expect(rest).toHaveLength(1);
    expect(newest).toMatchObject({ reason: expect.stringMatching(/^19 more in five minutes/) });
    expect(JSON.stringify(newest)).not.toContain('wrong');
  });

  it('has no key in it', async () => {
    const made = await gateway.post('/v1/keys', { name: 'x', role: 'viewer' }, tokens['admin']);
    const answer = await gateway.ask({ url: '/v1/audit', headers: tokens['admin']! });
    expect(answer.json().items).toHaveLength(1);
    expect(answer.body).not.toContain(made.json().key.slice(-43));
  });

  it.each(['first=last', 'limit=0', 'limit=1001', 'cursor=x', 'after=1', 'actor='])(
    'is not read by ?%s',
    async (query) => {
      const answer = await gateway.ask({ url: `/v1/audit?${query}`, headers: tokens['admin']! });
      expect(answer.json()).toMatchObject({ code: 'INVALID_REQUEST' });
    },
  );
});

describe('the audit log of a gateway that asks nobody', () => {
  beforeEach(() => open(false));

  it('has what was done to tasks, as who the request says, and not that tasks were made', async () => {
    const headers = { 'x-backstep-actor': 'me' };
    const taskId = await gateway.create({ flow: 'test-flow' }, headers);
    await gateway.post(`/v1/tasks/${taskId}:pause`, { reason: 'r' }, headers);
    expect(await entries()).toMatchObject([{ seq: 1, actor: 'me', keyId: null, reason: 'r' }]);
  });

  it('has the reason of a request whose body is a text from its header', async () => {
    const reason = Buffer.from('Zoë asked').toString('latin1');
    const headers = { 'content-type': 'application/jsonc', 'x-backstep-reason': reason };
    const url = '/v1/flows/told';
    await gateway.ask({ method: 'PUT', url, body: '[{"set": {"a": 1}}] // why', headers });
    await gateway.ask({
      method: 'DELETE',
      url,
      headers: { 'x-backstep-reason': 'x'.repeat(2_000) },
    });
    expect(await entries()).toMatchObject([
      { status: 204, reason: 'x'.repeat(1_000) },
      { status: 201, reason: 'Zoë asked' },
    ]);
  });
});
