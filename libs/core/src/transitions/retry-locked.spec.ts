import { expect, it } from '@jest/globals';
import { NO_RETRY } from '../flow/action.js';
import type { StepPlan } from '../flow/flow.js';
import { Play, step } from './play-spec.js';

/** Takes the locks that the task waits for. */
function lock(play: Play): Play {
  const [ticket] = play.task.locks.filter(({ heldAt }) => heldAt === null);
  if (ticket === undefined) throw new Error('nothing waits for a lock');
  return play.do({ kind: 'locks_held', number: ticket.number });
}

it('a step that let go of its locks as it failed waits for them once it is retried', () => {
  const group = { group: [step('x', [])], retry: NO_RETRY, timeoutMs: null };
  const locked: StepPlan = { name: 'g', needs: [], ...group, locks: [{ name: 'l', slots: 1 }] };
  const play = lock(new Play({ steps: [locked], onFailure: { holdMs: null } }));
  const end = (kind: 'failed' | 'succeeded') => {
    const [next] = play.last.queued;
    if (next === undefined) throw new Error('nothing is queued');
    play.do({ kind: 'claimed', ...next.ref, attempt: next.attempt, owner: 'e' });
    const report = { ...next.ref, token: play.task.token };
    if (kind === 'succeeded') play.do({ kind, ...report, output: null });
    else play.do({ kind, ...report, terminal: true, failure: 'FAILED', message: 'no' });
  };
  end('failed');
  end('succeeded');
  expect([play.status, play.task.locks]).toEqual(['on_hold', []]);
  play.do({ kind: 'retry_requested', actor: 'ann', reason: 'why', key: null });
  expect([play.sent, play.task.runs[0]?.normal.state]).toEqual([[], 'pending']);
  lock(play);
  expect(play.sent).toEqual(['x']);
  end('succeeded');
  expect(play.status).toBe('succeeded');
});
