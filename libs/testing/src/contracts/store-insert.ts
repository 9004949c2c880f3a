import assert from 'node:assert/strict';
import { assertSameTask, assertStored, commitOf, insertAll } from './store-expectations.js';
import type { StoreRule } from './store-fixture.js';
import { eventfulTask, nextOf, sampleTask } from './sample-task.js';

/** Keys that a careless store takes for one another. */
const ODD_KEYS = [
  'k',
  'K',
  'k ',
  ' k',
  '',
  'é',
  'e\u0301',
  'k\u0000',
  'k\u0000x',
  '\ud800',
  '\ufffd',
];

/** Rules of new tasks and of their idempotency keys. */
export function describeInsert(rule: StoreRule): void {
  rule('a stored task is read back as it was', async ({ tasks }) => {
    for (const task of [sampleTask(), eventfulTask()]) {
      await insertAll(tasks, [task]);
      await assertStored(tasks, task);
    }
  });

  rule('a stored task survives a restart', async (store) => {
    const [plain, eventful] = [sampleTask(), eventfulTask()];
    await insertAll(store.tasks, [plain, eventful]);
    const { tasks } = await store.reopen();
    await assertStored(tasks, plain);
    await assertStored(tasks, eventful);
  });

  rule('a task that was never stored is null', async ({ tasks }) => {
    assert.equal(await tasks.get(sampleTask().plan.taskId), null);
    assert.equal(await tasks.get(''), null);
  });

  rule('many tasks are stored at once', async ({ tasks }) => {
    const many = Array.from({ length: 500 }, (_, n) => sampleTask({ parameters: { n } }));
    await insertAll(tasks, many);
    for (const task of many) await assertStored(tasks, task);
  });

  rule('a repeated insert is told, and changes nothing', async ({ tasks }) => {
    const task = sampleTask({ idempotencyKey: 'k' });
    assert.deepEqual(await tasks.insert(task), { kind: 'inserted' });
    assert.deepEqual(await tasks.insert(task), { kind: 'present' });
    const next = await commitOf(tasks, task, nextOf(task));
    assert.deepEqual(await tasks.insert(task), { kind: 'present' });
    await assertStored(tasks, next);
  });

  rule(
    'steps that came with a repeated insert alone can be read of a later task',
    async (store) => {
      const task = sampleTask();
      const steps = task.plan.steps.map((step) => ({ ...step, name: `${step.name}-2` }));
      await insertAll(store.tasks, [task]);
      const repeated = { ...task, plan: { ...task.plan, steps } };
      assert.deepEqual(await store.tasks.insert(repeated), { kind: 'present' });
      const later = sampleTask({ steps });
      await insertAll(store.tasks, [later]);
      const { tasks } = await store.reopen();
      await assertStored(tasks, later);
      await assertStored(tasks, task);
    },
  );

  rule('tasks with large contents are stored', async ({ tasks }) => {
    const text = 'é'.repeat(200_000);
    const parameters = { text, rows: Array.from({ length: 5_000 }, (_, n) => ({ n })) };
    const task = sampleTask({ parameters });
    await insertAll(tasks, [task]);
    await assertStored(tasks, task);
  });

  describeIdempotencyKeys(rule);
}

function describeIdempotencyKeys(rule: StoreRule): void {
  rule('a taken key gives the task that has it, as it is stored now', async (store) => {
    const first = sampleTask({ idempotencyKey: 'k', requestHash: 'h' });
    await insertAll(store.tasks, [first]);
    const next = await commitOf(store.tasks, first, nextOf(first, { status: 2 }));
    const { tasks } = await store.reopen();
    for (let nth = 0; nth < 2; nth += 1) {
      const second = sampleTask({ idempotencyKey: 'k' });
      const result = await tasks.insert(second);
      assert.ok(result.kind === 'duplicate');
      assertSameTask(result.task, next);
      assert.equal(await tasks.get(second.plan.taskId), null);
    }
  });

  rule(
    'of many inserts with one key at once, one wins and the others get it',
    async ({ tasks }) => {
      const rivals = Array.from({ length: 20 }, () => sampleTask({ idempotencyKey: 'k' }));
      const results = await Promise.all(rivals.map((task) => tasks.insert(task)));
      const winners = rivals.filter((_, n) => results[n]?.kind === 'inserted');
      assert.equal(winners.length, 1);
      for (const result of results) {
        if (result.kind === 'duplicate') assertSameTask(result.task, winners[0]!);
      }
    },
  );

  rule('a taken key harms nobody beside it', async ({ tasks }) => {
    await insertAll(tasks, [sampleTask({ idempotencyKey: 'k' })]);
    const [before, taken, after] = [{}, { idempotencyKey: 'k' }, {}].map((p) => sampleTask(p));
    const results = await Promise.all([before!, taken!, after!].map((task) => tasks.insert(task)));
    assert.deepEqual(
      results.map(({ kind }) => kind),
      ['inserted', 'duplicate', 'inserted'],
    );
    await assertStored(tasks, before!);
    await assertStored(tasks, after!);
  });

  rule('the task of a key is found as it is stored now, also after a restart', async (store) => {
    const task = sampleTask({ idempotencyKey: 'k' });
    assert.equal(await store.tasks.findByKey('k'), null);
    await insertAll(store.tasks, [task, sampleTask(), sampleTask({ idempotencyKey: 'l' })]);
    assertSameTask(await store.tasks.findByKey('k'), task);
    const next = await commitOf(store.tasks, task, nextOf(task, { status: 2 }));
    assertSameTask(await store.tasks.findByKey('k'), next);
    const { tasks } = await store.reopen();
    assertSameTask(await tasks.findByKey('k'), next);
    assert.equal(await tasks.findByKey(task.plan.taskId), null);
  });

  rule('keys are told apart to the byte; tasks without one never meet', async ({ tasks }) => {
    const named = ODD_KEYS.map((idempotencyKey) => sampleTask({ idempotencyKey }));
    for (const key of ODD_KEYS) assert.equal(await tasks.findByKey(key), null);
    await insertAll(tasks, [...named, sampleTask(), sampleTask()]);
    for (const task of named) {
      await assertStored(tasks, task);
      assertSameTask(await tasks.findByKey(task.plan.idempotencyKey ?? ''), task);
    }
  });
}
