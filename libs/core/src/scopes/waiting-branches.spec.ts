import { describe, expect, it } from '@jest/globals';
import { NO_RETRY } from '../flow/action.js';
import type { StepPlan } from '../flow/flow.js';
import { placeOf } from './run-id.js';
import { Play, step } from '../transitions/play-spec.js';

const PERSON = { actor: 'ann', reason: 'why', key: null };

/** A play of a step whose branches wait for each other. */
class Branches extends Play {
  constructor(branches: Readonly<Record<string, readonly StepPlan[]>>) {
    const parallel = Object.entries(branches).map(([name, steps]) => ({ name, steps }));
    super({ steps: [{ name: 's', needs: [], parallel, onBranchFailure: 'wait' }] });
  }

  /** Runs an action of a run to its end, and returns what the end sends. */
  end(id: string, kind: 'succeeded' | 'failed', direction: 'normal' | 'rollback' = 'normal') {
    const ref = { direction, step: placeOf(this.task, id) ?? -1 } as const;
    const attempt = this.task.runs[ref.step]![direction]!.attempts + 1;
    this.do({ kind: 'claimed', ...ref, attempt, owner: 'e' });
    const report = { ...ref, token: this.task.token };
    if (kind === 'succeeded') this.do({ kind, ...report, output: null });
    else this.do({ kind, ...report, terminal: true, failure: 'FAILED', message: 'no' });
    return [...this.sent].sort();
  }
}

describe('a branch that failed beside others that are waited for', () => {
  it('is undone once the others have ended, and these after it', () => {
    const play = new Branches({ a: [step('x', [])], b: [step('y', []), step('z', [0])] });
    expect(play.end('s#a/x', 'failed')).toEqual([]);
    expect(play.end('s#b/y', 'succeeded')).toEqual(['z']);
    expect(play.end('s#b/z', 'succeeded')).toEqual(['undo_x']);
    expect(play.end('s#a/x', 'succeeded', 'rollback')).toEqual(['undo_z']);
    play.end('s#b/z', 'succeeded', 'rollback');
    play.end('s#b/y', 'succeeded', 'rollback');
    expect(play.status).toBe('rolled_back');
  });

  it('is undone beside the last of them that fails', () => {
    const play = new Branches({ a: [step('x', [])], b: [step('y', [])], c: [step('z', [])] });
    expect(play.end('s#b/y', 'failed')).toEqual([]);
    expect(play.end('s#a/x', 'failed')).toEqual([]);
    expect(play.end('s#c/z', 'failed')).toEqual(['undo_x', 'undo_y', 'undo_z']);
  });

  it('keeps what stands in it until then, groups under way included', () => {
    const steps = [step('x', []), step('y', [0])];
    const group = { name: 'g', needs: [], group: steps, retry: NO_RETRY, timeoutMs: null };
    const play = new Branches({ a: [group, step('v', [])], b: [step('z', [])] });
    play.end('s#a/g#1/x', 'succeeded');
    expect(play.end('s#a/v', 'failed')).toEqual([]);
    expect(play.task.runs[placeOf(play.task, 's#a/g#1/y')!]?.normal.state).toBe('pending');
    expect(play.end('s#b/z', 'succeeded')).toEqual(['undo_v', 'undo_x']);
  });

  it('counts what a group in it undoes meanwhile', () => {
    const steps = [step('x', []), step('y', [0]), step('z', [1])];
    const retry = { ...NO_RETRY, attempts: 2 };
    const group: StepPlan = { name: 'g', needs: [], group: steps, retry, timeoutMs: null };
    const play = new Branches({ a: [group, step('v', [])], b: [step('w', [])] });
    play.end('s#a/g#1/x', 'succeeded');
    expect(play.end('s#a/g#1/y', 'failed')).toEqual(['undo_y']);
    expect(play.end('s#a/v', 'failed')).toEqual([]);
    expect(play.end('s#a/g#1/y', 'succeeded', 'rollback')).toEqual([]);
    expect(play.end('s#b/w', 'succeeded')).toEqual(['undo_v', 'undo_x']);
  });

  it('waits no longer where a person has the task go back', () => {
    const play = new Branches({ a: [step('x', [])], b: [step('y', [])] });
    play.end('s#a/x', 'failed');
    play.do({ kind: 'rollback_requested', ...PERSON });
    expect(play.sent).toEqual(['undo_x']);
  });

  it('is undone after a pause in which the others ended', () => {
    const play = new Branches({ a: [step('x', [])], b: [step('y', [])] });
    const ref = { direction: 'normal', step: placeOf(play.task, 's#b/y') ?? -1 } as const;
    play.do({ kind: 'claimed', ...ref, attempt: 1, owner: 'e' });
    const report = { ...ref, token: play.task.token };
    play.end('s#a/x', 'failed');
    play.do({ kind: 'pause_requested', ...PERSON });
    play.do({ kind: 'succeeded', ...report, output: null });
    expect(play.sent).toEqual([]);
    play.do({ kind: 'resume_requested', ...PERSON });
    expect(play.sent).toEqual(['undo_x']);
  });

  const locks = [{ name: 'l', slots: 1 }];
  const hold = (play: Play, id: string) => {
    const { number } = play.task.locks.find(({ run }) => run === id)!;
    play.do({ kind: 'locks_held', number });
  };
  const tickets = (play: Play) => play.task.locks.map(({ run }) => run);

  it('keeps no lock of a step from the others until then', () => {
    const locked = (name: string): StepPlan => ({ ...step(name, []), locks });
    const play = new Branches({ a: [locked('x')], b: [locked('y')] });
    hold(play, 's#a/x');
    expect(play.end('s#a/x', 'failed')).toEqual([]);
    expect(tickets(play)).toEqual(['s#b/y']);
    hold(play, 's#b/y');
    play.end('s#b/y', 'succeeded');
    expect(tickets(play)).toEqual(['s#a/x']);
    hold(play, 's#a/x');
    expect(play.sent).toEqual(['undo_x']);
  });

  it('is undone at once as far as a group in it holds a lock', () => {
    const group = [step('v', []), step('w', [0])];
    const inner: StepPlan = { name: 'g', needs: [], group, retry: NO_RETRY, timeoutMs: null };
    const play = new Branches({ a: [{ ...inner, locks }, step('x', [])], b: [step('y', [])] });
    hold(play, 's#a/g');
    play.end('s#a/g#1/v', 'succeeded');
    expect(play.end('s#a/x', 'failed')).toEqual(['undo_v']);
    expect(tickets(play)).toEqual(['s#a/g']);
    play.end('s#a/g#1/v', 'succeeded', 'rollback');
    expect(tickets(play)).toEqual([]);
    expect(play.end('s#b/y', 'succeeded')).toEqual(['undo_x']);
  });
});
