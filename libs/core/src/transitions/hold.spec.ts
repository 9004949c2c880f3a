import { describe, expect, it } from '@jest/globals';
import { NO_RETRY } from '../flow/action.js';
import type { TaskEvent } from '../task/event.js';
import type { StepPlan } from '../flow/flow.js';
import { mergedParameters } from '../values/parameters.js';
import { Play, START, step } from './play-spec.js';
import type { ActionRef } from '../task/action-ref.js';

const person = { actor: 'ann', reason: 'seen', key: null };
const RETRY: TaskEvent = { kind: 'retry_requested', ...person };
const ROLLBACK: TaskEvent = { kind: 'rollback_requested', ...person };
const TICK: TaskEvent = { kind: 'tick', crowded: new Map() };
const CHAIN = [step('a', []), step('b', [0]), step('c', [1]), step('d', [2])];
const HOLD = { holdMs: null };
const INNER = { group: [step('x', [])], retry: NO_RETRY, timeoutMs: null };
const GROUP: StepPlan = { name: 'g', needs: [], ...INNER };

const normal = (place: number): ActionRef => ({ direction: 'normal', step: place });
const undo = (place: number): ActionRef => ({ direction: 'rollback', step: place });
const skip = (name: string, output?: Record<string, string>): TaskEvent => {
  return { kind: 'skip_requested', ...person, step: name, output };
};
const backTo = (to: string): TaskEvent => ({ ...ROLLBACK, to });

function take(play: Play, ref: ActionRef): number {
  const run = ref.direction === 'normal' ? 'normal' : 'rollback';
  const attempt = (play.task.runs[ref.step]?.[run]?.attempts ?? 0) + 1;
  play.do({ kind: 'claimed', ...ref, attempt, owner: 'e' });
  return play.task.token;
}

function succeed(play: Play, ref: ActionRef, output: Record<string, string> | null = null): Play {
  return play.do({ kind: 'succeeded', ...ref, token: take(play, ref), output });
}

function fail(play: Play, ref: ActionRef, now = START): Play {
  const failure = { terminal: true, failure: 'FAILED', message: 'no' } as const;
  return play.do({ kind: 'failed', ...ref, token: take(play, ref), ...failure }, now);
}

/** A chain of four that is on hold because its second step failed. */
function held(more: { steps?: readonly StepPlan[]; timeoutMs?: number } = {}): Play {
  const play = new Play({ steps: CHAIN, onFailure: HOLD, ...more });
  return fail(succeed(play, normal(0)), normal(1));
}

function toTheEnd(play: Play, places: readonly number[]): Play {
  for (const place of places) succeed(play, normal(place));
  return play;
}

