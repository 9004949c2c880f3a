import { describe, expect, it } from '@jest/globals';
import { createTask } from './create-task.js';
import { DEFAULT_TIMING } from '../task/event.js';
import { parametersAt } from '../values/parameters.js';
import { statusName } from '../task/status.js';
import { Play, START, step } from './play-spec.js';
import { stepsUpTo } from '../flow/only-step.js';

// a ─ b ─ d
//  └─ c ─┘   e
const STEPS = [step('a', []), step('b', [0]), step('c', [0]), step('d', [1, 2]), step('e', [])];

const FAILURE = { kind: 'failed', terminal: true, failure: 'FAILED', message: 'no' } as const;

const REST = { description: null, input: null, timeoutMs: null, failureFlow: 'report' };
const DEFINITION = { name: 'f', steps: STEPS, output: { all: '{% $ %}' }, ...REST };

function taskOf(only: string, given = {}) {
  const moment = { now: START, chance: 0, timing: DEFAULT_TIMING };
  const request = { parameters: { size: 3 }, only: { step: only, given } };
  return createTask({ definition: DEFINITION, version: 1 }, request, { taskId: 't', moment });
}

describe('one step by itself', () => {
  it('has the steps before it, in their order, and needs as they were', () => {
    const shown = stepsUpTo(DEFINITION, 'd')?.map(({ name, needs }) => ({ name, needs }));
    expect(shown).toEqual([
      { name: 'a', needs: [] },
      { name: 'b', needs: [0] },
      { name: 'c', needs: [0] },
      { name: 'd', needs: [1, 2] },
    ]);
    expect(stepsUpTo(DEFINITION, 'd')).toBe(stepsUpTo(DEFINITION, 'd'));
    expect(stepsUpTo(DEFINITION, 'e')?.map(({ name }) => name)).toEqual(['e']);
    expect(stepsUpTo(DEFINITION, 'f')).toBeNull();
  });

  it('is queued at once, and sees what is given for the steps before it', () => {
    const { queued, task } = taskOf('d', { a: { host: 'h1' }, c: { port: 1 } });
    expect(queued.map(({ ref }) => ref)).toEqual([{ direction: 'normal', step: 3 }]);
    expect(parametersAt(task, { direction: 'normal', step: 3 })).toEqual({
      size: 3,
      host: 'h1',
      port: 1,
    });
    const states = task.runs.map(({ normal }) => normal.state);
    expect(states).toEqual(['skipped', 'skipped', 'skipped', 'queued']);
  });

  it('starts no failure flow and gives no output of the flow', () => {
    const { plan } = taskOf('a').task;
    expect(plan.failureFlow).toBeNull();
    expect(plan.steps.map(({ name }) => name)).toEqual(['a']);
  });

  it.each([
    { ends: 'succeeds', how: { kind: 'succeeded', output: null }, status: 'succeeded' },
    { ends: 'is undone alone once it failed', how: FAILURE, status: 'rolled_back' },
  ] as const)('$ends', ({ how, status }) => {
    const play = new Play();
    const made = taskOf('d', { a: { host: 'h1' } });
    [play.last, play.task] = [made, made.task];
    const ref = { direction: 'normal', step: 3 } as const;
    play.do({ kind: 'claimed', ...ref, attempt: 1, owner: 'o' });
    play.do({ ...how, ...ref, token: 1 });
    if (status === 'rolled_back') {
      const undo = { direction: 'rollback', step: 3 } as const;
      expect(play.last.queued.map((queued) => queued.ref)).toEqual([undo]);
      play.do({ kind: 'claimed', ...undo, attempt: 1, owner: 'o' });
      play.do({ kind: 'succeeded', ...undo, token: 2, output: null });
    }
    expect(statusName(play.task.status)).toBe(status);
  });
});
