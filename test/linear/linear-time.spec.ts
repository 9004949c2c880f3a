import { describe, expect, it } from '@jest/globals';
import { expectLinear, timeGrowth } from './linear-time.js';

describe('the check for linear time', () => {
  const make = (size: number): string => `${'0'.repeat(size)}1`;
  /** A machine that does something else may hide a growth once. */
  const TRIES = [1, 2, 3, 4, 5];
  const lookAgain = (text: string): string => text.replace(/0+$/, '');

  it('passes what looks at each letter once', () => {
    expect(() =>
      expectLinear({ make, read: (text) => text.split('').length, size: 40_000 }),
    ).not.toThrow();
  });

  it('passes what looks at each letter once and has a fixed cost besides', () => {
    const fixed = make(2_000);
    const read = (text: string): number => lookAgain(fixed).length + text.split('').length;
    expect(() => expectLinear({ make, read, size: 40_000 })).not.toThrow();
  });

  it('catches an expression that looks again from each letter', () => {
    const growths = TRIES.map(() => timeGrowth({ make, read: lookAgain, size: 16_000 }));
    expect(Math.max(...growths)).toBeGreaterThan(10);
    expect(faultOf(lookAgain)).toMatch(
      /^sizes 500 to 4000: [\d.]+ times the time in two doublings, at most \d+\.\d\d$/,
    );
  });

  it('measures what throws', () => {
    const read = (text: string): never => {
      lookAgain(text);
      throw new Error('no');
    };
    expect(faultOf(read)).toContain('times the time');
  });

  function faultOf(read: (text: string) => unknown): string | null {
    for (const _try of TRIES) {
      try {
        expectLinear({ make, read, size: 4_000 });
      } catch (error) {
        return (error as Error).message;
      }
    }
    return null;
  }
});
