import assert from 'node:assert/strict';
import { LIVE_STATUSES, type StepPlan, type Task, TASK_STATUS } from '#core';
import type { TaskFilter, TaskStore } from '#ports';
import { SAMPLE_ACTION } from './sample-action.js';
import { endedOf, nextOf, SAMPLE_TIME, sampleTask } from './sample-task.js';
import { commitOf, idsOf, insertAll, listedIds, tasksOf, walkAll } from './store-expectations.js';
import type { StoreRule } from './store-fixture.js';

const { on_hold, running } = TASK_STATUS;

/** Steps of one module each. */
const STEPS = ['pay', 'pay-out', 'größe "s"'].map((name, n): StepPlan => {
  const normal = { ...SAMPLE_ACTION, module: `m${n}` };
  return { name, needs: n === 0 ? [] : [n - 1], normal, rollback: null };
});

/** A task that has come to a step, whose action is with a session or is queued. */
function taskAt(step: number, owner: string | null, plan: Partial<Task['plan']> = {}): Task {
  const task = sampleTask({ steps: STEPS, ...plan }, { status: running, cursor: step });
  return { ...task, runs: runsAt(task, step, owner) };
}

function runsAt({ runs }: Task, step: number, owner: string | null): Task['runs'] {
  const [first, pending] = runs;
  const lease = owner === null ? null : { owner, token: 1 };
  const state = owner === null ? 'queued' : 'running';
  return STEPS.map((_, n) => {
    if (n > step) return { ...pending!, rollback: null };
    const normal = { ...first!.normal, state: n < step ? 'succeeded' : state, lease } as const;
    return { ...first!, normal: n < step ? { ...normal, lease: null } : normal };
  });
}

/** Rules of lists by what unfinished tasks do now. */
export function describeTerms(rule: StoreRule): void {
  rule('a list can be of a step, a module and a stage, alone or together', async (store) => {
    const [paying, paid, last, other] = [
      taskAt(0, 'one'),
      taskAt(1, null),
      taskAt(2, 'two', { flow: 'other', labels: { team: 'db' } }),
      sampleTask(),
    ];
    await insertAll(store.tasks, [paying, paid, last, other]);
    const cases: readonly (readonly [TaskFilter, readonly Task[]])[] = [
      [{ terms: [['step:pay']] }, [paying]],
      [{ terms: [['step:pay-out']] }, [paid]],
      [{ terms: [['step:größe "s"']] }, [last]],
      [{ terms: [['step:pay', 'step:größe "s"']] }, [paying, last]],
      [{ terms: [['step:pay'], ['step:pay-out']] }, []],
      [{ terms: [['module:m1']] }, [paid]],
      [{ terms: [['module:m']] }, []],
      [{ terms: [['stage:pay-out'], ['module:m1']] }, [paid]],
      [{ terms: [['stage:pay'], ['module:m1']] }, []],
      [{ terms: [['module:m0', 'module:m2']], flow: 'other' }, [last]],
      [{ terms: [['module:m0', 'module:m2']], labels: { team: 'db' } }, [last]],
      [{ terms: [['module:m1']], labels: { team: 'db' } }, []],
      [{ terms: [['step:pay']], statuses: LIVE_STATUSES }, [paying]],
      [{ terms: [['step:pay']], idPrefix: paying.plan.taskId.slice(0, 9) }, [paying]],
      [{ terms: [['step:pay']], waitsForPerson: true }, []],
    ];
    const areFound = async (tasks: TaskStore): Promise<void> => {
      for (const [filter, expected] of cases) {
        const label = JSON.stringify(filter);
        assert.deepEqual((await listedIds(tasks, filter)).sort(), idsOf(expected), label);
        assert.deepEqual(idsOf(tasksOf(await walkAll(tasks, filter))), idsOf(expected), label);
      }
    };
    await areFound(store.tasks);
    await areFound((await store.reopen()).tasks);
  });

  rule('a list can be of what some session, or any, runs', async ({ tasks }) => {
    const [one, two, queued] = [taskAt(0, 'one'), taskAt(1, 'two', { flow: 'b' }), taskAt(2, null)];
    await insertAll(tasks, [one, two, queued]);
    const listed = async (filter: TaskFilter): Promise<readonly string[]> => {
      return (await listedIds(tasks, { ...filter, statuses: LIVE_STATUSES })).sort();
    };
    assert.deepEqual(await listed({ owners: 'any' }), idsOf([one, two]));
    assert.deepEqual(await listed({ owners: ['one'] }), idsOf([one]));
    assert.deepEqual(await listed({ owners: ['on', 'two', 'three'] }), idsOf([two]));
    assert.deepEqual(await listed({ owners: [] }), []);
    assert.deepEqual(await listed({ owners: 'any', flow: 'b' }), idsOf([two]));
    assert.deepEqual(await listed({ owners: 'any', terms: [['step:pay']] }), idsOf([one]));
  });

  rule('a task is found where its latest commit left it, and nowhere once it ends', async (s) => {
    const { tasks } = s;
    const task = taskAt(0, null);
    const found = async (filter: TaskFilter): Promise<boolean> => {
      return (await listedIds(tasks, filter)).length > 0;
    };
    await insertAll(tasks, [task]);
    const claimed = await commitOf(tasks, task, nextOf(task, { runs: runsAt(task, 0, 'one') }));
    assert.ok(await found({ owners: ['one'], terms: [['step:pay']] }));
    const runs = runsAt(task, 1, 'one');
    const passed = await commitOf(tasks, claimed, nextOf(claimed, { runs, cursor: 1 }));
    assert.ok(!(await found({ terms: [['step:pay']] })));
    assert.ok(await found({ owners: ['one'], terms: [['step:pay-out'], ['stage:pay-out']] }));
    const [first, second, third] = passed.runs;
    const failed = { ...second!.normal, state: 'failed', lease: null } as const;
    const stuck = [first!, { ...second!, normal: failed }, third!];
    const held = nextOf(passed, { runs: stuck, status: on_hold });
    await commitOf(tasks, passed, held);
    assert.ok(await found({ terms: [['step:pay-out'], ['module:m1']], waitsForPerson: true }));
    assert.ok(!(await found({ owners: 'any' })));
    await commitOf(tasks, held, endedOf(held));
    assert.ok(!(await found({ terms: [['step:pay-out']] })));
    assert.ok(!(await found({ terms: [['stage:pay-out']] })));
  });

  rule('those of a step come in pages, in either order', async ({ tasks }) => {
    const many = Array.from({ length: 11 }, (_, n) => {
      return taskAt(n % 2, n % 3 === 0 ? 'one' : null, { createdAt: SAMPLE_TIME + n });
    });
    await insertAll(tasks, many);
    const newest = many.filter((_, n) => n % 2 === 0).toReversed();
    const running = many.filter((_, n) => n % 3 === 0).toReversed();
    for (const [filter, expected] of [
      [{ terms: [['step:pay']], statuses: LIVE_STATUSES }, newest],
      [{ owners: 'any' }, running],
    ] as const) {
      const ids = expected.map(({ plan }) => plan.taskId);
      assert.deepEqual(await pagedIds(tasks, filter), ids);
      const oldest = await pagedIds(tasks, { ...filter, isOldestFirst: true });
      assert.deepEqual(oldest, ids.toReversed());
    }
  });
}

async function pagedIds(tasks: TaskStore, filter: TaskFilter): Promise<readonly string[]> {
  const found: string[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await tasks.list({ ...filter, limit: 2, ...(cursor && { cursor }) });
    found.push(...page.items.map(({ taskId }) => taskId));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
}
