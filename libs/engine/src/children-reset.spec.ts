import { describe, expect, it } from '@jest/globals';
import {
  DEFAULT_LIMITS,
  type FailurePolicy,
  NO_RETRY,
  type StepOf,
  type StepPlan,
  type Task,
  type TaskLimits,
} from '#core';
import { tallyAt } from '#core/children';
import type { LockPlan } from '#core/flow';
import { action, chain, type EngineWorld, fails, flow } from '#testing';
import type { ResetOrder } from './children-order.js';
import { childrenOf, each, itemIn, ITEMS, PERSON, quiet, runOf } from './lists-spec.js';
import { stopWorlds, world } from './worlds-spec.js';

stopWorlds();

const AFTER: StepPlan = {
  name: 'after',
  needs: [0],
  normal: action('m.after'),
  rollback: action('m.undo_after'),
};

interface Terms {
  readonly limits?: TaskLimits;
  readonly locks?: readonly LockPlan[];
  readonly onFailure?: FailurePolicy;
  /** Steps beside these two. */
  readonly others?: readonly StepPlan[];
}

const LOCKS: readonly LockPlan[] = [{ name: 'rack', slots: 1 }];

/** A step that waits for a yes or no. */
function ask(name: string, needs: readonly number[]): StepPlan {
  const approve = { title: name, roles: [], timeoutMs: null, onTimeout: 'fail' } as const;
  return { name, needs, approve, rollback: null };
}

type Script = () => Promise<typeof DONE>;

/** A command that ends once it is let. */
function held(): { readonly answer: Script; readonly open: () => void } {
  let open = (): void => {};
  const answer = new Promise<typeof DONE>((resolve) => {
    open = () => resolve(DONE);
  });
  return { answer: () => answer, open };
}

/** Steps that are tried once. */
function group(steps: readonly StepPlan[]): StepPlan {
  return { name: 'out', needs: [], group: steps, retry: NO_RETRY, timeoutMs: null };
}

/** A task that succeeded with a list of which the items `b` and `d` failed. */
class Play {
  readonly bad = new Set<unknown>(['b', 'd']);
  /** Items whose undo fails. */
  readonly stuck = new Set<unknown>();
  /** The commands that were called, in their order: of child tasks with their item. */
  readonly calls: string[] = [];
  taskId = '';

  private constructor(readonly w: EngineWorld) {}

  static async begin(
    more: Partial<StepOf<'foreach'>['foreach']> = {},
    { limits, locks, onFailure = 'rollback', others = [] }: Terms = {},
    scripts: Readonly<Record<string, Script>> = {},
  ): Promise<Play> {
    const play = new Play(await world(limits && { limits }));
    const { scripts: own } = play.w.commands;
    for (const [name, script] of Object.entries(scripts)) own.set(name, script);
    own.set('m.make', ({ parameters }) => {
      play.calls.push(`make ${itemIn(parameters)}`);
      const isBad = play.bad.has(parameters['item']);
      return isBad ? fails('no room') : { kind: 'succeeded', output: { by: parameters['item'] } };
    });
    own.set('m.undo_make', ({ parameters }) => {
      play.calls.push(`undo ${itemIn(parameters)}`);
      return play.stuck.has(parameters['item']) ? fails('stuck') : DONE;
    });
    for (const name of ['after', 'undo_after']) {
      own.set(`m.${name}`, () => {
        play.calls.push(name);
        return DONE;
      });
    }
    const plain = each({ concurrency: 1, successPercent: 50, ...more });
    const list = locks === undefined ? plain : { ...plain, locks };
    const { plan } = await play.w.submit(flow([list, AFTER, ...others], { onFailure }));
    play.taskId = plan.taskId;
    await quiet();
    return play;
  }

  task(): Promise<Task> {
    return this.w.task(this.taskId);
  }

  async do(event: Parameters<EngineWorld['engine']['operate']>[1], taskId = this.taskId) {
    this.calls.length = 0;
    const result = await this.w.engine.operate(taskId, event);
    await quiet();
    return result;
  }

  reset(children: ResetOrder['children'], more: Partial<ResetOrder> = {}) {
    return this.do({ kind: 'reset_requested', to: 'each', ...PERSON, children, ...more });
  }

  /** Child tasks of an item, in the order in which they began. */
  childrenOf(item: string): readonly Task[] {
    return childrenOf(this.w, item);
  }

  idOf(item: string): string {
    return this.childrenOf(item).at(-1)?.plan.taskId ?? '';
  }
}

const DONE = { kind: 'succeeded', output: null } as const;