describe('a task whose flow says hold', () => {
  it('starts nothing beside a step that has failed as the task began, until it goes on', () => {
    const no: StepPlan = { name: 'no', needs: [], fail: { code: 'NO', message: 'no' } };
    const play = new Play({ steps: [step('a', []), no, step('b', [])], onFailure: HOLD });
    expect(play.sent).toEqual(['a']);
    expect(play.do(skip('no')).sent).toEqual(['b']);
  });

  it('waits for a person when a step failed for good, and undoes nothing', () => {
    const play = held();
    expect(play.status).toBe('on_hold');
    expect(play.task.hold).toEqual({ why: 'step_failed', by: null, until: null });
    expect(play.task.message).toBe('step b (m.b) failed: no');
    expect(play.sent).toEqual([]);
    expect(play.task.wakeAt).toBeNull();
    expect(play.task.way).toBe('forward');
    expect(play.decide(TICK, START + 1e12)).toEqual({ kind: 'ignored', reason: 'nothing_due' });
  });

  it('rolls back by itself when its hold is over', () => {
    const play = new Play({ steps: CHAIN, onFailure: { holdMs: 60_000 } });
    fail(succeed(play, normal(0)), normal(1));
    expect(play.task.wakeAt).toBe(START + 60_000);
    expect(play.decide(TICK, START + 59_999).kind).toBe('ignored');
    play.do(TICK, START + 60_000);
    expect(play.status).toBe('rolling_back');
    expect(play.task.message).toBe('nobody decided in time: step b (m.b) failed: no');
    expect(play.sent).toEqual(['undo_b']);
  });

  it('tries the failed step again with a fresh budget, as the same run', () => {
    const play = held().do(RETRY);
    expect(play.status).toBe('running');
    expect(play.sent).toEqual(['b']);
    expect(play.task.runs[1]?.normal).toMatchObject({ spent: 0, attempts: 1, deadline: null });
    expect(play.task.runs[1]?.generation).toBe(1);
    expect(play.task.message).toBeNull();
    expect(toTheEnd(play, [1, 2, 3]).status).toBe('succeeded');
  });

  it('lets a step that is retried see what the person changed', () => {
    const play = held().do({ ...RETRY, parameters: { size: 2 } });
    expect(mergedParameters(play.task)).toMatchObject({ size: 2 });
    expect(play.task.edits[0]?.unseenBy).toEqual(['a']);
  });

  it('goes on without a failed step that is passed over, with the output given', () => {
    const play = held().do(skip('b', { ip: '10.0.0.1' }));
    expect(play.status).toBe('running');
    expect(play.sent).toEqual(['c']);
    expect(play.task.runs[1]?.normal).toMatchObject({
      state: 'skipped',
      output: { ip: '10.0.0.1' },
    });
    expect(mergedParameters(play.task)).toEqual({ ip: '10.0.0.1' });
    expect(toTheEnd(play, [2, 3]).status).toBe('succeeded');
  });

  it('undoes a failed step that was passed over, when it goes back after all', () => {
    const play = held().do(skip('b')).do(ROLLBACK);
    expect(play.sent).toEqual(['undo_b']);
  });

  it('rolls back when a person says so', () => {
    const play = held().do(ROLLBACK);
    expect(play.status).toBe('rolling_back');
    expect(play.sent).toEqual(['undo_b']);
    succeed(succeed(play, undo(1)), undo(0));
    expect(play.status).toBe('rolled_back');
  });

  it('has all of its time once more when a person lets it go on', () => {
    const play = held({ timeoutMs: 1_000 });
    expect(play.task.wakeAt).toBeNull();
    play.do(RETRY, START + 5_000);
    expect(play.status).toBe('running');
    play.do(TICK, START + 6_000);
    expect(play.task.turned?.why).toBe('task_timed_out');
  });

  it('waits until each of several failures is settled', () => {
    const steps = [step('a', []), step('b', []), step('c', [0, 1])];
    const play = new Play({ steps, onFailure: HOLD });
    fail(fail(play, normal(0)), normal(1)).do(skip('a'));
    expect(play.status).toBe('on_hold');
    expect(play.do(skip('b')).status).toBe('running');
    expect(play.sent).toEqual(['c']);
  });

  it('lets what runs beside the failed step end, and follows it once it goes on', () => {
    const steps = [step('a', []), step('b', []), step('c', [1])];
    const play = new Play({ steps, onFailure: HOLD });
    const token = take(play, normal(1));
    fail(play, normal(0));
    play.do({ kind: 'succeeded', ...normal(1), token, output: null });
    expect(play.sent).toEqual([]);
    expect([...play.do(RETRY).sent].sort()).toEqual(['a', 'c']);
  });

  it('is reset to a step, but not past another one that failed', () => {
    const steps = [step('a', []), step('b', []), step('c', [0])];
    const reset = (to: string): TaskEvent => ({ kind: 'reset_requested', ...person, to });
    const play = new Play({ steps, onFailure: HOLD });
    fail(fail(play, normal(0)), normal(1));
    const message = 'reset would leave the failed step b as it is: retry or skip it first';
    const refusal = { kind: 'refused', code: 'ILLEGAL_ACTION', message };
    expect(play.decide(reset('a'))).toEqual(refusal);
    play.do(skip('b')).do(reset('a'));
    expect(play.sent).toEqual(['undo_a']);
    expect(succeed(play, undo(0)).sent).toEqual(['a']);
    expect(play.task.runs[0]?.generation).toBe(2);
  });

  it('tries a group again that failed for good, as a new try', () => {
    const play = new Play({ steps: [GROUP], onFailure: HOLD });
    fail(play, normal(1));
    expect(play.status).toBe('running');
    succeed(play, undo(1));
    expect(play.status).toBe('on_hold');
    expect(play.do(RETRY).sent).toEqual(['x']);
    expect(play.task.scopes[0]?.round).toBe(2);
    expect(succeed(play, normal(1)).status).toBe('succeeded');
  });

  it('is on hold again after a rollback in it that failed was skipped', () => {
    const play = new Play({ steps: [GROUP, step('b', [])], onFailure: HOLD });
    fail(fail(play, normal(2)), normal(1));
    fail(play, undo(2));
    expect(play.status).toBe('rollback_failed');
    play.do(skip('g#1/x'));
    expect(play.status).toBe('on_hold');
    expect(play.task.message).toBe('step b failed: no');
    expect(play.task.alert?.dueAt).toBeNull();
  });
});

