import { describe, expect, it } from '@jest/globals';
import { SealedTokens, SignedTexts } from './signed-texts.js';

const [OLD, NEW] = ['11'.repeat(32), '22'.repeat(32)];
const TEXT = JSON.stringify(['a task', 3, 'init_instance', 'h\u00f6st/1']);

function textsOf(shared: string, keys: readonly string[] | null = null): SignedTexts {
  return new SignedTexts({ keys, shared });
}

const texts = textsOf('secret');
const signed = texts.sign(TEXT);

describe('a signed text', () => {
  it('comes back as it was, and fits into an address', () => {
    expect(signed).toMatch(/^bsw_[\w.-]+$/);
    expect(textsOf('secret').read(signed)).toBe(TEXT);
  });

  it('is refused with any of its letters changed, left out or added', () => {
    for (let at = 0; at < signed.length; at += 1) {
      const other = signed[at] === 'A' ? 'B' : 'A';
      const [before, after] = [signed.slice(0, at), signed.slice(at + 1)];
      expect(texts.read(before + other + after)).toBeNull();
      expect(texts.read(before + after)).toBeNull();
    }
    for (const more of [`${signed}A`, `A${signed}`, `${signed}=`, '', 'bsw_.']) {
      expect(texts.read(more)).toBeNull();
    }
  });

  it('is not one of another deployment', () => {
    expect(texts.read(textsOf('other').sign(TEXT))).toBeNull();
  });

  it('with a key is made by the first and read by each, and not with the store alone', () => {
    const before = textsOf('secret', [OLD]).sign(TEXT);
    const turned = textsOf('secret', [NEW, OLD]);
    expect(turned.read(before)).toBe(TEXT);
    expect(textsOf('secret', [OLD]).read(turned.sign(TEXT))).toBeNull();
    expect(turned.read(signed)).toBeNull();
  });
});

const CLAIM = { taskId: 't', run: 'poll#3/check', direction: 'normal', attempt: 2 } as const;
const tokens = tokensOf('secret');
const token = tokens.tokenOf(CLAIM);

function tokensOf(shared: string, keys: readonly string[] | null = null): SealedTokens {
  return new SealedTokens({ keys, shared });
}

describe('a completion token', () => {
  it('tells the attempt to whoever has the secret, and is always the same', () => {
    expect(token).toMatch(/^bsc_n2_[\w-]{43}$/);
    expect(tokensOf('secret').tokenOf(CLAIM)).toBe(token);
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
    expect(tokens.read(tokensOf('other').tokenOf(CLAIM), CLAIM)).toBeNull();
  });

  it('with a key is made by the first and read by each, in its deployment alone', () => {
    const before = tokensOf('secret', [OLD]).tokenOf(CLAIM);
    const turned = tokensOf('secret', [NEW, OLD]);
    expect(turned.read(before, CLAIM)).toMatchObject({ attempt: 2 });
    const after = turned.tokenOf(CLAIM);
    expect(tokensOf('secret', [NEW]).read(after, CLAIM)).toMatchObject({ attempt: 2 });
    expect(tokensOf('secret', [OLD]).read(after, CLAIM)).toBeNull();
    expect(tokensOf('other', [NEW]).read(after, CLAIM)).toBeNull();
  });

  it('with a key is not made by who has the store alone', () => {
    expect(tokensOf('secret', [NEW]).read(token, CLAIM)).toBeNull();
    expect(tokens.read(tokensOf('secret', [NEW]).tokenOf(CLAIM), CLAIM)).toBeNull();
  });
});
