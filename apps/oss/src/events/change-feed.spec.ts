import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { summaryOf } from '#core/stored';
import type { ChangeMark, ChangeQuery, ChangeStore, ListedTask } from '#ports';
import { ManualClock, sampleTask, settle } from '#testing';
import type { OssOptions } from '../options.js';
import { ChangeFeed } from './change-feed.js';
import type { Change } from './change-look.js';

/** A store on a server: writes come into sight late, and the server's clock may be set. */
class ServerChanges implements ChangeStore {
  readonly overlap = { near: 2_000, far: 30_000 };
  readonly marks = new Map<string, number>();

  constructor(private readonly clock: ManualClock) {}

  async newest(): Promise<number> {
    return this.clock.now();
  }

  async find({ after, from, limit }: ChangeQuery): Promise<readonly ChangeMark[]> {
    const all = [...this.marks].map(([taskId, at]) => ({ at, taskId }));
    const sorted = all.toSorted((a, b) => a.at - b.at || (a.taskId < b.taskId ? -1 : 1));
    const rest = sorted.filter(({ at, taskId }) => {
      if (at < from) return false;
      return after === undefined || at > after.at || (at === after.at && taskId > after.taskId);
    });
    return rest.slice(0, limit);
  }

  async summaries(taskIds: readonly string[]): Promise<readonly ListedTask[]> {
    return taskIds.map((taskId) => summaryOf(sampleTask({ taskId })));
  }
}

let clock: ManualClock;
let changes: ServerChanges;
let feed: ChangeFeed;
let heard: string[];
beforeEach(() => {
  clock = new ManualClock();
  changes = new ServerChanges(clock);
  const engine = { watch: { watchAny: () => () => undefined } };
  feed = new ChangeFeed({ changes, clock, engine } as unknown as OssOptions);
  heard = [];
});
afterEach(() => feed.beforeApplicationShutdown());

const hear = (found: readonly Change[]): void => {
  heard.push(...found.map(({ item }) => item.taskId));
};

describe('the feed of a store on a server', () => {
  it('tells of what was there before by no word, and of each change once', async () => {
    changes.marks.set('old', clock.now() - 5);
    await feed.listen(hear);
    changes.marks.set('a', clock.now());
    await clock.advance(1_000);
    changes.marks.set('b', clock.now());
    changes.marks.set('a', clock.now());
    await clock.advance(60_000);
    expect(heard).toEqual(['a', 'a', 'b']);
  });

  it('tells of a write that comes into sight a second late at the next question', async () => {
    await feed.listen(hear);
    changes.marks.set('first', clock.now() + 400);
    await clock.advance(1_000);
    changes.marks.set('late', clock.now() - 900);
    await clock.advance(500);
    expect(heard).toEqual(['first', 'late']);
  });

  it('tells of one that comes into sight twenty seconds late, within five more', async () => {
    await feed.listen(hear);
    await clock.advance(40_000);
    changes.marks.set('first', clock.now());
    await clock.advance(1_000);
    changes.marks.set('late', clock.now() - 20_000);
    await clock.advance(5_500);
    expect(heard).toEqual(['first', 'late']);
  });

  it('misses nothing after a clock that was an hour ahead is set right', async () => {
    await feed.listen(hear);
    clock.misset(3_600_000);
    changes.marks.set('ahead', clock.now());
    await clock.advance(1_000);
    clock.misset(0);
    changes.marks.set('right', clock.now());
    await clock.advance(1_000);
    expect(heard).toContain('ahead');
    expect(heard).toContain('right');
  });

  it('reads thousands of changes of one moment, each once', async () => {
    await feed.listen(hear);
    const at = clock.now() + 10;
    for (let n = 0; n < 2_500; n += 1) changes.marks.set(`task-${n}`, at);
    await clock.advance(2_000);
    expect(new Set(heard).size).toBe(2_500);
    expect(heard).toHaveLength(2_500);
  });

  it('begins anew for who comes after the last one has gone', async () => {
    const stop = await feed.listen(hear);
    stop();
    changes.marks.set('between', clock.now());
    await clock.advance(1_000);
    await feed.listen(hear);
    changes.marks.set('after', clock.now());
    await clock.advance(1_000);
    await settle();
    expect(heard).toEqual(['after']);
  });
});