describe('a person has a task go back down to a step', () => {
  const back = (): Play => {
    const play = toTheEnd(new Play({ steps: CHAIN }), [0, 1, 2]);
    return play.do(backTo('b'));
  };

  it('undoes that step and what needs it, and then waits', () => {
    const play = back();
    expect(play.status).toBe('rolling_back');
    expect(play.sent).toEqual(['undo_c']);
    succeed(succeed(play, undo(2)), undo(1));
    expect(play.status).toBe('on_hold');
    expect(play.task.hold).toEqual({ why: 'requested', by: 'ann', until: null });
    expect(play.task.message).toBe('rolled back to step b by ann: seen');
    expect(play.task.runs[0]?.rollback?.state).toBe('none');
    expect(play.task.wakeAt).toBeNull();
  });

  it('goes forward again from there by new runs', () => {
    const play = succeed(succeed(back(), undo(2)), undo(1)).do(RETRY);
    expect(play.status).toBe('running');
    expect(play.sent).toEqual(['b']);
    expect(play.task.runs[1]?.generation).toBe(2);
    expect(toTheEnd(play, [1, 2, 3]).status).toBe('succeeded');
  });

  it('or goes all the way back', () => {
    const play = succeed(succeed(back(), undo(2)), undo(1)).do(ROLLBACK);
    expect(play.sent).toEqual(['undo_a']);
    expect(succeed(play, undo(0)).status).toBe('rolled_back');
  });

  it('or further back', () => {
    const play = succeed(succeed(back(), undo(2)), undo(1)).do(backTo('a'));
    expect(play.sent).toEqual(['undo_a']);
    expect(succeed(play, undo(0)).status).toBe('on_hold');
    expect(play.do(RETRY).sent).toEqual(['a']);
  });

  it('but not to another one beside it', () => {
    const steps = [step('a', []), step('b', []), step('c', [0, 1])];
    const play = succeed(succeed(new Play({ steps }), normal(0)), normal(1)).do(backTo('a'));
    succeed(play, undo(0));
    expect(play.decide(backTo('b'))).toMatchObject({
      code: 'ILLEGAL_ACTION',
      message: 'rollback would leave step a rolled back: retry first, or go back further',
    });
  });

  it('only to a step that was reached', () => {
    expect(back().decide(backTo('a'))).toMatchObject({ kind: 'refused' });
    const play = new Play({ steps: CHAIN });
    take(play, normal(0));
    expect(play.decide(backTo('b'))).toMatchObject({ code: 'ILLEGAL_ACTION' });
    expect(play.decide(backTo('x'))).toMatchObject({ code: 'NO_SUCH_STEP' });
  });

  it('goes all the way back when a step that went on beside it fails', () => {
    const steps = [step('a', []), step('b', [])];
    const play = succeed(new Play({ steps }), normal(0));
    const token = take(play, normal(1));
    succeed(play.do(backTo('a')), undo(0));
    expect(play.status).toBe('on_hold');
    const failure = { terminal: true, failure: 'FAILED', message: 'no' } as const;
    play.do({ kind: 'failed', ...normal(1), token, ...failure });
    expect(play.status).toBe('rolling_back');
    expect(play.sent).toEqual(['undo_b']);
  });
});

