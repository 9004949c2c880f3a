import { expect, it } from '@jest/globals';
import type { StepPlan } from '../flow/flow.js';
import { Play, step } from './play-spec.js';

it('a step that a reset begins anew asks for its locks once', () => {
  const first: StepPlan = { name: 'a', needs: [], set: { size: 1 }, rollback: null };
  const play = new Play({
    steps: [first, { ...step('b', [0]), locks: [{ name: 'l', slots: 1 }] }],
  });
  const lock = () => play.do({ kind: 'locks_held', number: play.task.locks[0]?.number ?? -1 });
  const succeed = () => {
    const [next] = play.last.queued;
    if (next === undefined) throw new Error('nothing is queued');
    play.do({ kind: 'claimed', ...next.ref, attempt: next.attempt, owner: 'e' });
    play.do({ kind: 'succeeded', ...next.ref, token: play.task.token, output: null });
  };
  lock();
  succeed();
  expect(play.status).toBe('succeeded');
  play.do({ kind: 'reset_requested', actor: 'ann', reason: 'why', key: null, to: 'a' });
  lock();
  succeed();
  expect(play.task.locks).toMatchObject([{ run: 'b~2', heldAt: null }]);
  lock();
  expect(play.sent).toEqual(['b']);
});

it('a step that waited for a lock leaves its line where what it needs is begun anew', () => {
  const locks = [{ name: 'l', slots: 1 }];
  const a = { ...step('a', []), locks, rollback: null } as StepPlan;
  const play = new Play({ steps: [a, { ...step('b', [0]), locks }] });
  const lock = () => play.do({ kind: 'locks_held', number: play.task.locks[0]?.number ?? -1 });
  lock();
  const [next] = play.last.queued;
  play.do({ kind: 'claimed', ...next!.ref, attempt: 1, owner: 'e' });
  play.do({ kind: 'succeeded', ...next!.ref, token: play.task.token, output: null });
  expect(play.task.locks).toMatchObject([{ run: 'b' }]);
  play.do({ kind: 'reset_requested', actor: 'ann', reason: 'why', key: null, to: 'a' });
  expect(play.task.locks).toMatchObject([{ run: 'a~2', heldAt: null }]);
});
