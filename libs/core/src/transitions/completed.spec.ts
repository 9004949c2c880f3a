import { describe, expect, it } from '@jest/globals';
import type { Completed } from '../task/event.js';
import type { StepPlan } from '../flow/flow.js';
import { Play, START, step } from './play-spec.js';

const HOUR_MS = 3_600_000;
const FAILURE = { failure: 'FAILED', error: 'QUOTA', message: 'no room' } as const;

type Half = 'normal' | 'rollback';

function claim(play: Play, attempt = 1, direction: Half = 'normal'): Play {
  return play.do({ kind: 'claimed', direction, step: 0, attempt, owner: 'e' });
}

function later(play: Play, timeoutMs: number | null, direction: Half = 'normal'): Play {
  const { token } = play.task;
  return play.do({ kind: 'completes_later', direction, step: 0, token, timeoutMs });
}

function waiting(timeoutMs: number | null = null): Play {
  return later(claim(new Play()), timeoutMs);
}

function said(result: Completed['result'], more: Partial<Completed> = {}): Completed {
  const key = JSON.stringify(result);
  const from = { actor: 'provider', reason: '', key } as const;
  return { kind: 'completed', direction: 'normal', step: 0, attempt: 1, ...from, result, ...more };
}

const DONE = said({ output: { host: 'h' } });

describe('an attempt that completes later', () => {
  it('waits in the hands of nobody here, at most for as long as its action may take', () => {
    const { task } = waiting(HOUR_MS);
    expect(task.runs[0]?.normal).toMatchObject({
      state: 'waiting',
      lease: null,
      look: 'outside',
      dueAt: START + 60_000,
      message: 'waits for its completion from outside',
    });
    expect(task.wakeAt).toBe(START + 60_000);
  });

  it('ends with the output that somebody outside gives, and the task goes on', () => {
    const { task } = waiting().do(DONE);
    expect(task.runs[0]?.normal).toMatchObject({ state: 'succeeded', output: { host: 'h' } });
    expect(task.runs[0]?.normal.message).toBeNull();
    expect(task.runs[1]?.normal.state).toBe('queued');
    expect(task.journal.at(-1)).toMatchObject({ kind: 'succeeded', actor: 'provider' });
  });

  it('is not completed once its error was caught, while the steps run that caught it', () => {
    const clause = { errors: ['*'], as: null, steps: [step('c', [])] };
    const caught = { ...step('a', []), rollback: null, catch: [clause] } as StepPlan;
    const play = claim(new Play({ steps: [caught] }));
    const failed = { kind: 'failed', terminal: true, ...FAILURE } as const;
    play.do({ ...failed, direction: 'normal', step: 0, token: play.task.token });
    expect(play.task.runs[0]?.normal).toMatchObject({ state: 'running', attempts: 1 });
    expect(play.decide(DONE)).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('a is caught'),
    });
  });

  it('may be completed before its command has said so, which then comes too late', () => {
    const play = claim(new Play());
    const { token } = play.task;
    play.do(DONE);
    expect(play.task.runs[0]?.normal.state).toBe('succeeded');
    const report = { direction: 'normal', step: 0, token, timeoutMs: null } as const;
    const late = play.decide({ kind: 'completes_later', ...report });
    expect(late).toEqual({ kind: 'ignored', reason: 'stale_token' });
  });

  it('is completed once: the same again changes nothing, something else is refused', () => {
    const play = waiting().do(DONE);
    expect(play.decide(DONE)).toEqual({ kind: 'ignored', reason: 'repeated' });
    const other = play.decide(said({ output: null }));
    expect(other).toMatchObject({ kind: 'refused', code: 'ILLEGAL_ACTION' });
  });

  it('is tried again where the error may be, and the former attempt has no say any more', () => {
    const play = waiting().do(said({ failure: { terminal: false, ...FAILURE } }));
    expect(play.task.runs[0]?.normal).toMatchObject({
      state: 'waiting',
      look: 'none',
      error: 'QUOTA',
    });
    expect(play.decide(DONE)).toMatchObject({ kind: 'refused' });
    play.do({ kind: 'tick', crowded: new Map() }, START + 1_000);
    claim(play, 2);
    later(play, null);
    expect(play.decide(DONE)).toMatchObject({
      message: 'complete needs an attempt that is under way; attempt 2 of a is waiting',
    });
    play.do({ ...DONE, attempt: 2 });
    expect(play.task.runs[0]?.normal.state).toBe('succeeded');
  });

  it('that failed for good turns the task back, its own rollback first', () => {
    const { sent, status } = waiting().do(said({ failure: { terminal: true, ...FAILURE } }));
    expect([status, sent]).toEqual(['rolling_back', ['undo_a']]);
  });

  it('has timed out when nobody says in time how it ended, after its retries', () => {
    const play = waiting(5_000).do({ kind: 'tick', crowded: new Map() }, START + 5_000);
    expect(play.task.runs[0]?.normal).toMatchObject({ state: 'waiting', code: 2, look: 'none' });
    play.do({ kind: 'tick', crowded: new Map() }, START + 6_000);
    later(claim(play, 2), 5_000);
    play.do({ kind: 'tick', crowded: new Map() }, START + 11_000);
    expect(play.task.runs[0]?.normal).toMatchObject({ state: 'timed_out', code: 2 });
    expect(play.status).toBe('rolling_back');
    expect(play.decide({ ...DONE, attempt: 2 })).toMatchObject({ kind: 'refused' });
  });

  it('is called off with its scope, and nothing that is said of it counts any more', () => {
    const person = { actor: 'p', reason: 'r', key: null };
    const play = waiting().do({ kind: 'rollback_requested', ...person });
    expect(play.task.runs[0]?.normal.state).toBe('terminated');
    expect(play.sent).toEqual(['undo_a']);
    expect(play.decide(DONE)).toMatchObject({ kind: 'refused' });
  });

  it('may be a rollback', () => {
    const person = { actor: 'p', reason: 'r', key: null };
    const play = waiting().do({ kind: 'rollback_requested', ...person });
    later(claim(play, 1, 'rollback'), null, 'rollback');
    expect(play.task.runs[0]?.rollback?.state).toBe('waiting');
    play.do(said({ output: { lost: true } }, { direction: 'rollback' }));
    expect(play.task.runs[0]?.rollback).toMatchObject({ state: 'succeeded', output: null });
    expect(play.status).toBe('rolled_back');
  });

  it('keeps its wait through a pause, and may be completed in it', () => {
    const person = { actor: 'p', reason: 'r', key: null };
    const play = waiting(5_000).do({ kind: 'pause_requested', ...person });
    expect(play.task.wakeAt).toBeNull();
    play.do(DONE);
    expect([play.status, play.task.runs[0]?.normal.state]).toEqual(['paused', 'succeeded']);
  });

  it('is remembered by the newest fifty only', () => {
    const play = waiting();
    for (let nth = 0; nth < 60; nth += 1) {
      const failure = { terminal: false, ...FAILURE, message: `no ${nth}`, afterMs: 0 };
      play.task = { ...play.task, runs: waiting().task.runs, way: 'forward' };
      play.do(said({ failure }));
    }
    const kept = play.task.doneActions.filter(({ action }) => action === 'complete');
    expect(kept).toHaveLength(50);
  });
});
