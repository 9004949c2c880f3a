import { describe, expect, it } from '@jest/globals';
import { FakeEntropy } from './fake-entropy.js';

describe('FakeEntropy', () => {
  it('gives the same numbers for the same seed, and others for another', () => {
    const draw = (seed: number): number[] => {
      const entropy = new FakeEntropy(seed);
      return Array.from({ length: 5 }, () => entropy.random());
    };
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });

  it('stays in [0, 1) and fills it evenly', () => {
    const entropy = new FakeEntropy();
    const drawn = Array.from({ length: 10_000 }, () => entropy.random());
    expect(drawn.every((number) => number >= 0 && number < 1)).toBe(true);
    const mean = drawn.reduce((sum, number) => sum + number, 0) / drawn.length;
    expect(mean).toBeCloseTo(0.5, 1);
  });

  it('gives ids that grow as text and look like UUIDs', () => {
    const entropy = new FakeEntropy();
    const ids = Array.from({ length: 300 }, () => entropy.newId());
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
