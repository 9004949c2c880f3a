import { describe, expect, it } from '@jest/globals';
import { RetryableError, TerminalError } from './command-error.js';
import { failureOutcome } from './failure-outcome.js';

describe('an error that says that nothing was done', () => {
  it.each([true, false])('is refused if that is %s', (noEffect) => {
    const final = failureOutcome(new TerminalError('no', { code: 'FULL', noEffect }));
    const passing = failureOutcome(new RetryableError('no', { noEffect, after: 2 }));
    const refused = noEffect ? { refused: true } : {};
    const failed = { kind: 'failed', failure: 'FAILED', message: 'no' };
    expect(final).toMatchObject({ ...failed, ...refused, error: 'FULL', terminal: true });
    expect(passing).toMatchObject({ ...failed, ...refused, afterMs: 2_000, terminal: false });
    for (const one of [final, passing]) expect('refused' in one).toBe(noEffect);
  });

  it('is one of Backstep: a member of any other error says nothing', () => {
    const error = Object.assign(new Error('no'), { noEffect: true });
    expect(failureOutcome(error)).not.toHaveProperty('refused');
  });
});
