import assert from 'node:assert/strict';
import type { Task } from '#core';
import { InvalidCursor, isUnreadable, type ListedTask, PAGE_CHARACTERS } from '#ports';
import type { TaskPage, TaskQuery, TaskStore } from '#ports';
import {
  ALL_STATUSES,
  assertListed,
  assertSameTask,
  commitOf,
  idsOf,
  insertAll,
  listedIds,
  tasksOf,
  walkAll,
} from './store-expectations.js';
import type { StoreFixture, StoreRule } from './store-fixture.js';
import { SAMPLE_TIME, endedOf, eventfulTask, nextOf, sampleTask } from './sample-task.js';

/** Rules of lists: their order, their pages, their filters. */
export function describeList(rule: StoreRule): void {
  describePages(rule);
  describeFilters(rule);
  describeLabels(rule);
  describeBounds(rule);
  describeWalk(rule);
}

function describePages(rule: StoreRule): void {
  rule('an empty store has one empty page', async ({ tasks }) => {
    assert.deepEqual(await tasks.list({ limit: 10 }), { items: [], nextCursor: null });
  });

  rule('tasks come newest first, and as they are stored now', async (store) => {
    const [old, young, middle] = [aged(0), aged(20), aged(10)];
    await insertAll(store.tasks, [old, young, middle]);
    const next = await commitOf(store.tasks, middle, nextOf(middle, { status: 2 }));
    const isInOrder = async ({ tasks }: StoreFixture): Promise<void> => {
      const page = await tasks.list({ limit: 10 });
      assert.equal(page.nextCursor, null);
      assert.equal(page.items.length, 3);
      for (const [n, task] of [young, next, old].entries()) {
        assertListed(page.items[n], task);
      }
    };
    await isInOrder(store);
    await isInOrder(await store.reopen());
  });

  rule(
    'pages follow one another without a gap or a repeat, and the last one says so',
    async (store) => {
      const { tasks } = store;
      const many = Array.from({ length: 20 }, (_, n) => aged(n % 4));
      await insertAll(tasks, many);
      for (const limit of [1, 3, 5, 19, 20, 200]) {
        const pages = await allPages(tasks, { limit });
        assert.equal(pages.length, Math.ceil(many.length / limit));
        const items = pages.flatMap((page) => page.items);
        assert.deepEqual(listIds(items), idsOf(many));
        const times = items.map((item) => (isUnreadable(item) ? 0 : item.createdAt));
        assert.deepEqual(
          times,
          [...times].sort((a, b) => b - a),
        );
      }
    },
  );

  rule('a list from its other end has the same tasks, the oldest first', async (store) => {
    const { tasks } = store;
    const many = Array.from({ length: 13 }, (_, n) => aged(n % 4));
    await insertAll(tasks, many);
    const newest = (await allPages(tasks, { limit: 200 })).flatMap(({ items }) => items);
    const oldest = newest.map(({ taskId }) => taskId).toReversed();
    for (const limit of [1, 5, 200]) {
      const pages = await allPages(tasks, { limit, isOldestFirst: true });
      const items = pages.flatMap((page) => page.items);
      assert.deepEqual(
        items.map(({ taskId }) => taskId),
        oldest,
      );
    }
    const walked = await walkAll(tasks, { isOldestFirst: true });
    assert.deepEqual(
      tasksOf(walked).map(({ plan }) => plan.taskId),
      oldest,
    );
    const within = { createdAfter: SAMPLE_TIME + 1, isOldestFirst: true } as const;
    const some = (await allPages(tasks, { ...within, limit: 2 })).flatMap(({ items }) => items);
    const times = some.map((item) => (isUnreadable(item) ? 0 : item.createdAt));
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    assert.ok(some.length > 0 && some.length < many.length);
  });

  rule('tasks that are created or moved meanwhile disturb no later page', async ({ tasks }) => {
    const many = Array.from({ length: 9 }, (_, n) => aged(n));
    await insertAll(tasks, many);
    const first = await tasks.list({ limit: 3 });
    await insertAll(tasks, [aged(50), aged(60)]);
    await commitOf(tasks, many[4]!, endedOf(many[4]!));
    const rest = await allPages(tasks, { limit: 3, cursor: first.nextCursor! });
    const seen = [first, ...rest].flatMap((page) => page.items);
    assert.deepEqual(
      seen.map(({ taskId }) => taskId),
      many.map((task) => task.plan.taskId).reverse(),
    );
  });

  rule('a cursor holds with filters and after a restart', async (store) => {
    const many = Array.from({ length: 12 }, (_, n) => aged(n, { flow: n % 2 === 0 ? 'a' : 'b' }));
    await insertAll(store.tasks, many);
    const query = { flow: 'a', statuses: ALL_STATUSES, limit: 4 };
    const first = await store.tasks.list(query);
    const { tasks } = await store.reopen();
    const rest = await allPages(tasks, { ...query, cursor: first.nextCursor! });
    assert.deepEqual(
      listIds([first, ...rest].flatMap((page) => page.items)),
      idsOf(many.filter((task) => task.plan.flow === 'a')),
    );
  });

  rule('a cursor that no page gave is refused as one', async ({ tasks }) => {
    for (const cursor of ['x', '!!', 'e30', 'null', 'A'.repeat(5_000)]) {
      await assert.rejects(tasks.list({ limit: 5, cursor }), InvalidCursor);
    }
  });
}