describe('A reset to a list of which some items failed', () => {
  it('begins those anew after it undid what followed, and leaves the others', async () => {
    const play = await Play.begin();
    expect((await play.task()).outcome).toBe('succeeded');
    play.bad.clear();
    await play.reset('failed');
    expect(play.calls).toEqual(['undo_after', 'make b', 'make d', 'after']);
    const task = await play.task();
    expect(task.outcome).toBe('succeeded');
    expect(task.runs.map(({ generation }) => generation)).toEqual([1, 2]);
    expect(task.runs[0]?.normal.output).toMatchObject({ count: 4, succeeded: 4, failed: 0 });
    const results = task.runs[0]?.normal.output?.['results'];
    expect(results).toMatchObject(ITEMS.map((by, index) => ({ index, output: { by } })));
  });

  it('begins one of them anew by its id, and then the others', async () => {
    const play = await Play.begin();
    play.bad.clear();
    const children = { id: play.idOf('d') };
    await play.reset(children);
    expect(play.calls).toEqual(['undo_after', 'make d', 'after']);
    expect(await play.reset(children)).toMatchObject({ code: 'ILLEGAL_ACTION', about: 'children' });
    await play.reset('failed');
    expect(play.calls).toEqual(['undo_after', 'make b', 'after']);
    expect(play.childrenOf('b').map(runOf)).toEqual(['each#1', 'each#3']);
    expect(await play.reset('failed')).toMatchObject({ code: 'ILLEGAL_ACTION' });
  });

  it('undoes one that succeeded before its item begins anew', async () => {
    const play = await Play.begin();
    await play.reset({ id: play.idOf('c') });
    expect(play.calls).toEqual(['undo_after', 'undo c', 'make c', 'after']);
    expect((await play.task()).outcome).toBe('succeeded');
    expect(play.childrenOf('c').map(({ outcome }) => outcome)).toEqual([
      'rolled_back',
      'succeeded',
    ]);
    expect((await play.task()).runs[0]?.normal.output).toMatchObject({ succeeded: 2, failed: 2 });
  });

  it('undoes everything where the item fails this time and too few are left', async () => {
    const play = await Play.begin();
    play.bad.add('c');
    await play.reset({ id: play.idOf('c') });
    expect(play.calls).toEqual(['undo_after', 'undo c', 'make c', 'undo c', 'undo a']);
    expect((await play.task()).outcome).toBe('rolled_back');
  });

  it('undoes each round once when all is undone later, the last round first', async () => {
    const play = await Play.begin();
    play.bad.clear();
    await play.reset('failed');
    await play.reset({ id: play.idOf('a') });
    await play.do({ kind: 'undo_requested', ...PERSON });
    expect(play.calls).toEqual(['undo_after', 'undo a', 'undo d', 'undo b', 'undo c']);
    const task = await play.task();
    expect(task.outcome).toBe('rolled_back');
    expect(task.scopes.map(({ stage }) => stage)).toEqual(['clean', 'clean', 'clean']);
    play.calls.length = 0;
    await play.do({ kind: 'reset_requested', to: 'each', ...PERSON });
    expect(play.calls).toEqual(['make a', 'make b', 'make c', 'make d', 'after']);
  });

  it('waits for a person where the undo of the one fails', async () => {
    const play = await Play.begin();
    play.stuck.add('c');
    const id = play.idOf('c');
    await play.reset({ id });
    expect(play.calls).toEqual(['undo_after', 'undo c']);
    const { runs, status } = await play.task();
    expect([status, runs[0]?.normal.message]).toEqual([2, 'one child task waits for a person']);
    play.stuck.clear();
    await play.do({ kind: 'retry_requested', ...PERSON }, id);
    expect(play.calls).toEqual(['undo c', 'make c', 'after']);
    expect((await play.task()).outcome).toBe('succeeded');
  });

  it('goes back from the midst of that, and undoes the others once', async () => {
    const play = await Play.begin();
    play.stuck.add('c');
    const id = play.idOf('c');
    await play.reset({ id });
    await play.do({ kind: 'rollback_requested', ...PERSON });
    play.stuck.clear();
    await play.do({ kind: 'retry_requested', ...PERSON }, id);
    expect(play.calls).toEqual(['undo c', 'undo a']);
    expect((await play.task()).outcome).toBe('rolled_back');
  });

  it('undoes all and begins all anew where nothing is said, or all', async () => {
    const play = await Play.begin();
    await play.reset('all');
    const makes = ITEMS.flatMap((item) => {
      return play.bad.has(item) ? [`make ${item}`, `undo ${item}`] : [`make ${item}`];
    });
    expect(play.calls).toEqual(['undo_after', 'undo c', 'undo a', ...makes, 'after']);
  });

  it('shows parameters that come along to the items that begin anew', async () => {
    const play = await Play.begin();
    play.bad.clear();
    await play.reset('failed', { parameters: { room: 2 } });
    const seen = ITEMS.map((item) => play.childrenOf(item).at(-1)?.plan.parameters['room']);
    expect(seen).toEqual([undefined, 2, undefined, 2]);
  });

  it('refuses what is no step with child tasks that stand', async () => {
    const play = await Play.begin();
    const refusals = [
      await play.reset('failed', { to: 'after' }),
      await play.reset({ id: play.taskId }),
      await play.reset({ id: play.idOf('a') }, { to: 'after' }),
    ];
    expect(refusals).toMatchObject([
      {
        code: 'ILLEGAL_ACTION',
        about: 'children',
        message: expect.stringMatching(/not a .foreach./),
      },
      { code: 'NO_SUCH_CHILD' },
      { code: 'ILLEGAL_ACTION', about: 'children' },
    ]);
    await play.do({ kind: 'undo_requested', ...PERSON });
    expect(await play.reset('failed')).toMatchObject({ code: 'ILLEGAL_ACTION' });
  });
});

