import { expect, it } from '@jest/globals';
import type { StepPlan } from '../flow/flow.js';
import { runIdOf } from '../scopes/run-id.js';
import { Play, step } from './play-spec.js';

/** The next action that is queued ends. */
function end(play: Play, kind: 'succeeded' | 'failed'): string {
  const [next] = play.last.queued;
  if (next === undefined) throw new Error('nothing is queued');
  play.do({ kind: 'claimed', ...next.ref, attempt: next.attempt, owner: 'e' });
  const report = { ...next.ref, token: play.task.token };
  const id = `${next.action.command} ${runIdOf(play.task, next.ref.step)}`;
  if (kind === 'succeeded') play.do({ kind, ...report, output: null });
  else play.do({ kind, ...report, terminal: true, failure: 'FAILED', message: 'no' });
  return id;
}

it('a step that was undone and whose catch failed is retried as a new run, and undone again', () => {
  const caught = { errors: ['*'], as: null, steps: [step('c', [])] };
  const steps: StepPlan[] = [{ ...step('a', []), catch: [caught] }, step('b', [0])];
  const play = new Play({ steps, onFailure: { holdMs: null } });
  const first = ['failed', 'succeeded', 'failed', 'succeeded'] as const;
  const told = first.map((kind) => end(play, kind));
  expect(told).toEqual(['a a', 'undo_a a', 'c a#catch/c', 'undo_c a#catch/c']);
  expect(play.status).toBe('on_hold');
  play.do({ kind: 'retry_requested', actor: 'ann', reason: 'why', key: null });
  expect(end(play, 'succeeded')).toBe('a a~2');
  expect(end(play, 'failed')).toBe('b b');
  play.do({ kind: 'rollback_requested', actor: 'ann', reason: 'why', key: null });
  expect([end(play, 'succeeded'), end(play, 'succeeded')]).toEqual(['undo_b b', 'undo_a a~2']);
  expect(play.status).toBe('rolled_back');
});

it('a step that was undone and had no room for its catch is retried as a new run', () => {
  const caught = { errors: ['*'], as: null, steps: [step('c', [])] };
  const steps: StepPlan[] = [{ ...step('a', []), catch: [caught] }];
  const play = new Play({ steps, onFailure: { holdMs: null }, runs: 2 });
  expect([end(play, 'failed'), end(play, 'succeeded')]).toEqual(['a a', 'undo_a a']);
  expect(play.status).toBe('on_hold');
  play.do({ kind: 'retry_requested', actor: 'ann', reason: 'why', key: null });
  expect(end(play, 'succeeded')).toBe('a a~2');
  play.do({ kind: 'undo_requested', actor: 'ann', reason: 'why', key: null });
  expect(end(play, 'succeeded')).toBe('undo_a a~2');
});