function describeFilters(rule: StoreRule): void {
  rule('a list can be of one flow, of some statuses, or both', async ({ tasks }) => {
    const many = ['a', 'b', 'a.b'].flatMap((flow) =>
      ALL_STATUSES.map((status) => sampleTask({ flow }, { status, wakeAt: wakeAtOf(status) })),
    );
    await insertAll(tasks, many);
    for (const flow of ['a', 'b', 'a.b', 'A', 'c', undefined]) {
      for (const statuses of [[0], [1, 2, 3], [5, 6], ALL_STATUSES, [], undefined] as const) {
        const query = { ...(flow && { flow }), ...(statuses && { statuses }) };
        const expected = many.filter(({ plan, status }) => {
          return (flow ?? plan.flow) === plan.flow && (statuses ?? [status]).includes(status);
        });
        const label = JSON.stringify(query);
        assert.deepEqual((await listedIds(tasks, query)).sort(), idsOf(expected), label);
      }
    }
  });

  rule('a status that moves moves the task to the other list', async ({ tasks }) => {
    const task = sampleTask();
    await insertAll(tasks, [task]);
    await commitOf(tasks, task, nextOf(task, { status: 2 }));
    assert.deepEqual(await listedIds(tasks, { statuses: [1] }), []);
    assert.deepEqual(await listedIds(tasks, { statuses: [2] }), idsOf([task]));
  });

  rule('a list can be of a time of creation, its start included and its end not', async (store) => {
    const many = Array.from({ length: 6 }, (_, n) => aged(n));
    await insertAll(store.tasks, many);
    const at = (n: number): number => many[n]!.plan.createdAt;
    const range = { createdAfter: at(2), createdBefore: at(4) };
    const ids = (from: number, to: number): string[] => idsOf(many.slice(from, to));
    const listed = async (query: Partial<TaskQuery>): Promise<string[]> =>
      (await listedIds(store.tasks, query)).sort();
    assert.deepEqual(await listed(range), ids(2, 4));
    assert.deepEqual(await listed({ createdAfter: at(2) }), ids(2, 6));
    assert.deepEqual(await listed({ createdBefore: at(4) }), ids(0, 4));
    assert.deepEqual(await listed({ ...range, flow: 'create-instance' }), ids(2, 4));
    assert.deepEqual(await listed({ ...range, statuses: [1, 2] }), ids(2, 4));
    assert.deepEqual(await listed({ createdAfter: at(4), createdBefore: at(2) }), []);
  });
}

