import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Task } from '#core';
import { archivedTask, readArchivedTask } from '#core/stored';
import { isSealed } from '#core/secrets';
import { chain, endedOf, flow, PlainSecrets, sampleTask, settle } from '#testing';
import { WRONG_JSON } from '../../../../test/fixtures/wrong-json.js';
import { misfits } from '../docs/misfits-spec.js';
import { Gateway } from '../gateway-spec.js';

let gateway: Gateway;

beforeEach(async () => {
  gateway = await Gateway.open([chain(['a', 'b']), { ...chain(['a']), name: 'other' }]);
});
afterEach(() => gateway.close());

interface Page {
  readonly items: readonly string[];
  readonly page: { readonly nextCursor: string | null };
}

async function lines(query = ''): Promise<Page> {
  const answer = await gateway.ask({ url: `/v1/archive${query}` });
  expect([answer.statusCode, misfits('ArchivePage', answer.json())]).toEqual([200, []]);
  return answer.json() as Page;
}

async function put(...texts: readonly string[]): Promise<readonly unknown[]> {
  const answer = await gateway.post('/v1/archive', { lines: texts });
  expect([answer.statusCode, misfits('PutBackReports', answer.json())]).toEqual([200, []]);
  return (answer.json() as { results: readonly unknown[] }).results;
}

async function ended(flow = 'test-flow', more: object = {}): Promise<Task> {
  const taskId = await gateway.create({ flow, ...more });
  await settle();
  return gateway.world.task(taskId);
}

function idsOf({ items }: Page): readonly unknown[] {
  return items.map((line) => (JSON.parse(line) as { task: Task }).task.plan.taskId);
}

describe('lines of an archive', () => {
  it('are the final tasks that match, whole, newest first, page by page', async () => {
    const first = await ended('test-flow', { labels: { team: 'db' } });
    await gateway.world.clock.advance(1_000);
    const second = await ended('other');
    await gateway.world.store.insert(sampleTask());
    const ids = [second, first].map(({ plan }) => plan.taskId);
    expect(idsOf(await lines())).toEqual(ids);
    expect(idsOf(await lines('?q=flow:test-*'))).toEqual([first.plan.taskId]);
    expect(idsOf(await lines('?label.team=db'))).toEqual([first.plan.taskId]);
    expect(idsOf(await lines('?status=running'))).toEqual([]);
    const page = await lines('?limit=1');
    expect(idsOf(page)).toEqual([second.plan.taskId]);
    const { items } = await lines(`?limit=1&cursor=${page.page.nextCursor}`);
    expect(readArchivedTask(JSON.parse(items[0]!))).toEqual({ ...first, index: null });
  });

  it('are not searched for a text', async () => {
    const answer = await gateway.ask({ url: '/v1/archive?q=room' });
    expect([answer.statusCode, answer.json()]).toMatchObject([400, { code: 'INVALID_REQUEST' }]);
  });
});

