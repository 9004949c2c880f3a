import { describe, expect, it } from '@jest/globals';
import type { Task, TaskPlan } from '#core';
import { allOf, OUTPUT, PROGRESS, recordsOf, StoreUnavailable } from '#ports';
import {
  endedOf,
  ManualClock,
  MemoryStore,
  nextOf,
  RecordingObserver,
  SAMPLE_TIME,
  sampleOperation,
  sampleTask,
  settle,
} from '#testing';
import { Retention, TaskRemoval } from './retention.js';

const DAY_MS = 86_400_000;
/** When samples end. */
const ENDED_AT = SAMPLE_TIME + 9_000;

interface World {
  readonly store: MemoryStore;
  readonly clock: ManualClock;
  readonly observer: RecordingObserver;
  readonly archived: Task[];
  readonly retention: Retention;
  /** Runs before the archive keeps tasks. */
  onArchive: () => Promise<void>;
}

/** Retention of a day, at a moment so long after samples ended. */
function world(afterMs = DAY_MS + 1): World {
  const store = new MemoryStore();
  const clock = new ManualClock(ENDED_AT + afterMs);
  const observer = new RecordingObserver();
  const archived: Task[] = [];
  const made: World = {
    store,
    clock,
    observer,
    archived,
    onArchive: async () => undefined,
    retention: new Retention({
      store,
      removal: new TaskRemoval({
        finals: store.finals,
        said: [recordsOf(store.records, OUTPUT), recordsOf(store.records, PROGRESS)],
        archive: {
          write: async (tasks) => {
            await made.onArchive();
            archived.push(...tasks);
          },
        },
      }),
      operations: store.operations,
      clock,
      observer,
      keptMs: DAY_MS,
    }),
  };
  return made;
}

async function add({ store }: World, plan: Partial<TaskPlan> = {}, more = {}): Promise<Task> {
  const task = { ...endedOf(sampleTask(plan)), ...more };
  await store.insert(task);
  return task;
}

function idOf({ plan }: Task): string {
  return plan.taskId;
}

function idsIn({ store }: World): string[] {
  return [...store.contents.tasks.keys()];
}

function childOf(task: Task): Partial<TaskPlan> {
  const { createdAt, taskId } = task.plan;
  const parent = { taskId, run: 'fleet#1', index: 0, isPart: false, depth: 1 };
  return { parent, createdAt: createdAt + 1 };
}

