import assert from 'node:assert/strict';
import type { LockOrder, LockStore } from '#ports';
import { SAMPLE_TIME } from './sample-task.js';
import type { StoreRule } from './store-fixture.js';

/** An order of a task for a lock, with ticket number 2 by default. */
function order(name: string, taskId: string, more: Partial<LockOrder> = {}): LockOrder {
  return { name, taskId, number: 2, slots: 1, since: SAMPLE_TIME, ...more };
}

/** Enters orders one after the other; returns for each whether its task holds the lock. */
async function enterAll(
  locks: LockStore,
  orders: readonly LockOrder[],
): Promise<readonly boolean[]> {
  const held: boolean[] = [];
  for (const each of orders) held.push(await locks.enter(each));
  return held;
}

async function idsIn(locks: LockStore, name: string): Promise<readonly string[]> {
  return idsOf(await locks.readLine(name));
}

function idsOf(entries: readonly { readonly taskId: string }[]): readonly string[] {
  return entries.map(({ taskId }) => taskId);
}

/** Rules of the lines of locks. */
export function describeLocks(rule: StoreRule): void {
  rule('as many hold a lock as it has slots, in the order in which they came', async (store) => {
    const { locks } = store;
    const orders = ['a', 'b', 'c', 'd'].map((id) => order('fleet:eu', id, { slots: 2 }));
    assert.deepEqual(await enterAll(locks, orders), [true, true, false, false]);
    assert.deepEqual(await enterAll(locks, orders), [true, true, false, false]);
    assert.equal(await locks.enter(order('fleet:us', 'd')), true);
    assert.deepEqual(await idsIn(locks, 'fleet:eu'), ['a', 'b', 'c', 'd']);
    const again = await store.reopen();
    assert.deepEqual(await enterAll(again.locks, orders), [true, true, false, false]);
    assert.deepEqual(await idsIn(again.locks, 'fleet:eu'), ['a', 'b', 'c', 'd']);
  });

  rule('whoever leaves a line lets in the next, once', async (store) => {
    const { locks } = store;
    const orders = ['a', 'b', 'c', 'd'].map((id) => order('x', id, { slots: 2 }));
    await enterAll(locks, orders);
    assert.deepEqual(idsOf(await locks.leave({ name: 'x', taskId: 'd', number: 2 })), []);
    const promoted = await locks.leave({ name: 'x', taskId: 'a', number: 2 });
    assert.deepEqual(promoted, [{ taskId: 'c', number: 2, slots: 2, since: SAMPLE_TIME }]);
    assert.deepEqual(idsOf(await locks.leave({ name: 'x', taskId: 'a', number: 2 })), []);
    assert.equal(await locks.enter(order('x', 'a', { number: 3, slots: 2 })), false);
    const again = await store.reopen();
    assert.deepEqual(await idsIn(again.locks, 'x'), ['b', 'c', 'a']);
  });

  rule('tickets of one task stand in line each for itself', async ({ locks }) => {
    assert.equal(await locks.enter(order('y', 'a', { number: 1 })), true);
    assert.equal(await locks.enter(order('y', 'a', { number: 2 })), false);
    const promoted = await locks.leave({ name: 'y', taskId: 'a', number: 1 });
    assert.deepEqual(
      promoted.map(({ number }) => number),
      [2],
    );
  });

  rule('one that is for fewer tasks lets no more in than that', async ({ locks }) => {
    const held = await enterAll(locks, [
      order('z', 'a', { slots: 3 }),
      order('z', 'b', { slots: 1 }),
      order('z', 'c', { slots: 3 }),
    ]);
    assert.deepEqual(held, [true, false, false]);
    assert.deepEqual(idsOf(await locks.leave({ name: 'z', taskId: 'a', number: 2 })), ['b']);
    assert.deepEqual(idsOf(await locks.leave({ name: 'z', taskId: 'b', number: 2 })), ['c']);
  });

  rule('of many who come at once as many hold a lock as may', async ({ locks }) => {
    const orders = Array.from({ length: 40 }, (_, n) => order('crowd', `t-${n}`, { slots: 3 }));
    const held = await Promise.all(orders.map((each) => locks.enter(each)));
    assert.equal((await idsIn(locks, 'crowd')).length, 40);
    // Whoever came late in line may have been told before an earlier one was.
    assert.ok(held.filter(Boolean).length <= 3);
    const now = await enterAll(locks, orders);
    assert.equal(now.filter(Boolean).length, 3);
    assert.equal((await idsIn(locks, 'crowd')).length, 40);
  });

  rule(
    'lines are listed by their names, page after page, and not once they are empty',
    async ({ locks }) => {
      const names = ['a', 'a.$b', 'b', 'größe €'];
      for (const name of names) await locks.enter(order(name, 'task-1'));
      const first = await locks.listLines({ limit: 3 });
      assert.deepEqual(
        first.map(({ name }) => name),
        names.slice(0, 3),
      );
      const rest = await locks.listLines({ limit: 3, after: 'b' });
      assert.deepEqual(rest, [
        {
          name: 'größe €',
          entries: [{ taskId: 'task-1', number: 2, slots: 1, since: SAMPLE_TIME }],
        },
      ]);
      for (const name of names) await locks.leave({ name, taskId: 'task-1', number: 2 });
      assert.deepEqual(await locks.listLines({ limit: 10 }), []);
      assert.equal(await locks.enter(order('a', 'task-2')), true);
    },
  );
}
