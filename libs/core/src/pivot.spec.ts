import { describe, expect, it } from '@jest/globals';
import type { StepPlan } from './flow.js';
import { placeOf } from './run-id.js';
import { Play, step } from './transitions/play-spec.js';

/** What the command of a run comes to. */
function end(play: Play, id: string, kind: 'succeeded' | 'failed'): void {
  const ref = { direction: 'normal', step: placeOf(play.task, id) ?? -1 } as const;
  const { attempts } = play.task.runs[ref.step]!.normal;
  play.do({ kind: 'claimed', ...ref, attempt: attempts + 1, owner: 'e' });
  const report = { ...ref, token: play.task.token };
  if (kind === 'succeeded') play.do({ kind, ...report, output: null });
  else play.do({ kind, ...report, terminal: true, failure: 'FAILED', message: 'no' });
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
});