function describeLabels(rule: StoreRule): void {
  rule('a list can be of tasks with some labels, other filters beside', async (store) => {
    const { tasks } = store;
    const [db, web, both, none] = [
      sampleTask({ labels: { team: 'db' } }),
      sampleTask({ labels: { team: 'web', env: 'prod' } }),
      sampleTask({ labels: { team: 'db', env: 'prod' }, flow: 'other' }, { status: 2 }),
      sampleTask(),
    ];
    await insertAll(tasks, [db, web, both, none]);
    const listed = async (query: Partial<TaskQuery>): Promise<string[]> =>
      (await listedIds(tasks, query)).sort();
    assert.deepEqual(await listed({ labels: { team: 'db' } }), idsOf([db, both]));
    assert.deepEqual(await listed({ labels: { team: 'db', env: 'prod' } }), idsOf([both]));
    assert.deepEqual(await listed({ labels: { team: 'DB' } }), []);
    assert.deepEqual(await listed({ labels: { Team: 'db' } }), []);
    assert.deepEqual(await listed({ labels: {} }), idsOf([db, web, both, none]));
    assert.deepEqual(await listed({ labels: { team: 'db' }, flow: 'other' }), idsOf([both]));
    assert.deepEqual(await listed({ labels: { env: 'prod' }, statuses: [1] }), idsOf([web]));
    assert.deepEqual(await listed({ labels: { env: 'prod' }, createdBefore: 1 }), []);
    const pages = await allPages(tasks, { labels: { env: 'prod' }, limit: 1 });
    assert.deepEqual(listIds(pages.flatMap((page) => page.items)), idsOf([web, both]));
  });

  rule('a list can be of tasks with some origin, which is no label', async ({ tasks }) => {
    const origin = { requestId: 'r=1', client: '10.0.0.7', operator: 'ann "ü"' };
    const [whole, sameOperator, labelled] = [
      sampleTask({ origin, labels: { team: 'db' } }, { status: 2 }),
      sampleTask({ origin: { operator: origin.operator } }),
      sampleTask({ labels: { ...origin, '%operator': origin.operator } }),
    ];
    await insertAll(tasks, [whole, sameOperator, labelled, sampleTask()]);
    const listed = async (query: Partial<TaskQuery>): Promise<string[]> =>
      (await listedIds(tasks, query)).sort();
    for (const [name, value] of Object.entries(origin)) {
      const fits = name === 'operator' ? [whole, sameOperator] : [whole];
      assert.deepEqual(await listed({ origin: { [name]: value } }), idsOf(fits), name);
      assert.deepEqual(await listed({ labels: { [name]: value } }), idsOf([labelled]), name);
    }
    assert.deepEqual(await listed({ origin }), idsOf([whole]));
    assert.deepEqual(await listed({ origin: { operator: 'ann' } }), []);
    const operator = { operator: origin.operator };
    assert.deepEqual(await listed({ origin: operator, labels: { team: 'db' } }), idsOf([whole]));
    assert.deepEqual(await listed({ origin: operator, statuses: [1] }), idsOf([sameOperator]));
    const page = await tasks.list({ limit: 1, origin });
    assertListed(page.items[0], whole);
  });

  rule('labels may hold any text, and each key is told apart', async ({ tasks }) => {
    const texts = ['a.b', '$where', '__proto__', 'é "x"', '', ' ', 'a=b', "'; --", 'n\u0000x'];
    const labelled = texts.map((text) => sampleTask({ labels: JSON.parse(labelText(text)) }));
    await insertAll(tasks, labelled);
    for (const [n, text] of texts.entries()) {
      const labels = JSON.parse(labelText(text)) as Record<string, string>;
      assert.deepEqual(await listedIds(tasks, { labels }), idsOf([labelled[n]!]), text);
    }
  });
}

function describeBounds(rule: StoreRule): void {
  rule('a page of large summaries ends early, and the next one goes on', async ({ tasks }) => {
    const message = 'm'.repeat(150_000);
    const many = Array.from({ length: 20 }, (_, n) => {
      return { ...aged(n), message };
    });
    await insertAll(tasks, many);
    const pages = await allPages(tasks, { limit: 200 });
    for (const { items } of pages) {
      assert.ok(JSON.stringify(items).length < PAGE_CHARACTERS + 200_000);
    }
    assert.ok(pages.length > 1);
    assert.deepEqual(listIds(pages.flatMap(({ items }) => items)), idsOf(many));
  });

  rule('many labels may be asked for at once', async ({ tasks }) => {
    const labels = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`l${n}`, 'v']));
    const labelled = sampleTask({ labels });
    await insertAll(tasks, [labelled, sampleTask({ labels: { l0: 'v' } })]);
    assert.deepEqual(await listedIds(tasks, { labels }), idsOf([labelled]));
    const more = Object.fromEntries(Array.from({ length: 1_500 }, (_, n) => [`l${n}`, 'v']));
    assert.deepEqual(await listedIds(tasks, { labels: more }), []);
  });
}

