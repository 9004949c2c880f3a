import assert from 'node:assert/strict';
import { PENDING_RUN, type Task } from '#core';
import type { SessionStore } from '#ports';
import { endedOf, nextOf, sampleTask } from './sample-task.js';
import { commitOf, idsOf, insertAll } from './store-expectations.js';
import type { StoreRule } from './store-fixture.js';

const LEASE_MS = 10_000;

/** Rules of sessions: renewed while their process lives, and ended once for all. */
export function describeSessions(rule: StoreRule): void {
  rule('a session that was begun lives, and each renewal shows', async ({ sessions }) => {
    await sessions.openSession('one', LEASE_MS);
    assert.equal(await sessions.renewSession('one'), 'alive');
    const before = await beatOf(sessions, 'one');
    assert.equal(await sessions.renewSession('one'), 'alive');
    assert.notEqual(await beatOf(sessions, 'one'), before);
    const [record] = await sessions.listSessions();
    const { beat: _beat, ...rest } = record!;
    assert.deepEqual(rest, { session: 'one', leaseMs: LEASE_MS, isOver: false });
  });

  rule('a session keeps where its process is, if that is known', async ({ sessions }) => {
    await sessions.openSession('one', LEASE_MS, { home: 'host 1 2', governs: true });
    await sessions.renewSession('one');
    await sessions.openSession('one', LEASE_MS, { home: 'host 3 4' });
    const [record] = await sessions.listSessions();
    assert.equal(record?.home, 'host 1 2');
    assert.equal(record.governs, true);
  });

  rule('a session that nobody began cannot be renewed or ended', async ({ sessions }) => {
    assert.equal(await sessions.renewSession('one'), 'ended');
    assert.equal(await sessions.endSession('one', 0), false);
    await sessions.closeSession('one');
    assert.deepEqual(await sessions.listSessions(), []);
  });

  rule('a session that was renewed meanwhile is not ended', async ({ sessions }) => {
    await sessions.openSession('one', LEASE_MS);
    const beat = await beatOf(sessions, 'one');
    await sessions.renewSession('one');
    assert.equal(await sessions.endSession('one', beat), false);
    assert.equal(await sessions.renewSession('one'), 'alive');
  });

  rule('a session that has ended never lives again', async (store) => {
    const { sessions } = store;
    await sessions.openSession('one', LEASE_MS);
    await sessions.openSession('other', LEASE_MS);
    assert.equal(await sessions.endSession('one', await beatOf(sessions, 'one')), true);
    assert.equal(await sessions.renewSession('one'), 'ended');
    await sessions.openSession('one', LEASE_MS);
    assert.equal(await sessions.renewSession('one'), 'ended');
    assert.deepEqual(await living(sessions), ['other']);
    const reopened = await store.reopen();
    assert.equal(await reopened.sessions.renewSession('one'), 'ended');
  });

  rule('a session of which many say that it is over is ended by one', async ({ sessions }) => {
    await sessions.openSession('one', LEASE_MS);
    const beat = await beatOf(sessions, 'one');
    const all = Array.from({ length: 8 }, () => sessions.endSession('one', beat));
    assert.equal((await Promise.all(all)).filter((isEnded) => isEnded).length, 1);
  });

  rule('a process that stops ends its session whatever its beat is', async ({ sessions }) => {
    await sessions.openSession('one', LEASE_MS);
    await sessions.renewSession('one');
    await sessions.closeSession('one');
    await sessions.closeSession('one');
    assert.equal(await sessions.renewSession('one'), 'ended');
    assert.deepEqual(await living(sessions), []);
    assert.equal((await sessions.listSessions()).length, 1);
  });

  rule('only a session that is over is forgotten', async ({ sessions }) => {
    await sessions.openSession('one', LEASE_MS);
    await sessions.openSession('other', LEASE_MS);
    await sessions.closeSession('one');
    await sessions.forgetSession('one');
    await sessions.forgetSession('other');
    await sessions.forgetSession('nobody');
    assert.deepEqual(await living(sessions), ['other']);
    assert.equal((await sessions.listSessions()).length, 1);
    assert.equal(await sessions.renewSession('one'), 'ended');
  });
}

