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

/** One task whose steps all stand side by side, in a store that counts commits. */
async function sideBySide(count: number) {
  const clock = new ManualClock();
  const store = new MemoryStore();
  const observer = new RecordingObserver();
  const parts = { store, clock, entropy: new FakeEntropy(), observer, ...NOBODY };
  const writer = new TaskWriter(parts, DEFAULT_TIMING);
  const steps = Array.from({ length: count }, (_, index) => ({
    name: `s${index}`,
    needs: [],
    normal: action('m.a'),
    rollback: null,
  }));
  const request = { definition: flow(steps), version: 1 };
  const options = { taskId: 'one', moment: writer.moment() };
  const { task } = createTask(request, { parameters: {} }, options);
  await store.insert(task);
  let commits = 0;
  const commit = store.commit.bind(store);
  store.commit = async (previous, next) => {
    commits++;
    await settle();
    return commit(previous, next);
  };
  return { clock, observer, store, task, writer, commits: () => commits };
}

const claim = (step: number): Decide => {
  const lease = { attempt: 1, owner: 'executor-1', leaseMs: 10_000 };
  const event: TaskEvent = { kind: 'claimed', direction: 'normal', step, ...lease };
  return (task, moment) => transition(task, event, { moment });
};

describe('decisions on one task that meet in one process', () => {
  it('become one commit for all that arrive while another is on its way', async () => {
    const { commits, observer, store, task, writer } = await sideBySide(50);
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, step) => writer.write(task, claim(step))),
    );
    expect(results.map(({ kind }) => kind)).toEqual(Array(50).fill('committed'));
    expect(commits()).toBe(2);
    const stored = await store.get('one');
    expect(stored?.runs.map(({ normal }) => normal.lease?.token)).toEqual(
      Array.from({ length: 50 }, (_, step) => step + 1),
    );
    expect(stored?.revision).toBe(task.revision + 2);
    expect(observer.notices.map(({ name }) => name)).not.toContain('commit_conflict');
  });

  it('are all decided anew when another process was faster', async () => {
    const { commits, store, task, writer } = await sideBySide(3);
    const writes = [0, 1].map((step) => writer.write(task, claim(step)));
    const other = claim(2)(task, writer.moment());
    if (other.kind !== 'moved') throw new Error('it was to be claimed');
    store.contents.tasks.set('one', other.task);
    await Promise.all(writes);
    expect(commits()).toBe(3);
    const stored = await store.get('one');
    expect(stored?.runs.map(({ normal }) => normal.state)).toEqual(Array(3).fill('running'));
  });

  it('are decided on the newest document known here, not on one that was read late', async () => {
    const { store, task, writer } = await sideBySide(3);
    const other = claim(2)(task, writer.moment());
    if (other.kind !== 'moved') throw new Error('it was to be claimed');
    store.contents.tasks.set('one', other.task);
    const readNow = store.get.bind(store);
    const late = new Promise<void>((resolve) => {
      store.get = async (taskId) => {
        const old = await readNow(taskId);
        store.get = readNow;
        resolve();
        await answered;
        return old;
      };
    });
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const refused = writer.write(task, claim(2));
    await late;
    // Meanwhile another process stores a claim of this one, as a write does whose answer was lost.
    const mine = claim(1)(other.task, writer.moment());
    if (mine.kind !== 'moved') throw new Error('it was to be claimed');
    store.contents.tasks.set('one', mine.task);
    const lease = { direction: 'normal', step: 1, token: 2 } as const;
    const given = writer.write(mine.task, (at, moment) =>
      transition(at, { kind: 'handed_back', ...lease, message: 'stopping' }, { moment }),
    );
    answer();
    expect(await given).toMatchObject({ kind: 'committed' });
    expect(await refused).toMatchObject({ kind: 'ignored' });
  });

  it('are answered each for itself, with the document that was stored', async () => {
    const { task, writer } = await sideBySide(2);
    const first = writer.write(task, claim(0));
    const [again, other] = await Promise.all([
      writer.write(task, claim(0)),
      writer.write(task, claim(1)),
    ]);
    await first;
    expect(again).toMatchObject({ kind: 'ignored', reason: 'not_queued' });
    expect(other.kind).toBe('committed');
    expect('task' in again && 'task' in other && again.task === other.task).toBe(true);
  });

  it('send nothing that one of them queued and another took back', async () => {
    const { task, writer } = await sideBySide(2);
    const lease = { direction: 'normal', step: 0, token: 1 } as const;
    await writer.write(task, claim(0));
    const claimed = (await writer.writeById('one', claim(1))) as { task: Task };
    const first = writer.write(claimed.task, claim(0));
    const retried = writer.write(claimed.task, (at, moment) =>
      transition(at, { kind: 'handed_back', ...lease, message: 'stopping' }, { moment }),
    );
    const reason = { actor: 'ann', reason: 'enough', key: null };
    const ended = writer.write(claimed.task, (at, moment) =>
      transition(at, { kind: 'terminate_requested', ...reason }, { moment }),
    );
    await Promise.all([first, ended]);
    expect(await retried).toMatchObject({ kind: 'committed', dispatches: [] });
  });

  it('send once what one of them queued and another queued anew', async () => {
    const { task, writer } = await sideBySide(3);
    await writer.write(task, claim(0));
    const first = writer.write(task, claim(2));
    const person = { actor: 'ann', reason: 'anew', key: null };
    const reset: Decide = (at, moment) =>
      transition(at, { kind: 'reset_requested', to: 's1', ...person }, { moment });
    const [once, again] = await Promise.all([writer.write(task, reset), writer.write(task, reset)]);
    await first;
    expect(once).toMatchObject({ kind: 'committed', dispatches: [] });
    expect(again).toMatchObject({ kind: 'committed', dispatches: [{ message: { run: 's1' } }] });
  });

  it('do not suffer from one among them that throws', async () => {
    const { task, writer } = await sideBySide(2);
    const first = writer.write(task, claim(0));
    const bug = writer.write(task, () => {
      throw new Error('a bug');
    });
    const other = writer.write(task, claim(1));
    await expect(bug).rejects.toThrow('a bug');
    expect((await first).kind).toBe('committed');
    expect((await other).kind).toBe('committed');
  });

  it('are all told when the store does not answer, and the next one asks it again', async () => {
    const { store, task, writer } = await sideBySide(3);
    store.down = true;
    const writes = [0, 1].map((step) => writer.write(task, claim(step)));
    const kinds = (await Promise.allSettled(writes)).map(({ status }) => status);
    expect(kinds).toEqual(['rejected', 'rejected']);
    store.down = false;
    expect((await writer.write(task, claim(2))).kind).toBe('committed');
  });

  it('may lose a race as often as there are others without its being an error', async () => {
    const { clock, store, task, writer } = await sideBySide(1);
    const commit = store.commit.bind(store);
    let races = 0;
    store.commit = async (previous: Task, next: Task) => {
      if (races++ < 200) store.contents.tasks.set('one', nextOf(previous));
      return commit(previous, next);
    };
    const results: string[] = [];
    void writer.write(task, claim(0)).then(({ kind }) => results.push(kind));
    while (results.length === 0) await clock.advance(50);
    expect(results).toEqual(['committed']);
    expect(races).toBe(201);
  });
});
