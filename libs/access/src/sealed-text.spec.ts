import { describe, expect, it } from '@jest/globals';
import { CannotUnseal, TextSeal } from './sealed-text.js';

const [OLD, NEW] = ['11'.repeat(32), '22'.repeat(32)];
let seals = 0;
const chance = (): string => Buffer.alloc(12, (seals += 1)).toString('base64url');

describe('a sealed text', () => {
  it('is read again by whoever has the key, and tells nothing of itself', () => {
    const seal = new TextSeal([NEW]);
    const sealed = seal.seal('hunter2 – ß', 'db-1', chance());
    expect(sealed).not.toContain('hunter2');
    expect(sealed).not.toContain(Buffer.from('hunter2').toString('base64url'));
    expect(seal.unseal(sealed, 'db-1')).toBe('hunter2 – ß');
    expect(seal.seal('hunter2 – ß', 'db-1', chance())).not.toBe(sealed);
  });

  it('is sealed with the first key and read with each', () => {
    const before = new TextSeal([OLD]).seal('a', 'db-1', chance());
    const turned = new TextSeal([NEW, OLD]);
    expect(turned.unseal(before, 'db-1')).toBe('a');
    const after = turned.seal('b', 'db-1', chance());
    expect(new TextSeal([NEW]).unseal(after, 'db-1')).toBe('b');
    expect(() => new TextSeal([OLD]).unseal(after, 'db-1')).toThrow(CannotUnseal);
  });

  it('is of no use in the place of another', () => {
    const seal = new TextSeal([NEW]);
    const sealed = seal.seal('a', 'db-1', chance());
    expect(() => seal.unseal(sealed, 'db-2')).toThrow(CannotUnseal);
  });

  it('is not read where one bit of it was changed, or something is missing', () => {
    const seal = new TextSeal([NEW]);
    const sealed = seal.seal('a secret', 'db-1', chance());
    const [version, id, body = ''] = sealed.split('.');
    const bytes = Buffer.from(body, 'base64url');
    for (let place = 0; place < bytes.length; place += 1) {
      const changed = Buffer.from(bytes);
      changed[place]! ^= 1;
      const text = `${version}.${id}.${changed.toString('base64url')}`;
      expect(() => seal.unseal(text, 'db-1')).toThrow(CannotUnseal);
    }
    for (const text of ['', 'v1', `v1.${id}`, `v2.${id}.${body}`, sealed.slice(0, -4)]) {
      expect(() => seal.unseal(text, 'db-1')).toThrow(CannotUnseal);
    }
  });

  it('is not made without enough chance, or without a key', () => {
    expect(() => new TextSeal([NEW]).seal('a', 'b', 'AAAA')).toThrow('too short');
    expect(() => new TextSeal([]).seal('a', 'b', chance())).toThrow('no key');
  });
});
