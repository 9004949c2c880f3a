import assert from 'node:assert/strict';
import type { Barrier } from '#ports';
import { attemptOf, forward, rollback, type Rule } from './barrier-fixture.js';

/** Later than any mark was touched. */
const EVER = Number.MAX_SAFE_INTEGER;

/** Rules of marks whose tasks are gone. */
export function describeForgetting<Tx>(rule: Rule<Tx>): void {
  rule('old marks are listed by their tasks', async (fixture) => {
    const { barrier } = fixture;
    const attempts = [attemptOf(1, 'a', 't1'), attemptOf(1, 'b', 't1'), attemptOf(1, 'a', 't2')];
    for (const attempt of attempts) await forward(fixture, attempt);
    await rollback(fixture, attemptOf(2, 'a', 't2'));
    assert.deepEqual(await oldTasks(barrier, 0), []);
    assert.deepEqual(await oldTasks(barrier, EVER), ['t1', 't2']);
  });

  rule('more old marks than are read at a time are all listed', async (fixture) => {
    const ids = Array.from({ length: 620 }, (_, n) => `t${String(n).padStart(3, '0')}`);
    await Promise.all(ids.map((id) => rollback(fixture, attemptOf(1, 's', id))));
    assert.deepEqual(await oldTasks(fixture.barrier, EVER), ids);
  });

  rule('the old marks of a task are forgotten, and nobody else', async (fixture) => {
    const { barrier } = fixture;
    const gone = [attemptOf(1, 'a', 'gone'), attemptOf(1, 'b', 'gone')];
    // Ids that begin or sort like another one, or differ by case alone.
    const others = ['gone,', 'gon', 'GONE', 'gone-2'].map((id) => attemptOf(1, 'a', id));
    for (const attempt of [...gone, ...others]) await forward(fixture, attempt);
    assert.equal(await barrier.forget(['gone', 'never'], 0), 0);
    assert.equal(await barrier.forget(['gone', 'never'], EVER), 2);
    assert.equal(await barrier.forget(['gone'], EVER), 0);
    assert.equal(await barrier.forget([], EVER), 0);
    const left = others.map(({ taskId }) => taskId).toSorted();
    assert.deepEqual(await oldTasks(barrier, EVER), left);
    for (const other of others) await rollback(fixture, { ...other, fencingToken: 2 });
    for (const other of others) assert.equal(await fixture.count(other), 0);
    // The effects stay: what was forgotten cannot be undone any more.
    for (const attempt of gone) await rollback(fixture, { ...attempt, fencingToken: 2 });
    for (const attempt of gone) assert.equal(await fixture.count(attempt), 1);
  });
}

async function oldTasks<Tx>(barrier: Barrier<Tx>, before: number): Promise<readonly string[]> {
  const ids = new Set<string>();
  for await (const batch of barrier.oldTasks(before)) for (const id of batch) ids.add(id);
  return [...ids].toSorted();
}
