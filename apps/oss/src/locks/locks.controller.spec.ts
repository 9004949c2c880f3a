import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type KeyOrder, makeKey } from '#access';
import { NO_RETRY, type StepPlan } from '#core';
import { action, flow, settle } from '#testing';
import { misfits } from '../docs/misfits-spec.js';
import { Gateway } from '../gateway-spec.js';

const LOCKS = [{ name: 'fleet', slots: 1 }];
const STEPS = [{ name: 'a', needs: [], normal: action('m.a'), rollback: null }];

let gateway: Gateway;
const ids: string[] = [];
const keys = new Map<string, string>();

beforeAll(async () => {
  const other = flow(STEPS, { name: 'other', locks: LOCKS });
  gateway = await Gateway.open([flow(STEPS, { locks: LOCKS }), other], { asksForKeys: true });
  await addKey({ name: 'all', role: 'operator' });
  await addKey({ name: 'some', role: 'viewer', flows: 'other' });
  gateway.world.commands.scripts.set('m.a', () => new Promise(() => {}));
  for (const name of ['test-flow', 'other', 'test-flow']) {
    ids.push(await gateway.create({ flow: name, parameters: {} }, as('all')));
    for (let n = 0; n < 20; n += 1) await settle();
  }
});
afterAll(() => gateway.close());

async function addKey(order: KeyOrder): Promise<void> {
  const secret = { id: `${keys.size}`.padStart(16, '0'), secret: 's'.repeat(43) };
  const { record, text } = makeKey(order, secret, gateway.world.clock.now());
  await gateway.world.store.keys.put(record, null);
  keys.set(order.name, text);
}

function as(name: string): Record<string, string> {
  return { authorization: `Bearer ${keys.get(name)}` };
}

async function list(name = 'all') {
  const answer = await gateway.ask({ url: '/v1/locks', headers: as(name) });
  expect(answer.statusCode).toBe(200);
  return answer.json() as { items: readonly object[] };
}

it('lists who holds a lock, and who waits for it in the order of their coming', async () => {
  const since = expect.stringMatching(/^\d{4}-.*Z$/);
  const [one, two, three] = ids.map((taskId, at) => {
    const status = at === 0 ? 'running' : 'not_started';
    return { taskId, since, flow: at === 1 ? 'other' : 'test-flow', status, step: null };
  });
  const found = await list();
  expect(found).toEqual({
    items: [{ name: 'fleet', slots: 1, holders: [one], waiting: [two, three] }],
    page: { nextCursor: null },
  });
  expect(misfits('Locks', found)).toEqual([]);
});

it('shows a key with limits the tasks that it sees', async () => {
  const { items } = await list('some');
  expect(items).toMatchObject([{ holders: [], waiting: [{ taskId: ids[1] }] }]);
});

it('is why a task does not move, which names the holder', async () => {
  const answer = await gateway.ask({ url: `/v1/tasks/${ids[2]}/why`, headers: as('all') });
  expect(answer.json()).toMatchObject({
    moving: false,
    causes: [
      {
        code: 'WAITS_FOR_LOCK',
        message: `The task waits for the lock fleet, held by ${ids[0]}; 1 ahead of it in the queue.`,
        evidence: { lock: 'fleet', slots: 1, holders: [ids[0]], ahead: 1 },
      },
    ],
  });
});

it('says that a holder keeps it until a person acts, and how that stands', async () => {
  const reason = 'a long night';
  await gateway.post(`/v1/tasks/${ids[0]}:pause`, { reason }, as('all'));
  const why = { url: `/v1/tasks/${ids[2]}/why` };
  const held = (await gateway.ask({ ...why, headers: as('all') })).json();
  await gateway.post(`/v1/tasks/${ids[0]}:resume`, { reason }, as('all'));
  const moved = (await gateway.ask({ ...why, headers: as('all') })).json();
  const [cause] = held.causes;
  expect(cause.message).toContain(`${ids[0]} waits for a person (paused)`);
  expect(cause.next).toMatchObject([{ action: 'why', taskId: ids[0] }, { action: 'locks' }]);
  expect(misfits('Explanation', held)).toEqual([]);
  expect(moved.causes[0].next).toMatchObject([{ action: 'locks' }, { action: 'wait' }]);
});

it('is why a task does not move, which does not name a holder that the reader does not see', async () => {
  const answer = await gateway.ask({ url: `/v1/tasks/${ids[1]}/why`, headers: as('some') });
  expect(answer.json()).toMatchObject({
    causes: [
      {
        message: 'The task waits for the lock fleet, held by another task.',
        evidence: { holders: [], ahead: 0 },
      },
    ],
  });
  expect(answer.body).not.toContain(ids[0]);
});

it('tells tasks that wait for each other, and that one of them has to go back', async () => {
  const group = { needs: [], retry: NO_RETRY, timeoutMs: null } as const;
  const nested = (outer: string, inner: string): readonly StepPlan[] => {
    const locksOf = (name: string) => [{ name, slots: 1 }];
    const [s, t] = ['m.s', 'm.t'].map((name) => {
      return { name, needs: [], normal: action(name), rollback: null } satisfies StepPlan;
    });
    const held = { ...group, name: 'inner', needs: [0], locks: locksOf(inner), group: [t!] };
    return [{ ...group, name: 'outer', locks: locksOf(outer), group: [s!, held] }];
  };
  const names = ['A', 'B', 'C'];
  const flows = names.map((name, at) => flow(nested(name, names[(at + 1) % 3]!), { name }));
  const ring = await Gateway.open(flows);
  const ends: (() => void)[] = [];
  ring.world.commands.scripts.set(
    'm.s',
    () => new Promise((end) => ends.push(() => end({ kind: 'succeeded', output: null }))),
  );
  const [one, two, three] = [
    await ring.create({ flow: 'A', parameters: {} }),
    await ring.create({ flow: 'B', parameters: {} }),
    await ring.create({ flow: 'C', parameters: {} }),
  ];
  for (let n = 0; n < 1_000 && ends.length < 3; n += 1) await settle();
  expect(ends).toHaveLength(3);
  for (const end of ends) end();
  for (let n = 0; n < 40; n += 1) await settle();
  const message =
    `Step outer#1/inner waits for the lock B, held by ${two}. In turn ${two}, ${three} wait, one ` +
    'for the other, for this task: none goes on before one of them is rolled back.';
  const { moving, causes } = (await ring.ask({ url: `/v1/tasks/${one}/why` })).json();
  expect(moving).toBe(false);
  expect(causes).toMatchObject([{ message, next: [{ action: 'rollback' }, { action: 'locks' }] }]);
  await ring.close();
});
