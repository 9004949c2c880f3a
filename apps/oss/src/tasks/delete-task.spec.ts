import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { LightMyRequestResponse } from 'fastify';
import { allOf, OUTPUT, recordsOf } from '#ports';
import { chain, endedOf, sampleTask, settle } from '#testing';
import { Gateway } from '../gateway-spec.js';

const FLOW = { ...chain(['a', 'b']), name: 'test-flow' };

let gateway: Gateway;
beforeEach(async () => {
  gateway = await Gateway.open([FLOW]);
});
afterEach(() => gateway.close());

function remove(id: string, headers: Record<string, string> = {}): Promise<LightMyRequestResponse> {
  return gateway.ask({ method: 'DELETE', url: `/v1/tasks/${id}`, headers });
}

async function refusalOf(id: string, headers?: Record<string, string>): Promise<string[]> {
  const { code, detail } = (await remove(id, headers)).json() as { code: string; detail: string };
  return [code, detail];
}

async function ended(key: string): Promise<string> {
  const id = await gateway.create({ flow: 'test-flow', idempotencyKey: key });
  while ((await gateway.world.task(id)).outcome === null) await settle();
  return id;
}

it('removes an ended task with all that belongs to it, and the audit log has the request', async () => {
  const { audit, records } = gateway.world.store;
  const id = await ended('once');
  const line = { taskId: id, step: 'a', run: 'a', direction: 'normal', attempt: 1 } as const;
  const part = { part: 0, revision: 1, since: 1, changedAt: 1, size: 0, lines: [] };
  await records.put(OUTPUT, { ...line, ...part }, null);
  const headers = { 'x-backstep-actor': 'ann', 'x-backstep-reason': 'ticket 4711' };
  const answer = await remove(id, headers);
  expect([answer.statusCode, answer.body]).toEqual([204, '']);
  expect((await gateway.ask({ url: `/v1/tasks/${id}` })).json()).toMatchObject({
    code: 'TASK_NOT_FOUND',
  });
  expect(await allOf(recordsOf(records, OUTPUT))).toEqual([]);
  expect(await ended('once')).not.toBe(id);
  const [entry] = await audit.readEntries({ first: 'newest', limit: 1 });
  expect(entry).toMatchObject({
    actor: 'ann',
    target: `/v1/tasks/${id}`,
    operation: 'DELETE /v1/tasks/{taskId}',
    reason: 'ticket 4711',
    status: 204,
  });
  expect(await refusalOf(id)).toMatchObject(['TASK_NOT_FOUND', expect.any(String)]);
});

it('keeps a task that has not ended, or that something is still to happen to', async () => {
  const { store } = gateway.world;
  const live = sampleTask();
  const tended = { ...endedOf(sampleTask()), wakeAt: Number.MAX_SAFE_INTEGER };
  for (const task of [live, tended]) await store.insert(task);
  expect(await refusalOf(live.plan.taskId)).toEqual([
    'ILLEGAL_ACTION',
    expect.stringContaining('only a task that has ended'),
  ]);
  expect(await refusalOf(tended.plan.taskId)).toEqual([
    'ILLEGAL_ACTION',
    expect.stringContaining('its failure flow'),
  ]);
  expect(store.contents.tasks.size).toBe(2);
});

it('keeps a child task until its parent is deleted, and names that by no id', async () => {
  const { store } = gateway.world;
  const parent = endedOf(sampleTask());
  const { taskId } = parent.plan;
  const place = { run: 'fleet#1', index: 0, isPart: false, depth: 1 };
  const child = endedOf(sampleTask({ parent: { taskId, ...place } }));
  for (const task of [parent, child]) await store.insert(task);
  expect(await refusalOf(child.plan.taskId)).toEqual([
    'ILLEGAL_ACTION',
    'Its parent needs it to be undone: delete that first.',
  ]);
  for (const task of [parent, child]) {
    expect((await remove(task.plan.taskId)).statusCode).toBe(204);
  }
  expect(store.contents.tasks.size).toBe(0);
});

it('deletes the revision alone that the caller or the request itself has read', async () => {
  const id = await ended('two');
  const { revision } = await gateway.world.task(id);
  expect(await refusalOf(id, { 'if-match': `"${revision - 1}"` })).toMatchObject([
    'REVISION_CHANGED',
    expect.stringContaining(`${revision}`),
  ]);
  const { finals } = gateway.world.store;
  const removeNow = finals.remove.bind(finals);
  finals.remove = (tasks) => removeNow(tasks.map((task) => ({ ...task, revision: 0 })));
  expect(await refusalOf(id)).toMatchObject(['REVISION_CHANGED', expect.any(String)]);
  finals.remove = removeNow;
  expect((await remove(id, { 'if-match': `"${revision}"` })).statusCode).toBe(204);
});
