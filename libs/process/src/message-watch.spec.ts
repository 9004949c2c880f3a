import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Dispatch, JournalEntry, Task } from '#core';
import { type Notice, TransportUnavailable } from '#ports';
import { chain, EngineWorld, HeldTransport, settle } from '#testing';
import { MessageWatch } from './message-watch.js';
import { UnclaimedTasks } from './unclaimed-tasks.js';

/** A broker that may refuse messages, and lose those that it takes. */
class TroubledTransport extends HeldTransport {
  refuses = false;
  receiving = 1;
  depthNow = 0;
  tries = 0;

  override async publish(dispatches: readonly Dispatch[]): Promise<void> {
    this.tries += 1;
    if (this.refuses) throw new TransportUnavailable('refused');
    await super.publish(dispatches);
  }

  override depth(): Promise<number> {
    return Promise.resolve(this.depthNow);
  }

  override receivers(): Promise<number> {
    return Promise.resolve(this.receiving);
  }
}

let transport: TroubledTransport;
let world: EngineWorld;
let tasks: UnclaimedTasks;
let watch: MessageWatch;
beforeEach(() => {
  transport = new TroubledTransport();
  transport.carry = () => 0;
  world = new EngineWorld({ transport, executor: false });
  const { clock, observer, store } = world;
  tasks = new UnclaimedTasks(clock);
  const noticed = observer.noticed.bind(observer);
  Object.assign(observer, {
    committed: (task: Task, entries: readonly JournalEntry[]) => tasks.committed(task, entries),
    noticed: (notice: Notice) => {
      noticed(notice);
      tasks.noticed(notice);
    },
  });
  watch = new MessageWatch({ clock, observer, store, tasks, transport });
});

/** Passes time with a round every two seconds; governance has its rounds too where it is asked. */
async function pass(seconds: number, governs = false): Promise<void> {
  for (let past = 0; past < seconds; past += 2) {
    await world.clock.advance(2_000);
    if (governs) await world.engine.governance.tick();
    await watch.tick();
  }
}

/** The tasks of the messages after a number of them, in the order in which these were sent. */
function sentSince(count: number): readonly string[] {
  return transport.sent.slice(count).map(({ message }) => message.taskId);
}

describe('messages that the broker refuses', () => {
  it('are all sent within seconds after it takes them again, however long it did not', async () => {
    transport.refuses = true;
    const all = await Promise.all(Array.from({ length: 30 }, () => world.submit(chain(['a']))));
    await pass(600, true);
    expect(transport.sent).toEqual([]);
    transport.refuses = false;
    await pass(12);
    const ids = all.map(({ plan }) => plan.taskId);
    expect(new Set(sentSince(0))).toEqual(new Set(ids));
  });

  it('are tried one at a time, and less often, while they are refused', async () => {
    transport.refuses = true;
    for (let n = 0; n < 30; n += 1) await world.submit(chain(['a']));
    const before = transport.tries;
    await pass(20);
    expect(transport.tries - before).toBeGreaterThanOrEqual(3);
    expect(transport.tries - before).toBeLessThanOrEqual(5);
  });

  it('are left alone while the broker is away, and sent when it is back', async () => {
    transport.down = true;
    const { plan } = await world.submit(chain(['a']));
    const before = transport.tries;
    await pass(60);
    expect(transport.tries).toBe(before);
    transport.down = false;
    await pass(2);
    expect(sentSince(0)).toEqual([plan.taskId]);
  });

  it('are not sent of a task that has none to send any more', async () => {
    transport.refuses = true;
    const { plan } = await world.submit(chain(['a']));
    await world.engine.operate(plan.taskId, {
      kind: 'terminate_requested',
      actor: 'me',
      reason: 'x',
      key: null,
    });
    await settle();
    transport.refuses = false;
    await pass(20);
    expect(transport.sent).toEqual([]);
    expect(tasks.size).toBe(0);
  });
});

describe('messages that were taken and lost', () => {
  it('are sent again once the queue is empty and somebody receives', async () => {
    const { plan } = await world.submit(chain(['a']));
    await pass(40, true);
    transport.receiving = 0;
    await pass(200);
    const whileNobody = transport.sent.length;
    transport.receiving = 1;
    await pass(10);
    expect(sentSince(whileNobody)[0]).toBe(plan.taskId);
  });

  it('are not sent again while others wait in the queue', async () => {
    await world.submit(chain(['a']));
    await pass(40, true);
    transport.depthNow = 3;
    const before = transport.sent.length;
    await pass(300);
    expect(sentSince(before)).toEqual([]);
  });

  it('are sent ever more seldom while nobody claims them', async () => {
    await world.submit(chain(['a']));
    await pass(40, true);
    const before = transport.sent.length;
    await pass(600);
    expect(sentSince(before).length).toBeLessThanOrEqual(15);
    expect(sentSince(before).length).toBeGreaterThanOrEqual(9);
  });
});