/** Rules of what a session holds, and of how far tasks have come. */
export function describeHeld(rule: StoreRule): void {
  rule('a session holds what it runs, until it runs it no more', async (store) => {
    const { sessions, tasks } = store;
    const [mine, others, queued] = [heldBy('one'), heldBy('other'), sampleTask()];
    await insertAll(tasks, [mine, others, queued]);
    assert.deepEqual(await heldIds(sessions, 'one'), idsOf([mine]));
    assert.deepEqual(await heldIds(sessions, 'nobody'), []);
    const claimed = await commitOf(tasks, queued, held(nextOf(queued), 'one'));
    assert.deepEqual(await heldIds(sessions, 'one'), idsOf([mine, claimed]));
    const passed = await commitOf(tasks, claimed, held(nextOf(claimed), 'other'));
    assert.deepEqual(await heldIds(sessions, 'one'), idsOf([mine]));
    await commitOf(tasks, mine, { ...endedOf(mine), runs: sampleTask().runs });
    assert.deepEqual(await heldIds(sessions, 'one'), []);
    const reopened = await store.reopen();
    assert.deepEqual(await heldIds(reopened.sessions, 'other'), idsOf([others, passed]));
  });

  rule('a task of several holders is held by each, on the way back too', async (store) => {
    const { sessions, tasks } = store;
    const task = heldBy('one');
    const [first, second] = task.runs;
    const rollback = { ...PENDING_RUN, state: 'running', lease: leaseOf('other') } as const;
    const runs = [first!, { ...second!, rollback }];
    const many = { ...task, runs };
    await insertAll(tasks, [many]);
    for (const session of ['one', 'other']) {
      assert.deepEqual(await heldIds(sessions, session), idsOf([many]));
    }
    await commitOf(tasks, many, nextOf(many, { runs: task.runs }));
    assert.deepEqual(await heldIds(sessions, 'other'), []);
    assert.deepEqual(await heldIds(sessions, 'one'), idsOf([many]));
  });

  rule(
    'what a session holds comes whole, page by page, each task once',
    async ({ sessions, tasks }) => {
      const many = Array.from({ length: 25 }, () => heldBy('one'));
      await insertAll(tasks, many);
      const seen: Task[] = [];
      let after: string | undefined;
      do {
        const page = await sessions.findHeld('one', { after, limit: 7 });
        assert.ok(page.tasks.length <= 7);
        seen.push(...page.tasks);
        after = page.next ?? undefined;
      } while (after !== undefined);
      assert.equal(seen.length, 25);
      assert.deepEqual(idsOf(seen), idsOf(many));
      const [some] = seen;
      assert.deepEqual(
        some,
        many.find(({ plan }) => plan.taskId === some?.plan.taskId),
      );
    },
  );

  rule('revisions of many tasks come at once, without those that are gone', async (store) => {
    const { sessions, tasks } = store;
    const [one, other] = [heldBy('one'), sampleTask()];
    await insertAll(tasks, [one, other]);
    const next = await commitOf(tasks, one, nextOf(one));
    const ids = [one.plan.taskId, other.plan.taskId, 'nobody'];
    const expected = [
      [one.plan.taskId, next.revision],
      [other.plan.taskId, other.revision],
    ] as const;
    assert.deepEqual(await sessions.readRevisions(ids), new Map(expected));
    assert.deepEqual(await sessions.readRevisions([]), new Map());
    const reopened = await store.reopen();
    assert.deepEqual(await reopened.sessions.readRevisions(ids), new Map(expected));
  });
}

async function living(sessions: SessionStore): Promise<readonly string[]> {
  const all = await sessions.listSessions();
  return all.filter(({ isOver }) => !isOver).map(({ session }) => session);
}

async function beatOf(sessions: SessionStore, name: string): Promise<number> {
  const found = (await sessions.listSessions()).find(({ session }) => session === name);
  assert.ok(found !== undefined);
  return found.beat;
}

async function heldIds(sessions: SessionStore, session: string): Promise<readonly string[]> {
  return idsOf((await sessions.findHeld(session, { limit: 100 })).tasks);
}

function heldBy(session: string): Task {
  return held(sampleTask(), session);
}

/** The task with its first step running in a session. */
function held(task: Task, session: string): Task {
  const [first, ...rest] = task.runs;
  const normal = { ...first!.normal, state: 'running', lease: leaseOf(session) } as const;
  return { ...task, runs: [{ ...first!, normal }, ...rest] };
}

function leaseOf(owner: string): { owner: string; token: number } {
  return { owner, token: 1 };
}