describe('retention', () => {
  it('removes what ended before its limit, and nothing else', async () => {
    const w = world();
    await add(w);
    const late = await add(w, {}, { endedAt: ENDED_AT + 1 });
    const live = sampleTask();
    await w.store.insert(live);
    expect(await w.retention.tick()).toBe(1);
    expect(idsIn(w)).toEqual([late.plan.taskId, live.plan.taskId]);
    expect(w.retention.removed).toBe(1);
    expect(w.retention.roundEndedAt).toBe(w.clock.now());
    expect(w.observer.named('tasks_removed')).toHaveLength(1);
    await w.clock.advance(1);
    expect(await w.retention.tick()).toBe(1);
    expect(idsIn(w)).toEqual([live.plan.taskId]);
  });

  it('keeps what is to be seen to, and what a person acted on since', async () => {
    const w = world();
    const kept = [
      await add(w, {}, { wakeAt: ENDED_AT + 5 }),
      await add(w, {}, { doneActions: [{ key: null, action: 'undo', at: ENDED_AT + 5 }] }),
    ];
    expect(await w.retention.tick()).toBe(0);
    expect(idsIn(w)).toEqual(kept.map(({ plan }) => plan.taskId));
  });

  it('does not believe a clock that was set far forward', async () => {
    const w = world(0);
    await add(w);
    w.clock.misset(30 * DAY_MS);
    expect(await w.retention.tick()).toBe(0);
    await w.clock.advance(DAY_MS);
    expect(await w.retention.tick()).toBe(1);
  });

  it('takes no more of large tasks into one round than memory has room for', async () => {
    const w = world();
    const parameters = { text: 'x'.repeat(6 * 1_048_576) };
    for (let n = 0; n < 4; n += 1) await add(w, { parameters });
    expect([await w.retention.tick(), await w.retention.tick()]).toEqual([3, 1]);
  });

  it('removes a child task after its parent', async () => {
    const w = world();
    const parent = await add(w, {}, { endedAt: ENDED_AT + 1 });
    const child = await add(w, childOf(parent));
    const grandchild = await add(w, childOf(child));
    expect(await w.retention.tick()).toBe(0);
    await w.clock.advance(1);
    const removed: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      expect(await w.retention.tick()).toBe(1);
      removed.push(w.archived.at(-1)!.plan.taskId);
    }
    expect(removed).toEqual([parent, child, grandchild].map(({ plan }) => plan.taskId));
    expect(idsIn(w)).toEqual([]);
  });

  it('removes nothing that could not be archived, and tells of it once', async () => {
    const w = world();
    await add(w);
    w.onArchive = async () => {
      throw new Error('no space left on device');
    };
    expect(await w.retention.tick()).toBe(0);
    expect(await w.retention.tick()).toBe(0);
    expect(idsIn(w)).toHaveLength(1);
    expect(w.observer.named('retention_failed')).toMatchObject([
      { error: expect.any(StoreUnavailable) },
    ]);
    w.onArchive = async () => undefined;
    expect(await w.retention.tick()).toBe(1);
    expect(w.archived).toHaveLength(1);
  });

  it('archives again what a crash left between archive and removal, and removes it', async () => {
    const w = world();
    const task = await add(w);
    w.onArchive = async () => {
      w.store.down = true;
    };
    expect(await w.retention.tick()).toBe(0);
    w.store.down = false;
    expect([w.archived.length, idsIn(w)]).toEqual([1, [task.plan.taskId]]);
    w.onArchive = async () => undefined;
    expect(await w.retention.tick()).toBe(1);
    expect(w.archived.map(idOf)).toEqual([task, task].map(idOf));
  });

  it('leaves a task that was restarted while it was archived', async () => {
    const w = world();
    const task = await add(w);
    w.onArchive = async () => {
      await w.store.commit(task, nextOf(task, { status: 2, wakeAt: ENDED_AT }));
    };
    expect(await w.retention.tick()).toBe(0);
    expect(idsIn(w)).toEqual([task.plan.taskId]);
  });

  it('goes on while the store is down, and tells of it once', async () => {
    const w = world();
    await add(w);
    w.store.down = true;
    await w.retention.tick();
    await w.retention.tick();
    expect(w.observer.named('retention_failed')).toHaveLength(1);
    w.store.down = false;
    expect(await w.retention.tick()).toBe(1);
  });

  it('leaves a document that cannot be read', async () => {
    const w = world();
    const task = await add(w);
    w.store.unreadable.set(task.plan.taskId, 'its plan is not JSON');
    expect(await w.retention.tick()).toBe(0);
    expect(idsIn(w)).toEqual([task.plan.taskId]);
  });

  it('goes through many in bounded rounds, and then waits longer', async () => {
    const w = world();
    for (let n = 0; n < 600; n += 1) await add(w, { createdAt: SAMPLE_TIME - n });
    const rounds = [await w.retention.tick(), await w.retention.tick(), await w.retention.tick()];
    expect(rounds).toEqual([250, 250, 100]);
    expect(w.observer.named('tasks_removed')).toEqual([
      expect.objectContaining({ message: expect.stringContaining('600 final tasks') }),
    ]);
    expect(await w.retention.tick()).toBe(0);
  });

  it('removes operations that ended as long ago, so many a round', async () => {
    const w = world();
    const { operations } = w.store;
    const old = ENDED_AT;
    for (let n = 0; n < 60; n += 1) {
      const ended = sampleOperation(`old-${n}`, { createdAt: n, endedAt: old });
      await operations.put(ended, null);
    }
    await operations.put(sampleOperation('young', { createdAt: 0, endedAt: old + 2 }), null);
    await operations.put(sampleOperation('runs', { createdAt: 0, endedAt: null }), null);
    await w.retention.tick();
    expect(await operations.list({ limit: 99 })).toHaveLength(12);
    await w.retention.tick();
    const left = await operations.list({ limit: 99 });
    expect(left.map(({ operationId }) => operationId).toSorted()).toEqual(['runs', 'young']);
  });

  it('removes what the attempts of a task wrote, and nothing of other tasks', async () => {
    const w = world();
    const { taskId } = (await add(w)).plan;
    const output = recordsOf(w.store.records, OUTPUT);
    const progress = recordsOf(w.store.records, PROGRESS);
    const attempt = { step: 's', run: 's', direction: 'normal', attempt: 1 } as const;
    const whole = { part: 0, revision: 1, since: 1, changedAt: 1, size: 0, lines: [] };
    for (const each of [taskId, 'other']) {
      const place = { ...attempt, taskId: each };
      await w.store.records.put(OUTPUT, { ...place, ...whole }, null);
      await w.store.records.put(OUTPUT, { ...place, ...whole, part: 1 }, null);
      await w.store.records.put(
        PROGRESS,
        { ...place, at: 1, state: null, percent: 5, message: null },
        null,
      );
    }
    await w.retention.tick();
    const left = [...(await allOf(output)), ...(await allOf(progress))];
    expect(left.map((each) => each.taskId)).toEqual(['other', 'other', 'other']);
  });

  it('removes nothing of which two processes do not agree', async () => {
    const w = world();
    const other = world();
    for (let n = 0; n < 300; n += 1) await add(w, { createdAt: SAMPLE_TIME - n });
    const second = new Retention({
      store: w.store,
      removal: new TaskRemoval({ finals: w.store.finals, said: [], archive: null }),
      operations: w.store.operations,
      clock: w.clock,
      observer: w.observer,
      keptMs: DAY_MS,
    });
    const counts = await Promise.all([w.retention.tick(), second.tick()]);
    expect(counts[0] + counts[1]).toBe(250);
    await Promise.all([w.retention.tick(), second.tick()]);
    expect(w.retention.removed + second.removed).toBe(300);
    expect(idsIn(other)).toEqual([]);
  });

  it('starts and stops, and finishes the round in hand', async () => {
    const w = world();
    await add(w);
    let finish = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      w.onArchive = async () => {
        resolve();
        await new Promise<void>((go) => (finish = go));
      };
    });
    await w.retention.start();
    await begun;
    const stopped = w.retention.stop();
    finish();
    await stopped;
    expect(idsIn(w)).toEqual([]);
    await settle();
    expect(w.clock.timers).toBe(0);
  });
});