describe('A reset that keeps child tasks, and what stands in its way', () => {
  it('keeps what succeeded of a list that waits for a person', async () => {
    const play = await Play.begin({ successPercent: 100 }, { onFailure: { holdMs: null } });
    expect((await play.task()).hold?.why).toBe('step_failed');
    play.bad.delete('b');
    await play.reset({ id: play.idOf('b') });
    expect(play.calls).toEqual(['make b']);
    expect((await play.task()).hold?.why).toBe('step_failed');
    play.bad.clear();
    await play.reset('failed');
    expect(play.calls).toEqual(['make d', 'after']);
  });

  it('goes back and on again once a paused task is resumed', async () => {
    const play = await Play.begin({}, { others: [ask('sure', [1])] });
    play.bad.clear();
    await play.do({ kind: 'pause_requested', ...PERSON });
    await play.reset('failed');
    expect(play.calls).toEqual([]);
    await play.do({ kind: 'resume_requested', ...PERSON });
    expect(play.calls).toEqual(['undo_after', 'make b', 'make d', 'after']);
  });

  it('waits for the locks of the step before its items begin anew', async () => {
    const play = await Play.begin({}, { locks: LOCKS });
    play.bad.clear();
    const other = await play.w.submit(flow([{ ...ask('hold', []), locks: LOCKS }]));
    await quiet();
    await play.reset('failed');
    expect(play.calls).toEqual(['undo_after']);
    expect((await play.task()).runs[0]?.normal).toMatchObject({ state: 'pending', attempts: 1 });
    const yes = { kind: 'judged', ...PERSON, step: 'hold', isApproved: true } as const;
    await play.do(yes, other.plan.taskId);
    expect(play.calls).toEqual(['make b', 'make d', 'after']);
  });

  it('undoes what stands where the task turns while it waits for these locks', async () => {
    const play = await Play.begin({}, { locks: LOCKS });
    const other = await play.w.submit(flow([{ ...ask('hold', []), locks: LOCKS }]));
    await quiet();
    await play.reset('failed');
    await play.do({ kind: 'rollback_requested', ...PERSON });
    const yes = { kind: 'judged', ...PERSON, step: 'hold', isApproved: true } as const;
    await play.do(yes, other.plan.taskId);
    expect(play.calls).toEqual(['undo c', 'undo a']);
    expect((await play.task()).outcome).toBe('rolled_back');
  });

  it('takes no item whose child task passed a point of no return', async () => {
    const { steps } = chain(['make'], { pivot: true });
    const play = await Play.begin({ steps });
    expect(await play.reset({ id: play.idOf('a') })).toMatchObject({
      code: 'ILLEGAL_ACTION',
      message: expect.stringContaining('point of no return'),
    });
    play.bad.clear();
    await play.reset('failed');
    expect(play.calls).toEqual(['undo_after', 'make b', 'make d', 'after']);
  });

  it('takes no step of which child tasks never began, because the task ended early', async () => {
    const play = await Play.begin(
      {},
      { others: [{ name: 'end', needs: [], succeed: { output: null } }] },
    );
    const { outcome, runs } = await play.task();
    expect(outcome).toBe('succeeded');
    expect(tallyAt({ runs }, 0)?.started).toBeLessThan(4);
    expect(await play.reset('failed')).toMatchObject({
      code: 'ILLEGAL_ACTION',
      message: expect.stringContaining('has child tasks that never started'),
    });
  });

  it('is refused where the task has no room, and fails where it has none any more', async () => {
    const limits = (runs: number): TaskLimits => ({ ...DEFAULT_LIMITS, runs });
    const full = await Play.begin({}, { limits: limits(3) });
    expect(await full.reset('failed')).toMatchObject({ code: 'ILLEGAL_ACTION' });
    const [x] = chain(['x']).steps as [StepPlan];
    const inner: StepPlan = { ...group([x]), name: 'in', needs: [0] };
    const others = [group([x, inner])];
    const [free, undo] = [held(), held()];
    const play = await Play.begin({}, { limits: limits(9), others }, { 'm.x': free.answer });
    play.w.commands.scripts.set('m.undo_after', undo.answer);
    await play.reset('failed');
    free.open();
    await quiet();
    undo.open();
    await quiet();
    const task = await play.task();
    expect(task.outcome).toBe('rolled_back');
    expect(task.message).toContain('at most 9 are allowed');
    expect(play.calls).toEqual(['undo c', 'undo a']);
  });
});
