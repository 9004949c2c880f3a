import { describe, expect, it } from '@jest/globals';
import type { StepOf, StepPlan, Task } from '#core';
import { action, type EngineWorld, fails, flow } from '#testing';
import type { RetryOrder } from './children-order.js';
import { childrenOf, each, itemIn, PERSON, quiet, runOf } from './lists-spec.js';
import { stopWorlds, world } from './worlds-spec.js';

stopWorlds();

const AFTER: StepPlan = { name: 'after', needs: [0], normal: action('m.after'), rollback: null };

/** A task on hold for a list of which some items fail; `bad` is changed by the test. */
class Play {
  readonly bad = new Set<unknown>(['b', 'd']);
  /** Items of the calls of a command, in their order. */
  readonly made: string[] = [];
  readonly undone: string[] = [];
  taskId = '';

  private constructor(readonly w: EngineWorld) {}

  static async begin(more: Partial<StepOf<'foreach'>['foreach']> = {}): Promise<Play> {
    const play = new Play(await world());
    const { scripts } = play.w.commands;
    scripts.set('m.make', ({ parameters }) => {
      play.made.push(itemIn(parameters));
      const isBad = play.bad.has(parameters['item']);
      return isBad ? fails('no room') : { kind: 'succeeded', output: { by: parameters['item'] } };
    });
    scripts.set('m.undo_make', ({ parameters }) => {
      play.undone.push(itemIn(parameters));
      return { kind: 'succeeded', output: null };
    });
    const definition = flow([each({ concurrency: 2, successPercent: 100, ...more }), AFTER], {
      onFailure: { holdMs: null },
    });
    const { plan } = await play.w.submit(definition, { hosts: ['b', 'd'] });
    play.taskId = plan.taskId;
    await quiet();
    return play;
  }

  task(): Promise<Task> {
    return this.w.task(this.taskId);
  }

  async retry(more: Pick<RetryOrder, 'children' | 'parameters'> = {}) {
    const result = await this.w.engine.operate(this.taskId, {
      kind: 'retry_requested',
      ...PERSON,
      ...more,
    });
    await quiet();
    return result;
  }

  /** Child tasks of an item, in the order in which they began. */
  childrenOf(item: string): readonly Task[] {
    return childrenOf(this.w, item);
  }
}

describe('A task on hold for child tasks of a list', () => {
  it('leaves those that succeeded as they are', async () => {
    const play = await Play.begin();
    const task = await play.task();
    expect(task.hold?.why).toBe('step_failed');
    expect(task.message).toContain('2 of 4 child tasks failed');
    expect(task.scopes[0]).toMatchObject({ stage: 'done', way: 'forward' });
    expect(play.undone.toSorted()).toEqual(['b', 'd']);
  });

  it('begins those anew that failed, and has the results of all', async () => {
    const play = await Play.begin();
    play.bad.delete('b');
    await play.retry();
    expect((await play.task()).message).toContain('1 of 4 child tasks failed');
    play.bad.clear();
    await play.retry({ children: 'failed' });
    const task = await play.task();
    expect(task.outcome).toBe('succeeded');
    expect(play.made.toSorted()).toEqual(['a', 'b', 'b', 'c', 'd', 'd', 'd']);
    expect(play.childrenOf('d').map(runOf)).toEqual(['each#1', 'each#2', 'each#3']);
    const { output } = task.runs[0]?.normal ?? {};
    expect(output).toMatchObject({ count: 4, succeeded: 4, failed: 0 });
    const results = output?.['results'] as readonly object[];
    const names = ['a', 'b', 'c', 'd'];
    expect(results).toMatchObject(names.map((by, index) => ({ index, output: { by } })));
    expect(play.childrenOf('d')[2]?.plan.parent).toMatchObject({ index: 0, item: 3 });
  });

  it('begins one of them anew by its id, and asks again for the others', async () => {
    const play = await Play.begin();
    play.bad.clear();
    const id = play.childrenOf('d')[0]?.plan.taskId ?? '';
    await play.retry({ children: { id } });
    expect(await play.task()).toMatchObject({ hold: { why: 'step_failed' } });
    expect(play.childrenOf('d').map(({ outcome }) => outcome)).toEqual([
      'rolled_back',
      'succeeded',
    ]);
    expect(play.childrenOf('b')).toHaveLength(1);
    const again = await play.retry({ children: { id } });
    expect(again).toMatchObject({ code: 'ILLEGAL_ACTION' });
    await play.retry();
    expect((await play.task()).outcome).toBe('succeeded');
    expect(play.childrenOf('d')).toHaveLength(2);
  });

  it('begins all of them anew once those that succeeded are undone', async () => {
    const play = await Play.begin();
    play.bad.clear();
    await play.retry({ children: 'all' });
    const task = await play.task();
    expect(task.outcome).toBe('succeeded');
    expect(play.undone.toSorted()).toEqual(['a', 'b', 'c', 'd']);
    expect(play.childrenOf('a').map(runOf)).toEqual(['each#1', 'each~2#1']);
    expect(play.made).toHaveLength(8);
  });

  it('undoes the child tasks of every round when it goes back, the last round first', async () => {
    const play = await Play.begin({ concurrency: 1 });
    play.bad.delete('b');
    await play.retry();
    expect(play.undone).toEqual(['b', 'd', 'd']);
    const back = { kind: 'rollback_requested', ...PERSON } as const;
    await play.w.engine.operate(play.taskId, back);
    await quiet();
    expect((await play.task()).outcome).toBe('rolled_back');
    expect(play.undone.slice(3)).toEqual(['b', 'c', 'a']);
  });

  it('begins all anew where none has succeeded, so that the list may be another', async () => {
    const play = await Play.begin({ in: '{% hosts %}' });
    expect(play.made.toSorted()).toEqual(['b', 'd']);
    await play.retry({ parameters: { hosts: ['a'] } });
    expect((await play.task()).outcome).toBe('succeeded');
    expect(play.made.toSorted()).toEqual(['a', 'b', 'd']);
  });

  it('takes no child task that has not failed, or is of another task', async () => {
    const play = await Play.begin();
    const id = play.childrenOf('a')[0]?.plan.taskId ?? '';
    expect(await play.retry({ children: { id } })).toMatchObject({ code: 'ILLEGAL_ACTION' });
    const foreign = await play.retry({ children: { id: play.taskId } });
    expect(foreign).toMatchObject({ code: 'NO_SUCH_CHILD' });
    expect((await play.task()).hold).not.toBeNull();
  });

  it('undoes them later where a person passed the step over', async () => {
    const play = await Play.begin();
    const skip = { kind: 'skip_requested', ...PERSON, step: 'each' } as const;
    await play.w.engine.operate(play.taskId, skip);
    await quiet();
    expect((await play.task()).outcome).toBe('succeeded');
    await play.w.engine.operate(play.taskId, { kind: 'undo_requested', ...PERSON });
    await quiet();
    expect((await play.task()).outcome).toBe('rolled_back');
    expect(play.undone.toSorted()).toEqual(['a', 'b', 'c', 'd']);
  });
});
