import { describe, expect, it } from '@jest/globals';
import { NO_RETRY } from '../flow/action.js';
import type { TaskEvent } from '../task/event.js';
import type { StepPlan } from '../flow/flow.js';
import { placeOf } from './run-id.js';
import { Play, START, step } from '../transitions/play-spec.js';

/** Claims a run and reports how its command ended. */
function end(play: Play, id: string, kind: 'succeeded' | 'failed'): void {
  const ref = { direction: 'normal', step: placeOf(play.task, id) ?? -1 } as const;
  const { attempts } = play.task.runs[ref.step]!.normal;
  play.do({ kind: 'claimed', ...ref, attempt: attempts + 1, owner: 'e' });
  const report = { ...ref, token: play.task.token };
  if (kind === 'succeeded') play.do({ kind, ...report, output: null });
  else play.do({ kind, ...report, terminal: true, failure: 'FAILED', message: 'no' });
}

const TICK: TaskEvent = { kind: 'tick', crowded: new Map() };

const OVER = START + 1_000;

/** A task whose point of no return is passed, and in which the rollback of a caught step failed. */
function rollbackFailed(of: { inner?: number; outer?: number }): Play {
  const q = { ...step('q', [0]), optional: true } as StepPlan;
  const steps = [pivot('p'), q, step('r', [1])];
  const group = { group: steps, retry: NO_RETRY, timeoutMs: of.inner ?? null };
  const all = [{ name: 's', needs: [], ...group } as StepPlan];
  const play = new Play({ steps: all, timeoutMs: of.outer ?? null });
  end(play, 's#1/p', 'succeeded');
  end(play, 's#1/q', 'failed');
  return endUndo(play, false);
}

function endUndo(play: Play, isDone: boolean, now = START): Play {
  const ref = { direction: 'rollback', step: placeOf(play.task, 's#1/q') ?? -1 } as const;
  const attempt = play.task.runs[ref.step]!.rollback!.attempts + 1;
  play.do({ kind: 'claimed', ...ref, attempt, owner: 'e' }, now);
  const report = { ...ref, token: play.task.token };
  if (isDone) return play.do({ kind: 'succeeded', ...report, output: null }, now);
  const failure = { kind: 'failed', terminal: true, failure: 'FAILED', message: 'no' } as const;
  return play.do({ ...report, ...failure }, now);
}

function pivot(name: string): StepPlan {
  return { ...step(name, []), pivot: true };
}

