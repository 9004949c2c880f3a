import { describe, expect, it } from '@jest/globals';
import { claimedActor } from './headers.js';

/** A header as Node gives it: its bytes one by one. */
function asGiven(text: string, encoding: 'latin1' | 'utf8'): string {
  return Buffer.from(text, encoding).toString('latin1');
}

describe('the text of a header', () => {
  it.each<[string, string, 'latin1' | 'utf8']>([
    ['UTF-8', 'Zoë 👩‍🚀', 'utf8'],
    ['UTF-8 with the character that replaces others', 'a\uFFFDé', 'utf8'],
    ['Latin-1', 'Zoë', 'latin1'],
  ])('is read as %s', (_what, text, encoding) => {
    expect(claimedActor({ 'x-backstep-actor': asGiven(text, encoding) })).toBe(text);
  });
});