describe('putting lines back', () => {
  it('stores the tasks as they were, and leaves what is there', async () => {
    const task = await ended('test-flow', { idempotencyKey: 'one', parameters: { deep: [{}] } });
    const [line = ''] = (await lines()).items;
    const { taskId } = task.plan;
    const shown = await gateway.ask({ url: `/v1/tasks/${taskId}` });
    expect(await put(line)).toEqual([{ index: 0, result: 'present', taskId, message: null }]);
    await gateway.world.store.finals.remove([task]);
    expect((await gateway.ask({ url: `/v1/tasks/${taskId}` })).statusCode).toBe(404);
    expect(await put(line)).toEqual([{ index: 0, result: 'imported', taskId, message: null }]);
    expect((await gateway.ask({ url: `/v1/tasks/${taskId}` })).json()).toEqual(shown.json());
    expect((await gateway.world.store.findByKey('one'))?.plan.taskId).toBe(taskId);
    // Its executors may have forgotten what it did; a new task of it does all of it.
    const undo = await gateway.post(`/v1/tasks/${taskId}:undo`, { reason: 'too late' });
    expect(undo.statusCode).toBe(409);
    const restart = await gateway.post(`/v1/tasks/${taskId}:restart`, { reason: 'once more' });
    expect(restart.statusCode).toBe(201);
  });

  it('stores sealed secrets of tasks that ended, which stay sealed', async () => {
    await gateway.close();
    const properties = { pw: { type: 'string', secret: true } };
    const vault = flow(chain(['a']).steps, {
      name: 'vault',
      input: { type: 'object', properties },
    });
    gateway = await Gateway.open([vault], { secrets: new PlainSecrets() });
    const task = await ended('vault', { parameters: { pw: 'a-long-password' } });
    const [line = ''] = (await lines()).items;
    await gateway.world.store.finals.remove([task]);
    expect(await put(line)).toMatchObject([{ result: 'imported' }]);
    const { parameters } = (await gateway.world.task(task.plan.taskId)).plan;
    expect([isSealed(parameters['pw']), parameters]).toEqual([true, task.plan.parameters]);
  });

  it('refuses what is not final, not readable, or has a key that is taken', async () => {
    const task = await ended('test-flow', { idempotencyKey: 'one' });
    const [line = ''] = (await lines()).items;
    await gateway.world.store.finals.remove([task]);
    const other = await ended('test-flow', { idempotencyKey: 'one' });
    const live = JSON.stringify(archivedTask(sampleTask()));
    const deep = `{"archive":1,"task":{"plan":${'['.repeat(5_000)}${']'.repeat(5_000)}}}`;
    const good = endedOf(sampleTask());
    const reports = await put(line, live, 'x', '{}', deep, JSON.stringify(archivedTask(good)));
    const refused = { result: 'refused', taskId: null };
    expect(reports).toEqual([
      {
        index: 0,
        result: 'refused',
        taskId: task.plan.taskId,
        message: `its idempotency key belongs to task ${other.plan.taskId} now`,
      },
      { index: 1, ...refused, message: 'is not final' },
      { index: 2, ...refused, message: 'is not JSON' },
      { index: 3, ...refused, message: 'is no archived task' },
      { index: 4, ...refused, message: 'is nested too deeply' },
      { index: 5, result: 'imported', taskId: good.plan.taskId, message: null },
    ]);
    expect(await gateway.world.store.get(task.plan.taskId)).toBeNull();
  });

  it.each(WRONG_JSON)('refuses a line of $text', async ({ pointer, text }) => {
    const message = pointer === undefined ? 'is not JSON' : expect.stringMatching(/ (twice|kept)/);
    expect(await put(text)).toEqual([{ index: 0, result: 'refused', taskId: null, message }]);
  });

  it.each([
    ['no lines', { lines: [] }],
    ['too many', { lines: Array.from({ length: 201 }, () => '{}') }],
    ['what are no texts', { lines: [{}] }],
    ['nothing', {}],
  ])('refuses a body of %s', async (_, body) => {
    const answer = await gateway.post('/v1/archive', body);
    expect([answer.statusCode, answer.json()]).toMatchObject([400, { code: 'INVALID_REQUEST' }]);
  });
});

describe('a backup whose copy cannot be removed', () => {
  it('is sent all the same, that is told, and the next one may begin', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'backstep-copy-'));
    const error = new Error('EPERM');
    const drop = (): Promise<never> => Promise.reject(error);
    Object.assign(gateway.options, { backup: { take: async () => ({ folder, drop }) } });
    const { observer } = gateway.world;
    for (let n = 0; n < 2; n += 1) {
      const told = observer.next('backup_copy_left');
      const answer = await gateway.ask({ method: 'POST', url: '/v1/backup' });
      expect([answer.statusCode, answer.rawPayload.length]).toEqual([200, 1_024]);
      await told;
    }
    expect(observer.named('backup_copy_left')).toMatchObject([{ error }, { error }]);
    rmSync(folder, { recursive: true });
  });
});
