import { beforeEach, describe, expect, it } from '@jest/globals';
import { DEFAULT_TIMING, type Dispatch, type Task, type TaskEvent } from '#core';
import { conclude, createTask, propose, transition } from '#core/transitions';
import type { CommitResult } from '#ports';
import {
  action,
  FakeEntropy,
  flow,
  HeldTransport,
  ManualClock,
  MemoryStore,
  RecordingObserver,
  settle,
} from '#testing';
import { EARLY_MAX_MS, readAtLeast } from './early-messages.js';
import { Effects } from './effects.js';
import { Sender } from './sender.js';
import { type Decide, TaskWriter } from './task-writer.js';

let clock: ManualClock;
let observer: RecordingObserver;
let store: LeavingStore;
let transport: HeldTransport;

/** A store far away: a write is there when the test says so. */
class LeavingStore extends MemoryStore {
  readonly arrivals: (() => void)[] = [];
  reads = 0;

  override commit(previous: Task, next: Task, onLeaving?: () => void): Promise<CommitResult> {
    onLeaving?.();
    return new Promise((resolve, reject) => {
      this.arrivals.push(() => void super.commit(previous, next).then(resolve, reject));
    });
  }

  override get(taskId: string): Promise<Task | null> {
    this.reads += 1;
    return super.get(taskId);
  }

  /** The oldest write that is on its way arrives. */
  async arrive(): Promise<void> {
    await settle();
    this.arrivals.shift()!();
    await settle();
  }
}

/** One process's writer and sender, as its runner joins them. */
function processOf() {
  const line = { add: () => Promise.resolve(), concerns: () => false };
  const sender = new Sender({ clock, line, observer, transport });
  const effects = new Effects();
  const parts = { clock, effects, entropy: new FakeEntropy(), observer, sender, store };
  const writer = new TaskWriter(parts, DEFAULT_TIMING);
  return { sender, writer };
}

/** A task whose first step is under way, and the second one's message has to go to `m.b`. */
async function underWay({ writer }: ReturnType<typeof processOf>): Promise<Task> {
  const steps = ['m.a', 'm.b'].map((name, index) => {
    const needs = index === 0 ? [] : [0];
    return { name: `s${index}`, needs, normal: action(name), rollback: null };
  });
  const request = { definition: flow(steps), version: 1 };
  const options = { taskId: 'one', moment: writer.moment() };
  const { task } = createTask(request, { parameters: {} }, options);
  await store.insert(task);
  const claiming = writer.write(task, claimOf(0));
  await store.arrive();
  const claimed = await claiming;
  if (claimed.kind !== 'committed') throw new Error(claimed.kind);
  return claimed.task;
}

const claimOf = (step: number): Decide => {
  const owner = 'executor-1';
  const event: TaskEvent = { kind: 'claimed', direction: 'normal', step, attempt: 1, owner };
  return (task, moment) => transition(task, event, { moment });
};

const succeed: Decide = (task, moment) => {
  const token = task.runs[0]!.normal.lease!.token;
  const event: TaskEvent = { kind: 'succeeded', direction: 'normal', step: 0, token, output: null };
  const proposed = propose(task, event, { moment });
  return proposed.kind === 'proposed' ? conclude(proposed) : proposed;
};

beforeEach(() => {
  clock = new ManualClock();
  observer = new RecordingObserver();
  store = new LeavingStore();
  transport = new HeldTransport();
});

/** Returns the messages for `s1` so far. */
function asked(): readonly Dispatch[] {
  return transport.sent.filter(({ message }) => message.step === 's1');
}

