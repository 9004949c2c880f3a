import { describe, expect, it } from '@jest/globals';
import type { TaskEvent } from '../task/event.js';
import { Play, START } from './play-spec.js';

const person = { actor: 'ann', reason: 'maintenance', key: null };
const PAUSE: TaskEvent = { kind: 'pause_requested', ...person };
const RESUME: TaskEvent = { kind: 'resume_requested', ...person };
const TICK: TaskEvent = { kind: 'tick', crowded: new Map() };

const A = { direction: 'normal', step: 0 } as const;
const UNDO_A = { direction: 'rollback', step: 0 } as const;
const take = (ref: typeof A | typeof UNDO_A, attempt = 1): TaskEvent => {
  return { kind: 'claimed', ...ref, attempt, owner: 'e' };
};
const done = (ref: typeof A | typeof UNDO_A, token: number): TaskEvent => {
  return { kind: 'succeeded', ...ref, token, output: null };
};
const fails = (ref: typeof A | typeof UNDO_A, token: number, terminal: boolean): TaskEvent => {
  return { kind: 'failed', ...ref, token, terminal, failure: 'FAILED', message: 'no' };
};

describe('a paused task', () => {
  it('lets what runs end, and starts what follows once it is resumed', () => {
    const play = new Play().do(take(A)).do(PAUSE);
    expect(play.status).toBe('paused');
    expect(play.task.paused).toEqual({ at: START, by: 'ann', reason: 'maintenance' });
    play.do(done(A, 1));
    expect([play.status, play.sent, play.task.wakeAt]).toEqual(['paused', [], null]);
    play.do(RESUME);
    expect([play.status, play.sent]).toEqual(['running', ['b']]);
    expect(play.task.paused).toBeNull();
  });

  it('gives nobody what was queued, and sends it again once it is resumed', () => {
    const play = new Play().do(PAUSE);
    expect(play.decide(take(A))).toEqual({ kind: 'ignored', reason: 'paused' });
    expect(play.decide(TICK, START + 3_600_000)).toEqual({
      kind: 'ignored',
      reason: 'nothing_due',
    });
    const restart: TaskEvent = { kind: 'restarted', owner: 'next life' };
    expect(play.decide(restart)).toEqual({ kind: 'ignored', reason: 'nothing_due' });
    play.do(RESUME, START + 3_600_000);
    expect([play.status, play.sent]).toEqual(['not_started', ['a']]);
    play.do(take(A), START + 3_600_000);
    expect(play.status).toBe('running');
  });

  it('keeps the next attempt waiting, with the time that was left when the pause began', () => {
    const play = new Play()
      .do(take(A))
      .do(PAUSE)
      .do(fails(A, 1, false));
    expect([play.task.runs[0]?.normal.state, play.task.wakeAt]).toEqual(['waiting', null]);
    const late = START + 3_600_000;
    play.do(RESUME, late);
    expect(play.task.runs[0]?.normal.deadline).toBe(late + 60_000);
    expect(play.do(TICK, late).sent).toEqual(['a']);
  });

  it('does not go on going back', () => {
    const play = new Play().do(take(A)).do(done(A, 1));
    play.do({ kind: 'rollback_requested', ...person }).do(PAUSE);
    expect(play.decide(take(UNDO_A))).toEqual({ kind: 'ignored', reason: 'paused' });
    expect(play.decide({ kind: 'rollback_requested', ...person })).toMatchObject({
      kind: 'refused',
      code: 'ILLEGAL_ACTION',
    });
    expect(play.do(RESUME).sent).toEqual(['undo_a']);
    expect(play.status).toBe('rolling_back');
  });

  it('turns round when it is asked to, and goes back once it is resumed', () => {
    const play = new Play().do(take(A)).do(done(A, 1)).do(PAUSE);
    play.do({ kind: 'rollback_requested', ...person });
    expect([play.status, play.task.way, play.sent]).toEqual(['paused', 'back', []]);
    expect(play.do(RESUME).sent).toEqual(['undo_a']);
  });

  it('turns round when the time for the whole task is over', () => {
    const play = new Play({ timeoutMs: 90_000 }).do(PAUSE);
    expect(play.task.wakeAt).toBe(START + 90_000);
    play.do(TICK, START + 90_000);
    expect([play.status, play.task.way]).toEqual(['paused', 'back']);
    expect(play.do(RESUME, START + 90_000).status).toBe('rolled_back');
  });

  it('calls a person about a rollback that fails, and is paused still when it was retried', () => {
    const play = new Play().do(take(A)).do(done(A, 1));
    play
      .do({ kind: 'rollback_requested', ...person })
      .do(take(UNDO_A))
      .do(PAUSE);
    play.do(fails(UNDO_A, 2, true));
    expect([play.status, play.task.alert?.looks]).toEqual(['rollback_failed', 1]);
    expect(play.decide(RESUME)).toMatchObject({ kind: 'refused', code: 'ILLEGAL_ACTION' });
    play.do({ kind: 'retry_requested', ...person });
    expect([play.status, play.sent]).toEqual(['paused', []]);
    expect(play.do(RESUME).sent).toEqual(['undo_a']);
  });

  it('asks nobody again, as a person wants, before it is resumed', () => {
    const approve = { title: 'may it?', roles: [], timeoutMs: 60_000, onTimeout: 'fail' } as const;
    const steps = [{ name: 'w', needs: [], approve, rollback: null }];
    const play = new Play({ steps, onFailure: { holdMs: null } }).do(PAUSE);
    play.do({ kind: 'judged', ...person, step: 'w', isApproved: false });
    expect(play.status).toBe('on_hold');
    play.do({ kind: 'retry_requested', ...person }, START + 70_000);
    expect([play.status, play.task.runs[0]?.normal.state]).toEqual(['paused', 'pending']);
    play.do(RESUME, START + 100_000);
    expect(play.task.runs[0]?.normal).toMatchObject({ state: 'waiting', dueAt: START + 160_000 });
  });

  it('is terminated like any other, and then no longer paused', () => {
    const play = new Play().do(PAUSE).do({ kind: 'terminate_requested', ...person });
    expect([play.status, play.task.paused]).toEqual(['terminated', null]);
  });

  it('ends what was lost with its process only once it is resumed', () => {
    const play = new Play().do(take(A)).do(PAUSE);
    play.do({ kind: 'tick', crowded: new Map(), ended: new Set(['e']) });
    expect(play.task.way).toBe('back');
    expect([play.status, play.sent]).toEqual(['paused', []]);
    expect(play.do(RESUME).sent).toEqual(['undo_a']);
  });
});
