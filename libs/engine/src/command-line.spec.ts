import { describe, expect, it } from '@jest/globals';
import { PlainSecrets } from '#testing';
import { lineOf } from './command-line.js';
import { OpenedSecrets } from './opened-secrets.js';

const hostile = {
  get size(): never {
    throw new Error('not now');
  },
};
const circular: Record<string, unknown> = {};
circular['own'] = circular;

describe('a line of a command', () => {
  it('has its words, its level and its details as JSON', () => {
    const details = { level: 'warn', at: new Date(0), none: undefined, list: [1] } as const;
    expect(lineOf('ordered', details, null)).toEqual({
      level: 'warn',
      message: 'ordered',
      details: { at: '1970-01-01T00:00:00.000Z', list: [1] },
    });
    expect(lineOf('ordered', {}, null)).toEqual({ level: 'info', message: 'ordered', details: {} });
  });

  it('has an error among its details as its stack trace', () => {
    const { details } = lineOf('failed', { error: new Error('busy') }, null);
    expect(details['error']).toMatch(/^Error: busy\n +at .*command-line\.spec/);
  });

  it('has no secret that its attempt was given', () => {
    const secrets = new PlainSecrets();
    const opened = new OpenedSecrets(secrets, 'task-1');
    opened.open({ password: secrets.seal('my "secret" word', 'task-1') });
    const details = { to: ['my "secret" word'], 'my "secret" word': 12_345_678 };
    expect(lineOf('with my "secret" word', details, opened)).toMatchObject({
      message: 'with ***',
      details: { to: ['***'], '***': 12_345_678 },
    });
  });

  it.each([
    ['what cannot be read', hostile],
    ['what holds itself', circular],
    ['a number that JSON has not', { n: 1n }],
    ['too much', { text: 'x'.repeat(20_000) }],
  ])('says why it has no details of %s', (_what, details) => {
    expect(lineOf('x'.repeat(20_000), details, null)).toEqual({
      level: 'info',
      message: `${'x'.repeat(16_383)}…`,
      details: { left_out: expect.any(String) },
    });
  });
});
