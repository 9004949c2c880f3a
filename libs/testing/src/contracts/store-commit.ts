import assert from 'node:assert/strict';
import { Journal, type JournalEntry, type Task } from '#core';
import { assertStored, commitOf, insertAll } from './store-expectations.js';
import type { StoreRule } from './store-fixture.js';
import { endedOf, eventfulTask, longTask, nextOf, sampleTask } from './sample-task.js';

/** Rules of commits. */
export function describeCommit(rule: StoreRule): void {
  rule('a commit is read back at once and after a restart', async (store) => {
    const task = sampleTask();
    await insertAll(store.tasks, [task]);
    const next = nextOf(task, { status: 2, wakeAt: 5, token: 1, startedAt: 4, message: 'm' });
    await commitOf(store.tasks, task, next);
    await assertStored(store.tasks, next);
    await assertStored((await store.reopen()).tasks, next);
  });

  rule('every field of a task can change', async (store) => {
    const { plan, ...state } = eventfulTask();
    const task = sampleTask();
    await insertAll(store.tasks, [task]);
    const next = await commitOf(store.tasks, task, { ...state, plan: task.plan, revision: 2 });
    await assertStored(store.tasks, next);
    const { tasks } = await store.reopen();
    await assertStored(tasks, next);
    const { plan: _, ...first } = sampleTask();
    const { journal, journalSeq } = next;
    const back = { ...first, plan: task.plan, revision: 3, journal, journalSeq };
    await commitOf(tasks, next, back);
    await assertStored(tasks, back);
    await assertStored((await store.reopen()).tasks, back);
    assert.notEqual(plan.taskId, task.plan.taskId);
  });

  rule('a task that was read can be committed', async (store) => {
    const task = sampleTask();
    await insertAll(store.tasks, [task]);
    const { tasks } = await store.reopen();
    const read = await tasks.get(task.plan.taskId);
    const next = await commitOf(tasks, read!, nextOf(read!, { cursor: 1 }));
    await assertStored(tasks, next);
  });

  rule('many commits one after another all count', async (store) => {
    let task = sampleTask();
    await insertAll(store.tasks, [task]);
    for (let nth = 0; nth < 100; nth += 1) {
      const runs = task.runs.map((run, n) => (n === nth % 2 ? withOutput(run, nth) : run));
      task = await commitOf(store.tasks, task, nextOf(task, { runs }));
    }
    await assertStored(store.tasks, task);
    await assertStored((await store.reopen()).tasks, task);
  });

  describeConflicts(rule);
  describeJournal(rule);
  describeLong(rule);
}

function describeLong(rule: StoreRule): void {
  rule('a long task is read back as it was written, commit by commit', async (store) => {
    let { tasks } = store;
    let task = longTask();
    await insertAll(tasks, [task]);
    await assertStored(tasks, task);
    for (const steps of [[30], [30, 31], [31], [2, 31], [59], [], [58], [0, 17, 40], [40]]) {
      for (const nth of [1, 2]) {
        const runs = task.runs.map((run, n) => (steps.includes(n) ? withOutput(run, nth) : run));
        task = await commitOf(tasks, task, nextOf(task, { runs }));
        await assertStored(tasks, task);
      }
      ({ tasks } = await store.reopen());
      await assertStored(tasks, task);
    }
    const read = (await tasks.get(task.plan.taskId))!;
    const next = nextOf(read, { runs: task.runs.with(5, withOutput(task.runs[5]!, 30)) });
    await commitOf(tasks, read, next);
    await assertStored((await store.reopen()).tasks, next);
  });

  rule('a long task is stored by a process that never read it', async (store) => {
    const task = longTask();
    await insertAll(store.tasks, [task]);
    const { tasks } = await store.reopen();
    const runs = task.runs.with(50, withOutput(task.runs[50]!, 1));
    const next = await commitOf(tasks, task, nextOf(task, { runs }));
    await assertStored((await store.reopen()).tasks, next);
  });
}

