import { describe, expect, it } from '@jest/globals';
import type { JsonObject, Outcome } from '#core';
import { isSealed } from '#core/secrets';
import { PlainSecrets } from '#testing';
import { OpenedSecrets } from './opened-secrets.js';

const secrets = new PlainSecrets();

/** The secrets of an attempt that was given these. */
function openedWith(...values: readonly (string | number | JsonObject)[]): OpenedSecrets {
  const opened = new OpenedSecrets(secrets, 'task-1');
  opened.open(
    Object.fromEntries(values.map((value, n) => [`p${n}`, secrets.seal(value, 'task-1')])),
  );
  return opened;
}

function outputOf(opened: OpenedSecrets, output: JsonObject, names: readonly string[] = []) {
  return (opened.close({ kind: 'succeeded', output }, names) as { output: JsonObject }).output;
}

describe('the secrets of an attempt', () => {
  it('are opened wherever they stand, also in each other', () => {
    const opened = new OpenedSecrets(secrets, 'task-1');
    const inner = secrets.seal('inner-secret', 'task-1');
    const sealed = secrets.seal({ list: [inner] }, 'task-1');
    expect(opened.open({ a: [{ b: sealed }], c: 1 })).toEqual({
      a: [{ b: { list: ['inner-secret'] } }],
      c: 1,
    });
  });

  it('are masked in what it says, as they are, in JSON, in addresses and line by line', () => {
    const opened = openedWith('pass "word"/1', 'first line-0\nsecond line');
    const said = [
      'with pass "word"/1',
      JSON.stringify('pass "word"/1'),
      encodeURIComponent('pass "word"/1'),
      'second line',
    ];
    expect(said.map((text) => opened.masked(text))).toEqual(['with ***', '"***"', '***', '***']);
  });

  it.each([
    [
      ['my-pa', 'ssword'],
      ['***', '***'],
    ],
    [
      ['a my-', 'pass', 'word b'],
      ['a ***', '***', '*** b'],
    ],
    [
      ['my-password', 'my-', 'password'],
      ['***', '***', '***'],
    ],
    [
      ['none', 'at all'],
      ['none', 'at all'],
    ],
  ])('are masked where they are split over texts that belong together: %j', (texts, masked) => {
    expect(openedWith('my-password').maskedAll(texts)).toEqual(masked);
  });

  it('are masked in its output, in names and numbers too', () => {
    const opened = openedWith('long-enough', 1234567890, { key: 'in-an-object' });
    const output = { a: ['x long-enough'], 'long-enough': 1234567890, c: { d: 'in-an-object' } };
    expect(outputOf(opened, output)).toEqual({ a: ['x ***'], '***': '***', c: { d: '***' } });
  });

  it('that are shorter than 8 characters are not looked for', () => {
    expect(outputOf(openedWith('short-7'), { a: 'short-7' })).toEqual({ a: 'short-7' });
  });

  it('are masked in the stack trace of a failure, line by line', () => {
    const opened = openedWith('first line-0\nsecond line');
    const failed = { kind: 'failed', terminal: true, failure: 'FAILED', message: 'no' } as const;
    const stack = 'Error: first line-0\nsecond line\n    at order (second line.ts:3:1)';
    const masked = 'Error: ***\n    at order (***.ts:3:1)';
    expect(opened.close({ ...failed, stack }, [])).toEqual({ ...failed, stack: masked });
  });

  it('are masked in failures, also where the message was cut in one', () => {
    const opened = openedWith('a-very-long-secret');
    const failed = { kind: 'failed', terminal: true, failure: 'FAILED' } as const;
    const messageOf = (message: string): unknown => {
      return (opened.close({ ...failed, message }, []) as { message: string }).message;
    };
    expect(messageOf('no a-very-long-secret here')).toBe('no *** here');
    expect(messageOf('no a-very-lo…')).toBe('no ***…');
    expect(messageOf('no …')).toBe('no …');
  });

  it('of its output are sealed by their names, and masked elsewhere in it', () => {
    const opened = new OpenedSecrets(secrets, 'task-1');
    const output = { token: 'issued-token', url: '?t=issued-token', none: null };
    const closed = outputOf(opened, output, ['token', 'none', 'absent']);
    expect(closed).toMatchObject({ url: '?t=***', none: null });
    expect(isSealed(closed['token'])).toBe(true);
    expect(secrets.open(closed['token'] as string, 'task-1')).toBe('issued-token');
    expect(opened.hasSealed).toBe(true);
  });

  it('leave an outcome alone that says nothing', () => {
    const outcomes: Outcome[] = [
      { kind: 'succeeded', output: null },
      { kind: 'completes_later', timeoutMs: null },
    ];
    for (const outcome of outcomes)
      expect(openedWith('long-enough').close(outcome, [])).toBe(outcome);
  });
});