function describeWalk(rule: StoreRule): void {
  rule('a task with a deadline that never comes is read like any other', async (store) => {
    const task = eventfulTask();
    const deadline = SAMPLE_TIME + Number.MAX_SAFE_INTEGER;
    const runs = task.runs.map((both) => ({ ...both, normal: { ...both.normal, deadline } }));
    const endless = { ...task, runs };
    await insertAll(store.tasks, [endless]);
    const { tasks } = await store.reopen();
    assert.deepEqual(idsOf(tasksOf(await walkAll(tasks, {}))), idsOf([endless]));
  });

  rule('a walk comes to every task, whole, in the order of lists', async (store) => {
    const many = Array.from({ length: 30 }, (_, n) => aged(n));
    await insertAll(store.tasks, many);
    const next = await commitOf(store.tasks, many[7]!, nextOf(many[7]!, { status: 2 }));
    const expected = many.map((task, n) => (n === 7 ? next : task)).reverse();
    const isWhole = async ({ tasks }: StoreFixture): Promise<void> => {
      const walked = tasksOf(await walkAll(tasks, {}));
      assert.equal(walked.length, expected.length);
      for (const [n, task] of expected.entries()) assertSameTask(walked[n] ?? null, task);
    };
    await isWhole(store);
    await isWhole(await store.reopen());
  });

  rule('a walk goes on from any of its cursors, filters included', async ({ tasks }) => {
    const many = Array.from({ length: 12 }, (_, n) => aged(n, { flow: n % 2 === 0 ? 'a' : 'b' }));
    await insertAll(tasks, many);
    const all = await walkAll(tasks, { flow: 'a', statuses: [1, 2] });
    assert.equal(all.length, 6);
    for (const [n, { cursor }] of all.entries()) {
      const rest = await walkAll(tasks, { flow: 'a', statuses: [1, 2], cursor });
      assert.deepEqual(idsOf(tasksOf(rest)), idsOf(tasksOf(all.slice(n + 1))));
      const page = await tasks.list({ flow: 'a', limit: 200, cursor });
      assert.deepEqual(listIds(page.items), idsOf(tasksOf(all.slice(n + 1))));
    }
    const broken = tasks.walk({ cursor: '!!' })[Symbol.asyncIterator]();
    await assert.rejects(broken.next(), InvalidCursor);
  });

  rule('a walk holds tasks that are large together', async ({ tasks }) => {
    const large = Array.from({ length: 12 }, (_, n) => {
      return aged(n, { parameters: { text: 'x'.repeat(400_000) } });
    });
    await insertAll(tasks, large);
    const walked = tasksOf(await walkAll(tasks, {}));
    assert.deepEqual(idsOf(walked), idsOf(large));
  });
}

function listIds(items: readonly ListedTask[]): string[] {
  return items.map(({ taskId }) => taskId).sort();
}

async function allPages(store: TaskStore, query: TaskQuery): Promise<readonly TaskPage[]> {
  const pages: TaskPage[] = [];
  let cursor: string | null | undefined = query.cursor;
  do {
    const page = await store.list({ ...query, ...(cursor && { cursor }) });
    assert.ok(page.items.length <= query.limit);
    pages.push(page);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return pages;
}

/** As text: in an object literal, `__proto__` is not a key. */
function labelText(text: string): string {
  return `{${JSON.stringify(text)}:${JSON.stringify(text)}}`;
}

function aged(seconds: number, plan: Partial<Task['plan']> = {}): Task {
  return sampleTask({ createdAt: SAMPLE_TIME + seconds * 1_000, ...plan });
}

function wakeAtOf(status: Task['status']): number | null {
  return [0, 4, 6].includes(status) ? null : SAMPLE_TIME;
}
