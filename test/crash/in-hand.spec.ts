import { describe, expect, it } from '@jest/globals';
import {
  type Action,
  DEFAULT_TIMING,
  type Dispatch,
  NO_RETRY,
  RESTARTS_FORWARD,
  type Task,
  type TaskEvent,
} from '#core';
import { conclude, createTask, dispatchesOf, propose } from '#core/transitions';
import type { CommitResult, StepTransport } from '#ports';
import { MemoryStore } from '#testing';
import { CrashSwitch } from './crash-switch.js';
import { CrashingStore } from './crashing-store.js';
import { CrashingTransport } from './crashing-transport.js';
import { InHand } from './in-hand.js';
import type { Passing } from './passing.js';

const plain = { timeoutMs: 60_000, attemptTimeoutMs: null, retry: NO_RETRY, parameters: null };
const moment = { now: 1_000, chance: 0, timing: DEFAULT_TIMING };

function action(command: string): Action {
  return { module: 'm', command, ...plain, onCrash: RESTARTS_FORWARD };
}

function newTask(): Task {
  const steps = [
    { name: 'a', needs: [], normal: action('a'), rollback: null },
    { name: 'b', needs: [0], normal: action('b'), rollback: null },
    { name: 'c', needs: [], normal: action('c'), rollback: null },
  ];
  const definition = { name: 'f', description: null, input: null, timeoutMs: null, steps };
  const options = { taskId: 't', moment };
  return createTask({ definition, version: 1 }, { parameters: {} }, options).task;
}

interface Moved {
  readonly task: Task;
  readonly dispatches: readonly Dispatch[];
}

function moved(previous: Task, event: TaskEvent): Moved {
  const proposed = propose(previous, event, { moment });
  if (proposed.kind !== 'proposed') throw new Error(proposed.kind);
  const { task } = conclude(proposed, []);
  return { task, dispatches: dispatchesOf(task, proposed.queued) };
}

function claimOf(step: number): TaskEvent {
  return { kind: 'claimed', direction: 'normal', step, attempt: 1, owner: 'executor' };
}

const DONE: TaskEvent = { kind: 'succeeded', direction: 'normal', step: 0, token: 1, output: null };

/** Lives, and remembers what it passes. */
class Witness extends CrashSwitch {
  readonly published: unknown[] = [];

  override pass(passings: readonly Passing[]): void {
    for (const { border, edge, of } of passings) {
      if (border === 'publish' && edge === 'after') this.published.push(of);
    }
  }
}

/** Of its writes, messages leave before they are answered. */
class LeavingStore extends MemoryStore {
  override commit(previous: Task, next: Task, onLeft?: () => void): Promise<CommitResult> {
    onLeft?.();
    return super.commit(previous, next);
  }
}

describe('a message follows from the write that queued its action', () => {
  const open = async () => {
    const crash = new Witness();
    const inHand = new InHand();
    const store = new CrashingStore(new LeavingStore(), crash, inHand);
    const broker = { publish: () => Promise.resolve() } as unknown as StepTransport;
    const transport = new CrashingTransport(broker, crash, inHand);
    const task = newTask();
    await store.insert(task);
    const claimed = moved(task, claimOf(0)).task;
    await store.commit(task, claimed);
    return { claimed, crash, store, transport };
  };

  it('also where it leaves before that write is answered', async () => {
    const { claimed, crash, store, transport } = await open();
    const { dispatches, task } = moved(claimed, DONE);
    const sent: Promise<void>[] = [];
    await store.commit(claimed, task, () => void sent.push(transport.publish(dispatches)));
    await Promise.all(sent);
    expect(crash.published).toEqual(['outcome']);
  });

  it('whatever of the task is written before it leaves', async () => {
    const { claimed, crash, store, transport } = await open();
    const { dispatches, task } = moved(claimed, DONE);
    await store.commit(claimed, task);
    await store.commit(task, moved(task, claimOf(2)).task);
    await transport.publish(dispatches);
    expect(crash.published).toEqual(['outcome']);
  });
});