function describeConflicts(rule: StoreRule): void {
  rule('a commit on an older revision is a conflict and changes nothing', async (store) => {
    const task = sampleTask();
    await insertAll(store.tasks, [task]);
    const next = await commitOf(store.tasks, task, nextOf(task, { status: 2 }));
    const late = nextOf(task, { status: 6, wakeAt: null, message: 'late' });
    assert.equal(await store.tasks.commit(task, late), 'conflict');
    await assertStored(store.tasks, next);
    await assertStored((await store.reopen()).tasks, next);
  });

  rule('a commit on a revision that is not there yet is a conflict', async ({ tasks }) => {
    const task = sampleTask();
    await insertAll(tasks, [task]);
    const next = nextOf(task);
    assert.equal(await tasks.commit(next, nextOf(next)), 'conflict');
    await assertStored(tasks, task);
  });

  rule('a commit of a task that is not stored is a conflict and stores nothing', async (store) => {
    const task = sampleTask();
    assert.equal(await store.tasks.commit(task, nextOf(task)), 'conflict');
    assert.equal(await store.tasks.get(task.plan.taskId), null);
  });

  rule('of many commits on one revision at once, exactly one wins', async (store) => {
    const task = sampleTask();
    await insertAll(store.tasks, [task]);
    const rivals = Array.from({ length: 50 }, (_, n) => nextOf(task, { message: `rival ${n}` }));
    const results = await Promise.all(rivals.map((next) => store.tasks.commit(task, next)));
    const winners = rivals.filter((_, n) => results[n] === 'committed');
    assert.equal(winners.length, 1);
    await assertStored(store.tasks, winners[0]!);
    await assertStored((await store.reopen()).tasks, winners[0]!);
  });

  rule('commits of many tasks at once each have their own result', async ({ tasks }) => {
    const many = Array.from({ length: 100 }, () => sampleTask());
    await insertAll(tasks, many);
    const moved = many.map((task, n) => (n % 3 === 0 ? nextOf(task) : task));
    const ahead = many.filter((_, n) => n % 3 === 0);
    await Promise.all(ahead.map((task) => commitOf(tasks, task, nextOf(task))));
    const results = await Promise.all(many.map((task) => tasks.commit(task, endedOf(task))));
    for (const [n, task] of many.entries()) {
      assert.equal(results[n], n % 3 === 0 ? 'conflict' : 'committed');
      await assertStored(tasks, n % 3 === 0 ? moved[n]! : endedOf(task));
    }
  });
}

function describeJournal(rule: StoreRule): void {
  rule('a commit may add several journal entries or none', async (store) => {
    const task = sampleTask();
    await insertAll(store.tasks, [task]);
    const many = withEntries(task, 5);
    await commitOf(store.tasks, task, many);
    const none = { ...many, revision: 3 };
    await commitOf(store.tasks, many, none);
    await assertStored(store.tasks, none);
    await assertStored((await store.reopen()).tasks, none);
  });

  rule('journal entries that a task dropped do not come back', async (store) => {
    let task = sampleTask();
    await insertAll(store.tasks, [task]);
    for (let nth = 0; nth < 8; nth += 1) {
      const next = withEntries(task, 150);
      task = await commitOf(store.tasks, task, {
        ...next,
        journal: Journal.of(next.journal.entries().slice(-1_000)),
      });
    }
    assert.equal(task.journal.at(0)?.seq, 202);
    await assertStored(store.tasks, task);
    const { tasks } = await store.reopen();
    await assertStored(tasks, task);
    const last = nextOf(task, { journal: Journal.of([]) });
    await commitOf(tasks, task, last);
    await assertStored((await store.reopen()).tasks, last);
  });

  rule('journal entries left out in the middle do not come back either', async (store) => {
    let { tasks } = store;
    let task = withEntries(sampleTask(), 40);
    await insertAll(tasks, [task]);
    for (let nth = 0; nth < 3; nth += 1) {
      const { journal, ...next } = withEntries(task, 20);
      const kept = [...journal.entries().slice(0, 10), ...journal.entries().slice(-25)];
      task = await commitOf(tasks, task, { ...next, journal: Journal.of(kept) });
      task = await commitOf(tasks, task, withEntries(task, 1));
      ({ tasks } = await store.reopen());
      await assertStored(tasks, task);
    }
  });
}

function withOutput(run: Task['runs'][number], nth: number): Task['runs'][number] {
  const output = { nth, text: 'x'.repeat(nth * 40) };
  return {
    ...run,
    normal: { ...run.normal, attempts: nth, output: nth % 5 === 4 ? null : output },
  };
}

function withEntries(task: Task, count: number): Task {
  const entries = Array.from({ length: count }, (_, n): JournalEntry => {
    return { seq: task.journalSeq + n + 1, at: n, kind: 'failed', message: 'a "b"\u2028\u0000' };
  });
  const journalSeq = task.journalSeq + count;
  return {
    ...task,
    revision: task.revision + 1,
    journal: Journal.of([...task.journal, ...entries]),
    journalSeq,
  };
}
