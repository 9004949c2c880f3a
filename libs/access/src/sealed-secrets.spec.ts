import { describe, expect, it } from '@jest/globals';
import { isSealed } from '#core/secrets';
import { CannotOpenSecret } from '#ports';
import { SealedSecrets } from './sealed-secrets.js';

const [OLD, NEW] = ['11'.repeat(32), '22'.repeat(32)];
let seals = 0;
const chance = (): string => Buffer.alloc(12, (seals += 1)).toString('base64url');

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