describe('a point of no return that was passed', () => {
  it.each(['cancel', 'wait'] as const)('holds what fails in a branch beside it (%s)', (how) => {
    const parallel = [
      { name: 'a', steps: [pivot('p'), step('q', [0])] },
      { name: 'b', steps: [step('x', [])] },
    ];
    const play = new Play({ steps: [{ name: 's', needs: [], parallel, onBranchFailure: how }] });
    end(play, 's#a/p', 'succeeded');
    end(play, 's#b/x', 'failed');
    expect(play.status).toBe('on_hold');
    expect(play.task.scopes.map(({ way }) => way)).toEqual(['forward', 'forward']);
    play.do({ kind: 'retry_requested', actor: 'ann', reason: 'why', key: null });
    end(play, 's#b/x', 'succeeded');
    end(play, 's#a/q', 'succeeded');
    expect(play.status).toBe('succeeded');
  });

  it('holds what fails in a later round', () => {
    const steps = [pivot('p')];
    const loop = { steps, while: null, until: '{% $index > 0 %}', max: 2, delay: null };
    const play = new Play({ steps: [{ name: 's', needs: [], loop }] });
    end(play, 's#1/p', 'succeeded');
    const { ref, id } = play.asked;
    play.do({ kind: 'answered', ...ref, question: id, answer: { values: { until: false } } });
    end(play, 's#2/p', 'failed');
    expect(play.status).toBe('on_hold');
    expect(play.task.scopes.map(({ way }) => way)).toEqual(['forward', 'forward']);
  });

  it('holds a loop whose rounds were not enough, which a person tries again or passes over', () => {
    const steps = [{ ...pivot('p'), rollback: null } as StepPlan];
    const loop = { steps, while: null, until: '{% done %}', max: 2, delay: null };
    const play = new Play({ steps: [{ name: 's', needs: [], loop }, step('z', [0])] });
    const answer = (until: boolean) => {
      const { ref, id } = play.asked;
      play.do({ kind: 'answered', ...ref, question: id, answer: { values: { until } } });
    };
    const fails = (rounds: readonly string[]) => {
      for (const round of rounds) {
        end(play, `s#${round}/p`, 'succeeded');
        answer(false);
      }
      expect(play.status).toBe('on_hold');
      expect(play.task.message).toBe('step s failed: 2 rounds were not enough for step s');
      expect(play.task.runs[0]!.normal).toMatchObject({ state: 'failed', code: 10 });
    };
    fails(['1', '2']);
    const person = { actor: 'ann', reason: 'why', key: null };
    play.do({ kind: 'retry_requested', ...person });
    expect(play.status).toBe('running');
    fails(['3', '4']);
    play.do({ kind: 'skip_requested', ...person, step: 's', output: { rounds: 9 } });
    expect([play.status, play.sent]).toEqual(['running', ['z']]);
    expect(play.task.runs[0]!.normal.output).toEqual({ rounds: 9 });
    end(play, 'z', 'succeeded');
    expect(play.status).toBe('succeeded');
  });

  it('lets a branch go back where it had failed before', () => {
    const parallel = [
      { name: 'a', steps: [{ ...pivot('p'), rollback: null } as StepPlan] },
      { name: 'b', steps: [{ ...step('x', []), rollback: null } as StepPlan] },
    ];
    const all = { parallel, onBranchFailure: 'wait' } as const;
    const play = new Play({ steps: [{ name: 's', needs: [], ...all }] });
    end(play, 's#b/x', 'failed');
    end(play, 's#a/p', 'succeeded');
    expect(play.status).toBe('rolled_back');
  });

  it('has a refusal name the step down to which the task can go, beside what goes on', () => {
    const steps = [pivot('p'), step('x', [0]), step('y', [0]), step('z', [2])];
    const play = new Play({ steps });
    for (const id of ['p', 'x', 'y']) end(play, id, 'succeeded');
    const person = { kind: 'rollback_requested', actor: 'ann', reason: 'why', key: null } as const;
    expect(play.decide(person)).toMatchObject({ code: 'ILLEGAL_ACTION', to: 'x' });
    end(play, 'z', 'failed');
    expect(play.decide(person)).toMatchObject({ code: 'ILLEGAL_ACTION', to: 'y' });
    expect(play.decide({ ...person, to: 'x' }).kind).toBe('refused');
    play.do({ ...person, to: 'y' });
    expect(play.sent).toEqual(['undo_z']);
  });

  it.each([
    ['a group', { inner: 1_000 }, 'step s timed out'],
    ['the task', { outer: 1_000 }, 'the task as a whole timed out'],
  ])('calls for a failed rollback before the end of the time of %s', (_, times, message) => {
    const play = rollbackFailed(times);
    expect(play.status).toBe('rollback_failed');
    // The group is looked at, the task is not: neither asks for a look that changes nothing.
    if (play.decide(TICK, OVER).kind === 'moved') play.do(TICK, OVER);
    expect(play.status).toBe('rollback_failed');
    expect(play.decide(TICK, OVER)).toMatchObject({ kind: 'ignored' });
    play.do({ kind: 'retry_requested', actor: 'ann', reason: 'why', key: null }, OVER);
    endUndo(play, true, OVER);
    expect(play.status).toBe('running');
    expect(play.do(TICK, OVER).task).toMatchObject({ message, hold: { why: 'step_failed' } });
  });
});