describe('a step that failed beside the part that went back, in a task whose flow says hold', () => {
  const besideFailed = (): Play => {
    const play = new Play({ steps: [step('a', []), step('b', [])], onFailure: HOLD });
    const token = take(succeed(play, normal(0)), normal(1));
    succeed(play.do(backTo('a')), undo(0));
    const failure = { terminal: true, failure: 'FAILED', message: 'no' } as const;
    return play.do({ kind: 'failed', ...normal(1), token, ...failure });
  };

  it('is not undone while the task waits for the person', () => {
    const play = besideFailed();
    expect(play.status).toBe('on_hold');
    expect(play.task.runs[1]?.rollback?.state).toBe('none');
  });

  it('goes on in its own run, because what that did is still to be undone', () => {
    const play = besideFailed().do(RETRY);
    expect([...play.sent].sort()).toEqual(['a', 'b']);
    expect(play.task.runs.map(({ generation }) => generation)).toEqual([2, 1]);
    expect(toTheEnd(play, [0, 1]).status).toBe('succeeded');
    play.do({ kind: 'undo_requested', ...person });
    expect(play.sent).toContain('undo_b');
  });
});

describe('a person undoes a task that succeeded', () => {
  it('and it goes back as if it had failed at its very end', () => {
    const play = toTheEnd(new Play(), [0, 1]);
    expect(play.status).toBe('succeeded');
    play.do({ kind: 'undo_requested', ...person });
    expect(play.status).toBe('rolling_back');
    expect(play.sent).toEqual(['undo_b']);
    succeed(succeed(play, undo(1)), undo(0));
    expect(play.status).toBe('rolled_back');
    expect(play.task.message).toBe('undone by ann: seen');
  });

  it('and no other one', () => {
    expect(new Play().decide({ kind: 'undo_requested', ...person })).toMatchObject({
      code: 'ILLEGAL_ACTION',
      message: 'undo is legal while a task is succeeded; this one is not_started',
    });
  });
});

describe('a step that a person passes over ahead of its time', () => {
  it('lets what needs it start once its own needs are met', () => {
    const play = new Play({ steps: CHAIN }).do(skip('b', { ip: '10.0.0.2' })).do(skip('c'));
    expect(play.sent).toEqual([]);
    expect(succeed(play, normal(0)).sent).toEqual(['d']);
    expect(succeed(play, normal(3)).status).toBe('succeeded');
  });

  it('is not undone, as it was never started', () => {
    const play = new Play({ steps: CHAIN }).do(skip('b'));
    succeed(succeed(play, normal(0)), normal(2)).do(ROLLBACK);
    expect(play.sent).toEqual(['undo_c']);
    expect(succeed(play, undo(2)).sent).toEqual(['undo_a']);
  });

  it('may be the one that is about to start, and the last one', () => {
    const play = new Play().do(skip('a'));
    expect(play.sent).toEqual(['b']);
    expect(play.do(skip('b')).status).toBe('succeeded');
  });

  it('has not been started', () => {
    const play = new Play({ steps: CHAIN });
    take(play, normal(0));
    expect(play.decide(skip('a'))).toMatchObject({
      message:
        'only a step that was not started, or for which the task is on hold, can be skipped; ' +
        'a is running',
    });
  });
});
