import { expect, it } from '@jest/globals';
import { EvaluatorUnavailable, StoreUnavailable, TransportUnavailable } from '#ports';
import { RecordingObserver } from '#testing';
import type { Claim } from './claim.js';
import { noticeBroken, noticeWaiting } from './step-runner.js';

const claim = { context: { module: 'lab', step: 'a', taskId: 't' } } as Claim;

it.each([
  [new StoreUnavailable('x'), 'warn', ['outcome_waits', 'next_step_waits']],
  [new TransportUnavailable('x'), 'warn', ['outcome_waits', 'next_step_waits']],
  [new EvaluatorUnavailable('x'), 'warn', ['outcome_waits', 'next_step_waits']],
  [new TypeError('x'), 'error', ['internal_error', 'internal_error']],
])('%s after a command is told as %s', (error, level, names) => {
  const observer = new RecordingObserver();
  noticeWaiting(observer, claim, error);
  noticeBroken(observer, claim, error);
  expect(observer.notices.map((notice) => [notice.level, notice.name])).toEqual(
    names.map((name) => [level, name]),
  );
});
