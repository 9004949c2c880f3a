import assert from 'node:assert/strict';
import { type ActionRun, PENDING_RUN, type StepPlan, type Task, TASK_STATUS } from '#core';
import { summaryOf } from '#core/stored';
import type { ListedTask, TaskQuery, TaskStore } from '#ports';
import { endedOf, nextOf, SAMPLE_TIME, sampleTask } from './sample-task.js';
import { assertListed, commitOf, idsOf, insertAll, listedIds } from './store-expectations.js';
import type { StoreRule } from './store-fixture.js';

const ASK: StepPlan = {
  name: 'ask',
  needs: [],
  approve: { title: 'Go on?', roles: ['operator'], timeoutMs: null, onTimeout: 'fail' },
  rollback: null,
};

const { on_hold, rollback_failed, running } = TASK_STATUS;

/** A task whose only step asks a person. */
function askingTask(plan: Partial<Task['plan']> = {}): Task {
  const task = sampleTask({ steps: [ASK], ...plan }, { status: running });
  return { ...task, runs: runsOf({ state: 'waiting', startedAt: SAMPLE_TIME + 3 }) };
}

function runsOf(run: Partial<ActionRun>): Task['runs'] {
  const normal = { ...PENDING_RUN, values: { title: 'Grow “db” \u0000 now?' }, ...run };
  return [{ generation: 1, normal, rollback: null }];
}

/** Rules of the tasks that wait for a person. */
export function describeWaits(rule: StoreRule): void {
  rule('a list can be of the tasks that wait for a person', async (store) => {
    const asking = askingTask();
    const held = [on_hold, rollback_failed].map((status) => sampleTask({}, { status }));
    await insertAll(store.tasks, [asking, ...held, sampleTask(), sampleTask({ steps: [ASK] })]);
    const expected = idsOf([asking, ...held]);
    const areListed = async (tasks: TaskStore): Promise<void> => {
      assert.deepEqual((await listedIds(tasks, { waitsForPerson: true })).sort(), expected);
    };
    await areListed(store.tasks);
    const { tasks } = await store.reopen();
    await areListed(tasks);
    const page = await tasks.list({ limit: 200 });
    const entry = page.items.find(({ taskId }) => taskId === asking.plan.taskId);
    assertListed(entry, asking);
    assert.deepEqual('approvals' in entry! && entry.approvals, [
      { step: 'ask', title: 'Grow “db” \u0000 now?', roles: ['operator'], since: SAMPLE_TIME + 3 },
    ]);
  });

  rule('a task waits for a person from the commit that asks to the one that ends it', async (s) => {
    const task = sampleTask({ steps: [ASK] }, { runs: runsOf({ state: 'queued' }) });
    const other = sampleTask({}, { status: running });
    await insertAll(s.tasks, [task, other]);
    const listed = (): Promise<string[]> => listedIds(s.tasks, { waitsForPerson: true });
    assert.deepEqual(await listed(), []);
    const asking = nextOf(task, { status: running, runs: runsOf({ state: 'waiting' }) });
    await commitOf(s.tasks, task, asking);
    assert.deepEqual(await listed(), idsOf([task]));
    const held = await commitOf(s.tasks, other, nextOf(other, { status: on_hold }));
    assert.deepEqual((await listed()).sort(), idsOf([task, other]));
    await commitOf(s.tasks, held, nextOf(held, { status: running }));
    const later = await commitOf(s.tasks, asking, nextOf(asking, { wakeAt: SAMPLE_TIME }));
    assert.deepEqual(await listed(), idsOf([task]));
    const answered = nextOf(later, { runs: runsOf({ state: 'succeeded' }) });
    await commitOf(s.tasks, later, answered);
    assert.deepEqual(await listed(), []);
    await commitOf(s.tasks, answered, endedOf(answered));
    assert.deepEqual(await listed(), []);
  });

  rule('a list says for which event a task waits, as of its latest commit', async (store) => {
    const failed = { state: 'waiting', code: 1, message: 'no room' } as const;
    const queued = runsOf({ state: 'queued' });
    const task = sampleTask({ steps: [ASK] }, { status: running, runs: queued });
    await insertAll(store.tasks, [task]);
    const first = nextOf(task, { runs: runsOf({ ...failed, attempts: 1 }) });
    const second = nextOf(first, { runs: runsOf({ ...failed, attempts: 2 }) });
    const ended = { ...endedOf(second), runs: runsOf({ state: 'succeeded' }) };
    const entryOf = async (tasks: TaskStore): Promise<ListedTask | undefined> => {
      const { items } = await tasks.list({ limit: 200 });
      return items.find(({ taskId }) => taskId === task.plan.taskId);
    };
    let previous = task;
    for (const next of [first, second, ended]) {
      await commitOf(store.tasks, previous, next);
      assertListed(await entryOf(store.tasks), next);
      previous = next;
    }
    const { tasks } = await store.reopen();
    assertListed(await entryOf(tasks), ended);
    assert.deepEqual(
      [task, first, second, ended].map((one) => summaryOf(one).awaits?.attempts ?? null),
      [null, 1, 2, null],
    );
  });

  rule('a task that ended while it asked waits for nobody', async ({ tasks }) => {
    const asking = askingTask();
    await insertAll(tasks, [asking]);
    await commitOf(tasks, asking, endedOf(asking));
    assert.deepEqual(await listedIds(tasks, { waitsForPerson: true }), []);
  });

  rule('those that wait for a person come in pages, other filters beside', async ({ tasks }) => {
    const many = Array.from({ length: 9 }, (_, n) => {
      const labels = { team: n % 2 === 0 ? 'db' : 'web', env: 'prod' };
      return askingTask({ flow: n % 3 === 0 ? 'a' : 'b', labels, createdAt: SAMPLE_TIME + n });
    });
    const others = many.map(({ plan }) => sampleTask({ labels: plan.labels, flow: plan.flow }));
    await insertAll(tasks, [...many, ...others]);
    const listed = async (query: Partial<TaskQuery>): Promise<readonly string[]> => {
      const found: string[] = [];
      for (let cursor: string | null | undefined; cursor !== null;) {
        const own = { ...query, waitsForPerson: true, limit: 2 } as const;
        const page = await tasks.list({ ...own, ...(cursor && { cursor }) });
        found.push(...page.items.map(({ taskId }) => taskId));
        cursor = page.nextCursor;
      }
      return found;
    };
    const ids = (fits: (task: Task, n: number) => boolean): string[] =>
      many
        .filter(fits)
        .map(({ plan }) => plan.taskId)
        .reverse();
    assert.deepEqual(
      await listed({}),
      ids(() => true),
    );
    assert.deepEqual(
      await listed({ flow: 'a' }),
      ids((_, n) => n % 3 === 0),
    );
    assert.deepEqual(
      await listed({ labels: { team: 'db', env: 'prod' } }),
      ids((_, n) => n % 2 === 0),
    );
    assert.deepEqual(
      await listed({ statuses: [running], flows: ['b'] }),
      ids((_, n) => n % 3 > 0),
    );
    assert.deepEqual(await listed({ statuses: [on_hold] }), []);
    assert.deepEqual(
      await listed({ createdAfter: SAMPLE_TIME + 7 }),
      ids((_, n) => n >= 7),
    );
    assert.deepEqual(await listed({ parent: many[0]!.plan.taskId }), []);
  });
}
