import { pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { secondNest } from '../../../test/package/second-nest.js';
import { REPOSITORY } from '../../../test/stack/index.js';
import { failureOutcome } from './failure-outcome.js';
import { outputOutcome } from './command-call.js';

type Copy = typeof import('./index.js') & typeof import('#ports');
type Internals = typeof import('./command-error.js');

/** The build has, beside the sources, classes with the names and members of ours. */
async function secondCopy(): Promise<Copy & Internals & typeof import('@nestjs/common')> {
  const built = (file: string): Promise<object> =>
    import(new URL(`dist/libs/${file}`, pathToFileURL(`${REPOSITORY}/`)).href) as Promise<object>;
  const copy = {
    ...(await built('executor/src/index.js')),
    ...(await built('ports/src/index.js')),
    ...(await built('executor/src/command-error.js')),
    ...(await secondNest()),
  };
  return copy as Copy & Internals & typeof import('@nestjs/common');
}

const theirs = await secondCopy();
const own = await import('./index.js');

describe("another copy's", () => {
  it('classes are not these', () => {
    expect(new theirs.TerminalError('no')).not.toBeInstanceOf(own.TerminalError);
  });

  it.each([
    ['TerminalError', new theirs.TerminalError('no'), { kind: 'failed', terminal: true }],
    [
      'RetryableError',
      new theirs.RetryableError('no', { after: '3s' }),
      { kind: 'failed', terminal: false, afterMs: 3_000 },
    ],
    [
      'TerminalError with a code',
      new theirs.TerminalError('no', { code: 'QUOTA' }),
      { kind: 'failed', terminal: true, error: 'QUOTA' },
    ],
    [
      'RetryableError with a code',
      new theirs.RetryableError('no', { code: 'NO_HOST_2' }),
      { kind: 'failed', terminal: false, error: 'NO_HOST_2' },
    ],
    [
      'InvalidParametersError',
      new theirs.InvalidParametersError('no'),
      { kind: 'failed', terminal: true, failure: 'INVALID_PARAMETERS', refused: true },
    ],
    ['StoreUnavailable', new theirs.StoreUnavailable('no'), { kind: 'not_finished' }],
    ['NotFoundException', new theirs.NotFoundException('no'), { kind: 'failed', terminal: true }],
    ['ConflictException', new theirs.ConflictException('no'), { terminal: false }],
    [
      'UnprocessableEntityException',
      new theirs.UnprocessableEntityException('no'),
      { terminal: true, failure: 'INVALID_PARAMETERS' },
    ],
    ['Error', new Error('no'), { kind: 'failed', terminal: false }],
  ])('%s means what ours means', (_name, error, outcome) => {
    expect(failureOutcome(error)).toMatchObject({ ...outcome, message: 'no' });
  });

  it.each(['quota', '', '2_MANY', 'A B', `A${'B'.repeat(64)}`, 5 as unknown as string])(
    'error that is given %p as its code keeps its kind, and says what is wrong',
    (code) => {
      const outcome = failureOutcome(new theirs.TerminalError('no host', { code }));
      const message = expect.stringMatching(/is no code of an error .*: no host$/);
      expect(outcome).toMatchObject({ kind: 'failed', terminal: true, message });
      expect(outcome).not.toHaveProperty('error');
    },
  );

  it.each([
    ['an error of a driver', Object.assign(new Error('no'), { code: 'ECONNRESET' })],
    ['an error without a code', new theirs.TerminalError('no')],
    ['a code that was put there', Object.assign(new theirs.TerminalError('no'), { code: 'x y' })],
  ])('code is not taken from %s', (_name, error) => {
    expect(failureOutcome(error)).not.toHaveProperty('error');
  });

  it('lookAgain means what ours means', () => {
    const outcome = { kind: 'not_finished', afterMs: 5_000 };
    expect(outputOutcome(theirs.lookAgain('5s'), 100)).toEqual(outcome);
  });
});
