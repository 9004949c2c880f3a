import { describe, expect, it } from '@jest/globals';
import { SignedTexts } from './signed-texts.js';

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
