import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ChainCheck, isHeadSigned, makeKey, type SignedHead } from '#access';
import type { AuditEntry, AuditLog } from '#ports';
import { chain, settle } from '#testing';
import { misfits } from '../docs/misfits-spec.js';
import { Gateway } from '../gateway-spec.js';
import { searchEntries } from './audit.controller.js';

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

  it('has the beginning of an address that is too long', async () => {
    const url = `/v1/tasks/${'x'.repeat(15_000)}:terminate`;
    const answer = await gateway.post(url, { reason: 'r' }, tokens['admin']);
    expect(answer.json()).toMatchObject({ status: 404, code: 'TASK_NOT_FOUND' });
    await settle();
    expect(await entries()).toMatchObject([{ target: url.slice(0, 2_000) }]);
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

/** A log of so many entries, of which every thousandth is the needle's. */
function longLog(length: number): Pick<AuditLog, 'readEntries'> {
  const entryOf = (seq: number) => {
    const actor = seq % 1_000 === 0 ? 'Needle' : 'hay';
    return { seq, actor, operation: 'PUT /v1/x', target: '/v1/x' } as AuditEntry;
  };
  return {
    readEntries: ({ beyond = 0, limit }) => {
      const count = Math.max(0, Math.min(limit, length - beyond));
      return Promise.resolve(Array.from({ length: count }, (_, n) => entryOf(beyond + n + 1)));
    },
  };
}

const ORDER = { first: 'oldest', limit: 3 } as const;

it('finds texts in any case, and says where it goes on', async () => {
  const log = longLog(5_000);
  const first = await searchEntries(log, { actor: 'needle' }, ORDER);
  expect(first.entries.map(({ seq }) => seq)).toEqual([1_000, 2_000, 3_000]);
  const rest = await searchEntries(log, { actor: 'NEEDLE' }, { ...ORDER, beyond: first.beyond! });
  expect(rest).toMatchObject({ entries: [{ seq: 4_000 }, { seq: 5_000 }], beyond: null });
});

it('wants every text of the filter', async () => {
  const log = longLog(3_000);
  const filter = { actor: 'needle', target: '/v1/y' };
  expect(await searchEntries(log, filter, ORDER)).toEqual({ entries: [], beyond: null });
});

it('looks at so many entries and no more, and goes on from there', async () => {
  const log = longLog(50_000);
  const none = await searchEntries(log, { actor: 'nobody' }, ORDER);
  expect(none).toEqual({ entries: [], beyond: 20_000 });
});

it('reads a page as it is where nothing is searched', async () => {
  const page = await searchEntries(longLog(10), {}, ORDER);
  expect(page).toMatchObject({ entries: [{ seq: 1 }, { seq: 2 }, { seq: 3 }], beyond: 3 });
  const last = await searchEntries(longLog(10), {}, { ...ORDER, beyond: 8 });
  expect(last).toMatchObject({ entries: [{ seq: 9 }, { seq: 10 }], beyond: null });
});

it('gives an entry that cannot be read where no text is searched, and only there', async () => {
  const unreadable = { seq: 1, unreadable: 'actor is not a text' };
  const log: Pick<AuditLog, 'readEntries'> = { readEntries: async () => [unreadable] };
  expect(await searchEntries(log, {}, ORDER)).toEqual({ entries: [unreadable], beyond: null });
  expect(await searchEntries(log, { actor: 'a' }, ORDER)).toEqual({ entries: [], beyond: null });
});

/** A log with an entry each minute, the newest first. */
function timedLog(length: number): Pick<AuditLog, 'readEntries'> & { reads: number } {
  const entryOf = (seq: number) => ({ ...SAMPLE, seq, at: seq * 60_000 }) as AuditEntry;
  const log = {
    reads: 0,
    readEntries: ({ beyond = length + 1, limit }: { beyond?: number; limit: number }) => {
      log.reads += 1;
      const count = Math.max(0, Math.min(limit, beyond - 1));
      return Promise.resolve(Array.from({ length: count }, (_, n) => entryOf(beyond - 1 - n)));
    },
  };
  return log;
}

const SAMPLE = { actor: 'ann', operation: 'PUT /v1/x', target: '/v1/x' };

it('finds entries of a time, the first moment with it and the last one without', async () => {
  const time = { after: 60_000 * 100, before: 60_000 * 103 };
  const query = { first: 'newest', limit: 50 } as const;
  const { entries } = await searchEntries(timedLog(5_000), time, query);
  expect(entries.map(({ seq }) => seq)).toEqual([102, 101, 100]);
});

it('reads no further than the time that is wanted, but for what clocks may differ', async () => {
  const log = timedLog(20_000);
  const query = { first: 'newest', limit: 200 } as const;
  const found = await searchEntries(log, { after: 60_000 * 19_900 }, query);
  expect(found.entries).toHaveLength(101);
  expect(found.beyond).toBeNull();
  expect(log.reads).toBe(1);
});
