import { describe, expect, it } from '@jest/globals';
import type { StepPlan } from '../flow/flow.js';
import { lockQuestion } from '../locks/lock-names.js';
import { normalOf } from '../task/action-ref.js';
import { Play, START, step } from '../transitions/play-spec.js';
import { sceneOf } from './scene.js';

const LATER = START + 3_000;

/** Has the command that was sent last succeed. */
function succeed(play: Play, now = START): Play {
  const [next] = play.last.queued;
  if (next === undefined) throw new Error('nothing is queued');
  play.do({ kind: 'claimed', ...next.ref, attempt: next.attempt, owner: 'e' }, now);
  return play.do({ kind: 'succeeded', ...next.ref, token: play.task.token, output: null }, now);
}

it('a loop asks with the states of the steps of the round that has ended', () => {
  const own = { while: null, until: '{% x %}', delay: null, max: 2 };
  const loop = { name: 'l', needs: [], loop: { steps: [step('look', [])], ...own } } as StepPlan;
  const { scene } = succeed(new Play({ steps: [loop] })).asked;
  expect(scene).toMatchObject({ states: { l: 'running', look: 'succeeded' }, index: 0 });
});

describe('the moment of expressions', () => {
  it('is that at which a step was reached whose locks are named by them', () => {
    const locked = { ...step('b', [0]), locks: [{ name: '{% x %}', slots: 1 }] };
    const { task } = succeed(new Play({ steps: [step('a', []), locked] }), LATER);
    const [ticket] = task.locks;
    if (ticket === undefined) throw new Error('no lock is asked for');
    expect(lockQuestion(task, ticket)?.scene.now).toBe(LATER);
  });

  it('is that at which a step began whose child tasks are given values', () => {
    const each = { in: [1], as: 'item', concurrency: 1, successPercent: 100, parameters: null };
    const foreach = { ...each, steps: [step('x', [])], flow: null };
    const steps = [step('a', []), { name: 'e', needs: [0], foreach } as StepPlan];
    const { task } = succeed(new Play({ steps }), LATER);
    expect(sceneOf(task, normalOf(1)).now).toBe(LATER);
  });
});
