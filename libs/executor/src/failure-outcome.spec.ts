import { describe, expect, it } from '@jest/globals';
import { ConflictException } from '@nestjs/common';
import { RpcException } from '@nestjs/microservices';
import { RetryableError, TerminalError } from './command-error.js';
import { failureOutcome } from './failure-outcome.js';

it('has a message that is cut between two characters', () => {
  const { message } = failureOutcome(new Error('\u{1f600}'.repeat(300))) as { message: string };
  expect(message).toBe(`${'\u{1f600}'.repeat(249)}…`);
});

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

describe('the outcome of an error that was thrown on purpose', () => {
  class QuotaExceeded extends TerminalError {}

  it.each([
    ['a final error', new TerminalError('no')],
    ['one of a class of its own', new QuotaExceeded('no')],
    ['an error to try again', new RetryableError('no')],
    ['an exception of Nest', new ConflictException('no')],
    ['a refusal over a transport', new RpcException('no')],
  ])('says so of %s', (_what, error) => {
    expect(failureOutcome(error)).toMatchObject({ stack: expect.any(String), intended: true });
  });

  it.each([
    ['a surprise', new TypeError('no')],
    [
      'a surprise with the name of an answer',
      Object.assign(new Error('no'), { name: 'TerminalError' }),
    ],
    ['an answer with a cause', new TerminalError('no', { cause: new Error('why') })],
  ])('does not say so of %s', (_what, error) => {
    expect(failureOutcome(error)).toMatchObject({ stack: expect.any(String) });
    expect(failureOutcome(error)).not.toHaveProperty('intended');
  });
});
