import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chain, fails, settle } from '#testing';
import { misfits } from '../docs/misfits-spec.js';
import { Gateway } from '../gateway-spec.js';

let gateway: Gateway;

beforeEach(async () => {
  const flows = ['create-vm', 'create-db', 'drop-db'].map((name) => ({ ...chain(['a']), name }));
  gateway = await Gateway.open([...flows, { ...chain(['a', 'b']), name: 'stuck' }]);
});
afterEach(() => gateway.close());

/** Tasks: two that succeed, an hour old, and one that failed just now. */
async function fill(): Promise<void> {
  const labels = { team: 'payments', batch: 'n-7', entity: 'vm-4' };
  const headers = { 'x-request-id': 'order-1', 'x-backstep-actor': 'ann' };
  await gateway.create({ flow: 'create-vm', labels }, headers);
  await gateway.create({ flow: 'drop-db', labels: { team: 'search' } });
  await settle();
  await gateway.world.clock.advance(3_600_000);
  gateway.world.commands.scripts.set('m.a', () => fails('there is No Host left'));
  await gateway.create({ flow: 'create-db', labels: { team: 'payments' } });
  await settle();
  await gateway.world.clock.advance(1_000);
}

/** A task whose rollback has failed, and of which a person was told. */
async function stuckTask(): Promise<void> {
  gateway.world.commands.scripts.set('m.b', () => fails());
  gateway.world.commands.scripts.set('m.undo_a', () => fails());
  await gateway.create({ flow: 'stuck' });
  for (let n = 0; n < 20; n += 1) await settle();
}

async function flowsOf(q: string, more = ''): Promise<string[]> {
  const answer = await gateway.ask({ url: `/v1/tasks?q=${encodeURIComponent(q)}${more}` });
  expect(answer.statusCode).toBe(200);
  return answer.json().items.map(({ flow }: { flow: string }) => flow);
}

describe('GET /v1/tasks?q=', () => {
  it.each<[string, string[]]>([
    ['', ['create-db', 'drop-db', 'create-vm']],
    ['flow:create-*', ['create-db', 'create-vm']],
    ['flow:create-vm,drop-*', ['drop-db', 'create-vm']],
    ['flow:none-*', []],
    ['status:failed', ['create-db']],
    ['status:failed,succeeded flow:*-db', ['create-db', 'drop-db']],
    ['status:live', []],
    ['label.team:payments', ['create-db', 'create-vm']],
    ['label.team:payments label.team:search', []],
    ['batch:n-7 entity:vm-4', ['create-vm']],
    ['dimension:eu', []],
    ['operator:ann', ['create-vm']],
    ['operator:ann status:failed', []],
    ['requestId:order-1 client:127.0.0.1', ['create-vm']],
    ['requestId:order', []],
    ['text:"no host"', ['create-db']],
    ['host left', ['create-db']],
    ['text:"no guest"', []],
    ['age:>30m', ['drop-db', 'create-vm']],
    ['age:<30m', ['create-db']],
    ['age:>7d', []],
    ['parent:none', ['create-db', 'drop-db', 'create-vm']],
    ['age:<7d', ['create-db', 'drop-db', 'create-vm']],
    ['flow:create-* status:failed label.team:payments text:"no host" age:<1h', ['create-db']],
  ])('%s', async (q, flows) => {
    await fill();
    expect(await flowsOf(q)).toEqual(flows);
  });

  it('finds alert tasks only where they are asked for by name', async () => {
    await stuckTask();
    expect(await flowsOf('')).toEqual(['stuck']);
    expect(await flowsOf('flow:*')).toEqual(['stuck']);
    expect(await flowsOf('flow:backstep-alert')).toEqual(['backstep-alert']);
    expect(await flowsOf('', '&flow=backstep-alert')).toEqual(['backstep-alert']);
    const counted = await gateway.ask({ url: '/v1/tasks:count?by=flow' });
    expect(counted.json().counts).toEqual({ stuck: 1 });
    const exported = await gateway.ask({ url: '/v1/archive' });
    expect(exported.json().items).toHaveLength(1);
  });

  it('holds beside the other filters', async () => {
    await fill();
    expect(await flowsOf('flow:create-*', '&status=succeeded')).toEqual(['create-vm']);
    expect(await flowsOf('status:failed', '&status=succeeded')).toEqual([]);
    expect(await flowsOf('flow:create-*', '&flow=drop-db')).toEqual([]);
  });

  it('goes on where a page ended, also where a text is looked for', async () => {
    gateway.world.commands.scripts.set('m.a', ({ parameters }) => {
      return fails(JSON.stringify(parameters['n']));
    });
    for (const n of ['odd', 'even', 'odd', 'even']) {
      await gateway.create({ flow: 'create-vm', parameters: { n } });
      await gateway.world.clock.advance(10);
    }
    const found: unknown[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const at = cursor === '' ? '' : `&cursor=${cursor}`;
      const url = `/v1/tasks?q=text:odd&limit=1${at}`;
      const page = (await gateway.ask({ url })).json() as {
        items: unknown[];
        page: { nextCursor: string | null };
      };
      expect(page.items.length).toBeLessThanOrEqual(1);
      found.push(...page.items);
      cursor = page.page.nextCursor;
    }
    expect(found).toHaveLength(2);
  });

  it.each([
    ['colour:red', 'At character 1: The key `colour` is not known.'],
    ['flow:a  status:broken', 'At character 16: This is no status.'],
    ['age:1h', 'At character 5: This is no age.'],
    ['flow:', 'At character 6: A value is missing.'],
    ['text:"open', 'At character 6: A quotation mark is not closed.'],
    ['flow:a/b', 'At character 6: This is no name of a flow.'],
  ])('says where %s is wrong', async (q, message) => {
    const answer = await gateway.ask({ url: `/v1/tasks?q=${encodeURIComponent(q)}` });
    expect(answer.statusCode).toBe(400);
    const { code, errors } = answer.json() as { code: string; errors: object[] };
    expect(code).toBe('INVALID_REQUEST');
    expect(errors).toMatchObject([{ pointer: '/q', message, hint: expect.any(String) }]);
  });

  it('takes no more terms than it says, and looks for no text in whole tasks', async () => {
    const many = Array.from({ length: 40 }, (_, n) => `w${n}`).join(' ');
    const answer = await gateway.ask({ url: `/v1/tasks?q=${encodeURIComponent(many)}` });
    expect(answer.json()).toMatchObject({ errors: [{ pointer: '/q' }] });
    const whole = await gateway.ask({ url: '/v1/tasks?q=host&full=true' });
    expect(whole.json()).toMatchObject({ errors: [{ pointer: '/full' }] });
  });
});