describe('a message whose write has left', () => {
  it('leaves at once, and not again once the write is stored', async () => {
    const here = processOf();
    const task = await underWay(here);
    const writing = here.writer.write(task, succeed);
    await settle();
    expect(asked()).toHaveLength(1);
    expect(store.contents.tasks.get('one')?.revision).toBe(task.revision);
    await store.arrive();
    const result = await writing;
    if (result.kind !== 'committed') throw new Error(result.kind);
    await here.sender.send(result.dispatches);
    expect(asked()).toHaveLength(1);
    expect(store.snapshots.recall(asked()[0]!.snapshot!)).toMatchObject({ revision: 3 });
  });

  it('leaves again where the write took so long that its receiver may have given up', async () => {
    const here = processOf();
    const task = await underWay(here);
    const writing = here.writer.write(task, succeed);
    await clock.advance(EARLY_MAX_MS + 1);
    await store.arrive();
    const result = await writing;
    if (result.kind !== 'committed') throw new Error(result.kind);
    await here.sender.send(result.dispatches);
    expect(asked()).toHaveLength(2);
  });

  it('is waited for before the sender goes on', async () => {
    const here = processOf();
    const task = await underWay(here);
    let confirm = (): void => {};
    transport.publish = () => new Promise((resolve) => (confirm = resolve));
    const writing = here.writer.write(task, succeed);
    await store.arrive();
    const result = await writing;
    if (result.kind !== 'committed') throw new Error(result.kind);
    let isSent = false;
    const sending = here.sender.send(result.dispatches).then(() => (isSent = true));
    await settle();
    expect(isSent).toBe(false);
    confirm();
    await sending;
  });

  it('is a hint like any other where the write is never stored', async () => {
    const here = processOf();
    const there = processOf();
    const task = await underWay(here);
    const writing = here.writer.write(task, succeed);
    await settle();
    const lost = store.arrivals.shift()!;
    const { taskId } = task.plan;
    const { snapshot } = asked()[0]!;
    const claiming = there.writer.writeUnread({ taskId, snapshot }, claimOf(1));
    await store.arrive();
    await clock.advance(1_000);
    expect(await claiming).toMatchObject({ kind: 'ignored', reason: 'not_queued' });
    lost();
    expect((await writing).kind).toBe('committed');
  });
});

describe('the receiver of a message that is there before its write', () => {
  it('waits for the write, and claims', async () => {
    const here = processOf();
    const there = processOf();
    const task = await underWay(here);
    void here.writer.write(task, succeed);
    await settle();
    const { snapshot } = asked()[0]!;
    const claiming = there.writer.writeUnread({ taskId: 'one', snapshot }, claimOf(1));
    await settle();
    const late = store.arrivals.shift()!;
    // Its claim is on a document that is not there.
    await store.arrive();
    expect(store.reads).toBe(1);
    late();
    await clock.advance(2);
    await store.arrive();
    expect(await claiming).toMatchObject({ kind: 'committed', task: { revision: 4 } });
    expect(store.reads).toBe(2);
  });

  it('waits where it cannot tell what the document says', async () => {
    const here = processOf();
    const there = processOf();
    const task = await underWay(here);
    void here.writer.write(task, succeed);
    await settle();
    const unknown = asked()[0]!.snapshot!.replace('"steps":"steps 0"', '"steps":"steps 7"');
    expect(store.snapshots.recall(unknown)).toBeNull();
    const claiming = there.writer.writeUnread({ taskId: 'one', snapshot: unknown }, claimOf(1));
    await store.arrive();
    await clock.advance(2);
    await store.arrive();
    expect(await claiming).toMatchObject({ kind: 'committed', task: { revision: 4 } });
  });

  it('gives up after a while, and asks a bounded number of times', async () => {
    const task = await underWay(processOf());
    const reading = readAtLeast({ clock, store }, 'one', task.revision + 1);
    await clock.advance(1_000);
    expect(await reading).toMatchObject({ revision: task.revision });
    expect(store.reads).toBeLessThan(10);
  });

  it('asks once where the document is as new as the message said, or gone', async () => {
    const task = await underWay(processOf());
    await readAtLeast({ clock, store }, 'one', task.revision);
    expect(await readAtLeast({ clock, store }, 'two', 5)).toBeNull();
    expect(store.reads).toBe(2);
  });
});
