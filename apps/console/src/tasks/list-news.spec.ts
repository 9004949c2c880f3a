import { describe, expect, it } from '@jest/globals';
import type { Summary } from '../api/shapes.js';
import { fitsMembers, type News, withNews } from './list-news.js';

function task(taskId: string, status = 'running', flow = 'f'): Summary {
  return {
    ...{ taskId, revision: 1, status, flow, flowVersion: 1, labels: {}, taskMessage: null },
    ...{
      timeCreate: 0,
      timeStart: null,
      timeEnd: null,
      approvals: [],
      awaits: null,
      parent: null,
      origin: null,
      priority: 0,
    },
  };
}

function newsOf(...items: readonly Summary[]): ReadonlyMap<string, News> {
  return new Map(items.map((item, at) => [item.taskId, { item, at }]));
}

function shown(items: readonly { readonly taskId: string; readonly status: string }[]): string[] {
  return items.map(({ status, taskId }) => `${taskId} ${status}`);
}

const RUNNING = [['status', 'running,rolling_back']] as const;
const LIST = [task('9'), task('5'), task('3')];

describe('a list that is told of changes', () => {
  it('shows a task as it is now', () => {
    const news = newsOf(task('5', 'succeeded'));
    const items = withNews(LIST, news, { hasMore: false, members: [] });
    expect(shown(items)).toEqual(['9 running', '5 succeeded', '3 running']);
  });

  it('keeps how far a task is, which no change tells, while it stands as it did', () => {
    const progress = { step: 'copy', percent: 40, at: '' };
    const list = [{ ...task('5'), progress }];
    const shownAs = (next: Summary) =>
      withNews(list, newsOf(next), { hasMore: false, members: [] });
    expect(shownAs({ ...task('5'), priority: 7 })).toEqual([
      { ...task('5'), priority: 7, progress },
    ]);
    expect(shownAs(task('5', 'succeeded'))).toEqual([task('5', 'succeeded')]);
  });

  it('lets go of a task that no longer fits', () => {
    const news = newsOf(task('5', 'succeeded'));
    const items = withNews(LIST, news, { hasMore: false, members: RUNNING });
    expect(shown(items)).toEqual(['9 running', '3 running']);
  });

  it('ends with a new task where the oldest come first, once all are shown', () => {
    const members = [['order', 'oldest']] as const;
    const list = LIST.toReversed();
    const shownWith = (hasMore: boolean): string[] =>
      withNews(list, newsOf(task('a')), { hasMore, members }).map(({ taskId }) => taskId);
    expect(shownWith(false)).toEqual(['3', '5', '9', 'a']);
    expect(shownWith(true)).toEqual(['3', '5', '9']);
  });

  it('knows a child task from others', () => {
    const child = { ...task('7'), parent: { taskId: '9', step: 'each', index: 0 } };
    const members = [['q', 'parent:none']] as const;
    expect([fitsMembers(child, members), fitsMembers(task('7'), members)]).toEqual([false, true]);
  });

  it('has a new task at its place, by when it was created', () => {
    const news = newsOf(task('7', 'rolling_back'), task('a'));
    const items = withNews(LIST, news, { hasMore: true, members: RUNNING });
    expect(items.map(({ taskId }) => taskId)).toEqual(['a', '9', '7', '5', '3']);
  });

  it('adds none behind its end while there are more', () => {
    const news = newsOf(task('1'));
    const more = withNews(LIST, news, { hasMore: true, members: RUNNING });
    expect(more.map(({ taskId }) => taskId)).toEqual(['9', '5', '3']);
    const all = withNews(LIST, news, { hasMore: false, members: RUNNING });
    expect(all.map(({ taskId }) => taskId)).toEqual(['9', '5', '3', '1']);
  });

  it('leaves what only the server knows to the server', () => {
    const members = [['q', 'text:"no host"']] as const;
    const news = newsOf(task('5', 'succeeded'), task('a'));
    const items = withNews(LIST, news, { hasMore: false, members });
    expect(shown(items)).toEqual(['9 running', '5 succeeded', '3 running']);
    expect(fitsMembers(task('a'), members)).toBeNull();
    expect(fitsMembers(task('a', 'paused'), [...RUNNING, ...members])).toBe(false);
    expect(fitsMembers(task('a'), [['flow', 'g']])).toBe(false);
  });
});
