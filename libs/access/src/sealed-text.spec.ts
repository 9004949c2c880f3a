import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { isSealed } from '#core/secrets';
import { CannotOpenSecret } from '#ports';
import { fuzzBudget } from '../../../test/fuzz/budget.js';
import { CannotUnseal, type KeyPurpose, SealedSecrets, TextSeal } from './sealed-text.js';

const [OLD, NEW] = ['11'.repeat(32), '22'.repeat(32)];
let seals = 0;
const chance = (): string => Buffer.alloc(12, (seals += 1)).toString('base64url');

function sealWith(keys: readonly string[], purpose: KeyPurpose = 'secrets of tasks'): TextSeal {
  return new TextSeal(keys, purpose);
}

/** Any text, of any length, with characters that end and fill up sealed ones. */
const TEXT = fc.string({ unit: fc.constantFrom('a', '\u0080', '\0', 'ß', '😀'), maxLength: 200 });

describe('a sealed text', () => {
  it('is read again by whoever has the key, and tells nothing of itself', () => {
    const seal = sealWith([NEW]);
    const sealed = seal.seal('hunter2 – ß', 'db-1', chance());
    expect(sealed).not.toContain('hunter2');
    expect(sealed).not.toContain(Buffer.from('hunter2').toString('base64url'));
    expect(seal.unseal(sealed, 'db-1')).toBe('hunter2 – ß');
    expect(seal.seal('hunter2 – ß', 'db-1', chance())).not.toBe(sealed);
  });

  it('is sealed with the first key and read with each', () => {
    const before = sealWith([OLD]).seal('a', 'db-1', chance());
    const turned = sealWith([NEW, OLD]);
    expect(turned.unseal(before, 'db-1')).toBe('a');
    const after = turned.seal('b', 'db-1', chance());
    expect(sealWith([NEW]).unseal(after, 'db-1')).toBe('b');
    expect(() => sealWith([OLD]).unseal(after, 'db-1')).toThrow(CannotUnseal);
  });

  it('is of no use in the place of another', () => {
    const seal = sealWith([NEW]);
    const sealed = seal.seal('a', 'db-1', chance());
    expect(() => seal.unseal(sealed, 'db-2')).toThrow(CannotUnseal);
  });

  it('is not read where one bit of it was changed, or something is missing', () => {
    const seal = sealWith([NEW]);
    const sealed = seal.seal('a secret', 'db-1', chance());
    const [version, id, body = ''] = sealed.split('.');
    const bytes = Buffer.from(body, 'base64url');
    for (let place = 0; place < bytes.length; place += 1) {
      const changed = Buffer.from(bytes);
      changed[place]! ^= 1;
      const text = `${version}.${id}.${changed.toString('base64url')}`;
      expect(() => seal.unseal(text, 'db-1')).toThrow(CannotUnseal);
    }
    for (const text of ['', 'v2', `v2.${id}`, `v1.${id}.${body}`, sealed.slice(0, -4)]) {
      expect(() => seal.unseal(text, 'db-1')).toThrow(CannotUnseal);
    }
  });

  it('is not made without enough chance, or without a key', () => {
    expect(() => sealWith([NEW]).seal('a', 'b', 'AAAA')).toThrow('too short');
    expect(() => sealWith([]).seal('a', 'b', chance())).toThrow('no key');
  });

  it('is read for its owner and its use alone, whatever it is and whoever they are', () => {
    const owners = fc.uniqueArray(fc.string({ maxLength: 40 }), { minLength: 2, maxLength: 2 });
    const isOwners = fc.property(TEXT, owners, (text, [owner = '', other = '']) => {
      const sealed = sealWith([NEW]).seal(text, owner, chance());
      expect(sealWith([OLD, NEW]).unseal(sealed, owner)).toBe(text);
      expect(() => sealWith([NEW]).unseal(sealed, other)).toThrow(CannotUnseal);
      const ofOtherUse = sealWith([NEW], 'notification channels');
      expect(ofOtherUse.knowsKeyOf(sealed)).toBe(false);
      expect(() => ofOtherUse.unseal(sealed, owner)).toThrow(CannotUnseal);
    });
    fc.assert(isOwners, fuzzBudget(400));
  });

  it('does not show how long the text is, but for every 64th byte', () => {
    const seal = sealWith([NEW]);
    const lengthOf = (bytes: number): number => {
      return seal.seal('x'.repeat(bytes), 'db-1', chance()).length;
    };
    const isSame = fc.property(fc.nat(300), fc.nat(63), (from, within) => {
      const start = from - (from % 64);
      expect(lengthOf(start + within)).toBe(lengthOf(start));
      expect(lengthOf(start + 64)).toBeGreaterThan(lengthOf(start));
    });
    fc.assert(isSame, fuzzBudget(200));
  });
});

function whyNot(open: () => unknown): unknown {
  try {
    return open();
  } catch (error) {
    return error;
  }
}

describe('a sealed secret', () => {
  const secrets = new SealedSecrets([NEW, OLD], chance);

  it('is any JSON again for its task alone, and tells nothing of itself', () => {
    const value = { key: ['hunter2', 7, null] };
    const sealed = secrets.seal(value, 'task-1');
    expect(isSealed(sealed)).toBe(true);
    expect(sealed).not.toContain('hunter2');
    expect(secrets.open(sealed, 'task-1')).toEqual(value);
    expect(secrets.seal(value, 'task-1')).not.toBe(sealed);
    expect(whyNot(() => secrets.open(sealed, 'task-2'))).toMatchObject({ isKeyMissing: false });
  });

  it('is sealed with the first key and opened with each', () => {
    const before = new SealedSecrets([OLD], chance).seal('a', 'task-1');
    expect(secrets.open(before, 'task-1')).toBe('a');
    const after = secrets.seal('b', 'task-1');
    const old = new SealedSecrets([OLD], chance);
    expect([secrets.hasKeyOf(after), old.hasKeyOf(after)]).toEqual([true, false]);
    const error = whyNot(() => old.open(after, 'task-1'));
    expect(error).toBeInstanceOf(CannotOpenSecret);
    expect(error).toMatchObject({ isKeyMissing: true });
  });

  it('that was changed is known to be', () => {
    const sealed = secrets.seal('a', 'task-1');
    const other = `${sealed.slice(0, -6)}AAAAAA`;
    expect(whyNot(() => secrets.open(other, 'task-1'))).toMatchObject({ isKeyMissing: false });
  });

  it('has a fingerprint by each key, the same for the same value', () => {
    const both = secrets.fingerprints('hunter2');
    expect(secrets.fingerprints('hunter2')).toEqual(both);
    expect(new SealedSecrets([OLD], chance).fingerprints('hunter2')).toEqual([both[1]]);
    expect(secrets.fingerprints('hunter3')).not.toContain(both[0]);
  });
});
