import { describe, expect, it } from '@jest/globals';
import { newSecret } from '#machine';
import { MemoryStore } from '#testing';
import { openSeals } from './open-ports.js';

const KEY = '11'.repeat(32);
const CLAIM = { taskId: 't', run: 'ask#1', direction: 'normal', attempt: 1 } as const;
const chance = (): string => newSecret().secret;

describe('the seals of a store', () => {
  it.each([[null], [[KEY]]])(
    'are the same in all processes with it, by the keys %j',
    async (keys) => {
      const store = new MemoryStore().records;
      const [one, other] = [await openSeals(keys, store), await openSeals(keys, store)];
      const token = one.completionTokens.tokenOf(CLAIM);
      expect(other.completionTokens.read(token, CLAIM)).toMatchObject({ attempt: 1 });
      const sealed = one.channelSeal.seal('whsec_1', 'rule', chance());
      expect(other.channelSeal.unseal(sealed, 'rule')).toBe('whsec_1');
    },
  );

  it('need the key where one was set, and not only what is in the store', async () => {
    const store = new MemoryStore().records;
    const [thief, keyed] = [await openSeals(null, store), await openSeals([KEY], store)];
    const forged = thief.completionTokens.tokenOf(CLAIM);
    expect(keyed.completionTokens.read(forged, CLAIM)).toBeNull();
    const sealed = keyed.channelSeal.seal('whsec_1', 'rule', chance());
    expect(() => thief.channelSeal.unseal(sealed, 'rule')).toThrow('not known here');
    // A channel that was sealed before the key was set can still be read.
    const before = thief.channelSeal.seal('whsec_0', 'rule', chance());
    expect(keyed.channelSeal.unseal(before, 'rule')).toBe('whsec_0');
  });
});
