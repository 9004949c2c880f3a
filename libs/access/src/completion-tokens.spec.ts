import { describe, expect, it } from '@jest/globals';
import { SealedTokens } from './completion-tokens.js';

const CLAIM = { taskId: 't', run: 'poll#3/check', direction: 'normal', attempt: 2 } as const;
const tokens = new SealedTokens('secret');
const token = tokens.tokenOf(CLAIM);

describe('a completion token', () => {
  it('tells the attempt to whoever has the secret, and is always the same', () => {
    expect(token).toMatch(/^bsc_n2_[\w-]{43}$/);
    expect(new SealedTokens('secret').tokenOf(CLAIM)).toBe(token);
    expect(tokens.read(token, CLAIM)).toEqual({ direction: 'normal', attempt: 2 });
    const undo = tokens.tokenOf({ ...CLAIM, direction: 'rollback' });
    expect(tokens.read(undo, CLAIM)).toEqual({ direction: 'rollback', attempt: 2 });
  });

  it.each([
    ['another run', { ...CLAIM, run: 'poll#2/check' }],
    ['another task', { ...CLAIM, taskId: 'u' }],
  ])('is none of %s', (_what, of) => {
    expect(tokens.read(token, of)).toBeNull();
  });

  it.each([
    ['another attempt', token.replace('n2', 'n3')],
    ['the other direction', token.replace('n2', 'r2')],
    ['another code', `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`],
    ['no code', 'bsc_n2_'],
    ['no token', ''],
  ])('that was changed to %s is none', (_what, changed) => {
    expect(tokens.read(changed, CLAIM)).toBeNull();
  });

  it('of another secret is none', () => {
    expect(tokens.read(new SealedTokens('other').tokenOf(CLAIM), CLAIM)).toBeNull();
  });
});