describe('GET /v1/tasks:count', () => {
  async function count(query: string): Promise<object> {
    const counts = (await gateway.ask({ url: `/v1/tasks:count${query}` })).json() as object;
    expect(misfits('TaskCounts', counts)).toEqual([]);
    return counts;
  }

  it('counts by status, flow and label, with the filters of a list', async () => {
    await fill();
    expect(await count('')).toEqual({
      by: 'status',
      total: 3,
      counts: { succeeded: 2, rolled_back: 1 },
      isComplete: true,
    });
    expect(await count('?by=flow&status=succeeded')).toMatchObject({
      counts: { 'create-vm': 1, 'drop-db': 1 },
    });
    expect(await count('?by=label.team&q=flow:create-*')).toMatchObject({
      counts: { payments: 2 },
    });
    expect(await count('?by=label.other')).toMatchObject({ counts: { '': 3 } });
    expect(await count('?q=flow:none')).toMatchObject({ total: 0, counts: {} });
  });

  it('counts by when tasks were created, each as it stands now', async () => {
    await fill();
    const { intervals } = (await count('?every=1800')) as { intervals: { at: number }[] };
    expect(intervals).toMatchObject([
      { total: 2, counts: { succeeded: 2 } },
      { total: 1, counts: { rolled_back: 1 } },
    ]);
    const [first, last] = intervals.map(({ at }) => at);
    expect([first! % 1_800, last! - first!]).toEqual([0, 3_600]);
    expect(await count('?every=60&q=flow:create-db%20age:<30m')).toMatchObject({
      intervals: [{ total: 1, counts: { rolled_back: 1 } }],
    });
    expect(await count('?every=60&q=flow:none')).toMatchObject({ total: 0, intervals: [] });
  });

  it('tells of the newest 1,000 intervals, and says that there are more', async () => {
    for (let n = 0; n <= 1_000; n += 1) {
      await gateway.create({ flow: 'create-vm' });
      await gateway.world.clock.advance(1_000);
    }
    const all = (await count('?every=1')) as { intervals: object[] };
    expect(all).toMatchObject({ total: 1_000, isComplete: false });
    expect(all.intervals).toHaveLength(1_000);
    expect(await count('?every=2')).toMatchObject({ total: 1_001, isComplete: true });
  });

  it('refuses what it cannot count by', async () => {
    const answer = await gateway.ask({ url: '/v1/tasks:count?by=colour&limit=3' });
    expect(answer.json()).toMatchObject({ errors: [{ pointer: '/limit' }, { pointer: '/by' }] });
    for (const every of ['0', '2678401', '1m', '-1', '1.5', '']) {
      const refused = await gateway.ask({ url: `/v1/tasks:count?every=${every}` });
      expect(refused.json()).toMatchObject({ errors: [{ pointer: '/every' }] });
    }
  });
});
