import { describe, expect, it } from '@jest/globals';
import { DEFAULT_TIMING, type Task, type TaskEvent } from '#core';
import { createTask, transition } from '#core/transitions';
import {
  action,
  FakeEntropy,
  flow,
  ManualClock,
  MemoryStore,
  nextOf,
  RecordingObserver,
  settle,
} from '#testing';
import { Effects } from './effects.js';
import { type Decide, TaskWriter } from './task-writer.js';

/** Nothing follows from what is written. */
const NOBODY = { effects: new Effects(), sender: { sendEarly: () => {} } };

/** A task of so many steps, one after another or side by side, in a store that counts reads. */
async function stored(count: number, needs: (index: number) => number[]) {
  const store = new MemoryStore();
  const observer = new RecordingObserver();
  const parts = {
    store,
    clock: new ManualClock(),
    entropy: new FakeEntropy(),
    observer,
    ...NOBODY,
  };
  const writer = new TaskWriter(parts, DEFAULT_TIMING);
  const steps = Array.from({ length: count }, (_, index) => {
    return { name: `s${index}`, needs: needs(index), normal: action('m.a'), rollback: null };
  });
  const request = { definition: flow(steps), version: 1 };
  const options = { taskId: 'one', moment: writer.moment() };
  const { task } = createTask(request, { parameters: {} }, options);
  await store.insert(task);
  let reads = 0;
  const get = store.get.bind(store);
  store.get = async (taskId) => {
    reads += 1;
    await settle();
    return get(taskId);
  };
  return { observer, reads: () => reads, store, task, writer };
}

const inLine = (index: number): number[] => (index === 0 ? [] : [index - 1]);
const apart = (): number[] => [];

const claim = (step: number): Decide => {
  const owner = 'executor-1';
  const event: TaskEvent = { kind: 'claimed', direction: 'normal', step, attempt: 1, owner };
  return (task, moment) => transition(task, event, { moment });
};

/** A snapshot of a document in which the first step has this instead. */
function lie(store: MemoryStore, task: Task, more: object): string {
  const first = task.runs[0]!;
  const runs = task.runs.with(0, { ...first, normal: { ...first.normal, ...more } });
  return store.snapshots.textOf({ ...task, runs })!;
}

describe('a decision on a document that a message brought', () => {
  it('is stored without a read where the message tells the truth', async () => {
    const { reads, store, task, writer } = await stored(2, inLine);
    const snapshot = store.snapshots.textOf(task)!;
    const result = await writer.writeUnread({ taskId: 'one', snapshot }, claim(0));
    expect(result.kind).toBe('committed');
    expect(reads()).toBe(0);
    expect(store.contents.tasks.get('one')?.runs[0]?.normal.state).toBe('running');
  });

  it('is made anew on the stored one where that has moved on', async () => {
    const { observer, reads, store, task, writer } = await stored(2, inLine);
    const snapshot = store.snapshots.textOf(task)!;
    store.contents.tasks.set('one', nextOf(task, { token: 7 }));
    const result = await writer.writeUnread({ taskId: 'one', snapshot }, claim(0));
    expect(result).toMatchObject({ kind: 'committed', task: { revision: 3, token: 8 } });
    expect(reads()).toBe(1);
    expect(observer.notices).toEqual([]);
  });

  it('counts for nothing where it leaves the task as it is', async () => {
    const { reads, store, task, writer } = await stored(2, inLine);
    const snapshot = lie(store, task, { attempts: 5, spent: 5 });
    const result = await writer.writeUnread({ taskId: 'one', snapshot }, claim(0));
    expect(result).toMatchObject({ kind: 'committed', task: { token: 1 } });
    expect(reads()).toBe(1);
  });

  it('harms nobody where it throws', async () => {
    const { store, task, writer } = await stored(2, inLine);
    const snapshot = lie(store, task, { message: 'a lie' });
    const decide: Decide = (found, moment) => {
      if (found.runs[0]?.normal.message === 'a lie') throw new Error('that cannot be');
      return claim(0)(found, moment);
    };
    expect((await writer.writeUnread({ taskId: 'one', snapshot }, decide)).kind).toBe('committed');
  });

  it('is made on a read document where the message tells of another task, or of none', async () => {
    const { reads, store, task, writer } = await stored(2, inLine);
    const other = store.snapshots.textOf({ ...task, plan: { ...task.plan, taskId: 'two' } })!;
    const first = await writer.writeUnread({ taskId: 'one', snapshot: other }, claim(1));
    expect(first).toMatchObject({ kind: 'ignored', reason: 'not_queued' });
    const second = await writer.writeUnread({ taskId: 'one', snapshot: '{' }, claim(0));
    expect(second.kind).toBe('committed');
    expect(reads()).toBe(2);
    expect(await writer.writeUnread({ taskId: 'two', snapshot: other }, claim(0))).toEqual({
      kind: 'missing',
    });
  });
});

describe('decisions on a task that is being written here', () => {
  it('need no read of their own', async () => {
    const { reads, task, writer } = await stored(50, apart);
    const first = writer.write(task, claim(0));
    const others = Array.from({ length: 49 }, (_, n) =>
      writer.writeUnread({ taskId: 'one' }, claim(n + 1)),
    );
    const results = await Promise.all([first, ...others]);
    expect(results.map(({ kind }) => kind)).toEqual(Array(50).fill('committed'));
    expect(reads()).toBe(0);
  });

  it('are told that there is nothing to do by a document that was read alone', async () => {
    const { reads, store, task, writer } = await stored(2, inLine);
    const token = { direction: 'normal', step: 0, token: 1, output: null } as const;
    const claimed = claim(0)(task, writer.moment());
    if (claimed.kind !== 'moved') throw new Error('it was to be claimed');
    const moment = writer.moment();
    const done = transition(claimed.task, { kind: 'succeeded', ...token }, { moment });
    if (done.kind !== 'moved') throw new Error('it was to end');
    const first = writer.write(task, claim(0));
    // Another process has gone on from there, and its message comes at once.
    store.contents.tasks.set('one', done.task);
    const second = writer.writeUnread({ taskId: 'one' }, claim(1));
    expect((await first).kind).toBe('committed');
    expect(await second).toMatchObject({ kind: 'committed', task: { revision: 4 } });
    expect(reads()).toBe(1);
  });
});
