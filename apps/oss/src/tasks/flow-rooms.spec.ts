import { beforeEach, describe, expect, it } from '@jest/globals';
import { chain, settle } from '#testing';
import { FlowRooms, type Leave } from './flow-rooms.js';

/** Tasks that are stored, and how often somebody counted them. */
class Tasks {
  live = 0;
  counts = 0;
  isDown = false;
  /** A count is made after this resolves. */
  gate: Promise<void> = Promise.resolve();

  async countStarted(_flow: string, limit: number): Promise<number> {
    this.counts += 1;
    await this.gate;
    if (this.isDown) throw new Error('away');
    return Math.min(this.live, limit);
  }
}

let tasks: Tasks;
let rooms: FlowRooms;
beforeEach(() => {
  tasks = new Tasks();
  rooms = new FlowRooms(tasks);
});

function bound(maxLive: number, name = 'f') {
  return { ...chain(['a']), name, maxLive };
}

/** A start of a task that is stored a little later. */
async function start(maxLive: number, name?: string): Promise<'stored' | 'full'> {
  let leave: Leave | null;
  try {
    leave = await rooms.enter(bound(maxLive, name));
  } catch (error) {
    expect(error).toMatchObject({ code: 'TOO_MANY_LIVE', headers: { 'retry-after': '5' } });
    return 'full';
  }
  await settle();
  tasks.live += 1;
  leave?.();
  return 'stored';
}

function starts(count: number, maxLive: number): Promise<readonly string[]> {
  return Promise.all(Array.from({ length: count }, () => start(maxLive)));
}

describe('the room of a flow', () => {
  it('of a flow without a bound is not asked about', () => {
    expect(rooms.enter(chain(['a']))).toBeNull();
    expect(tasks.counts).toBe(0);
  });

  it('is never passed, however many start at once, and never left empty', async () => {
    for (const live of [0, 1, 6, 7, 9]) {
      tasks.live = live;
      const answers = await starts(50, 7);
      expect(answers.filter((answer) => answer === 'stored')).toHaveLength(Math.max(0, 7 - live));
      expect(tasks.live).toBe(Math.max(live, 7));
    }
  });

  it('is counted for all together that come while others are let in', async () => {
    await starts(50, 50);
    expect(tasks.counts).toBe(2);
    expect(await starts(50, 50)).toEqual(Array(50).fill('full'));
    expect(tasks.counts).toBe(4);
  });

  it('is given to another start where one stored nothing', async () => {
    const first = await rooms.enter(bound(1));
    const second = start(1);
    await settle();
    first?.();
    expect(await second).toBe('stored');
  });

  it('is asked about anew by whoever comes while somebody counts', async () => {
    tasks.live = 1;
    let open = (): void => undefined;
    tasks.gate = new Promise((resolve) => (open = resolve));
    const first = start(1);
    const second = start(1);
    tasks.live = 0;
    open();
    expect([await first, await second]).toEqual(['stored', 'full']);
    expect(tasks.counts).toBe(2);
  });

  it('is as large as the version says that is started', async () => {
    tasks.live = 3;
    expect(await Promise.all([start(2), start(5), start(3), start(4)])).toEqual([
      'full',
      'stored',
      'full',
      'full',
    ]);
    expect(tasks.live).toBe(4);
  });

  it('has nothing to do with that of another flow', async () => {
    await rooms.enter(bound(1));
    expect(await start(1, 'other')).toBe('stored');
  });

  it('is not known while the store does not answer, and then asked about again', async () => {
    tasks.isDown = true;
    await expect(rooms.enter(bound(1))).rejects.toThrow('away');
    tasks.isDown = false;
    expect(await start(1)).toBe('stored');
  });

  it('can be looked at without being taken', async () => {
    await rooms.expectRoom(bound(1));
    await rooms.expectRoom(bound(1));
    tasks.live = 1;
    await expect(rooms.expectRoom(bound(1))).rejects.toMatchObject({ code: 'TOO_MANY_LIVE' });
    await rooms.expectRoom(chain(['a']));
  });
});
