import { describe, expect, it } from '@jest/globals';
import { ownBackOff } from './back-off-rules.js';
import { parse, readSourceTree } from './source-tree.js';

describe('a wait that grows', () => {
  it('is worked out in one place', () => {
    expect(readSourceTree().flatMap(ownBackOff)).toEqual([]);
  });

  it.each([
    'const ms = firstMs * 2 ** failures;',
    'const ms = Math.pow(2, tries) * 100;',
    'for (let waitMs = 2; ; waitMs *= 2) await sleep(waitMs);',
    'this.delay *= GROWS;',
    'this.pauseMs = Math.min(this.pauseMs * 2, MOST);',
    'await clock.sleep(random() * Math.min(MOST, 5 * conflicts));',
  ])('is seen in `%s`', (text) => {
    expect(ownBackOff(parse('libs/engine/src/a.ts', text))).not.toEqual([]);
    expect(ownBackOff(parse('apps/oss/src/a.ts', text))).not.toEqual([]);
    expect(ownBackOff(parse('libs/core/src/task/retry-delay.ts', text))).toEqual([]);
    expect(ownBackOff(parse('libs/engine/src/a.spec.ts', text))).toEqual([]);
  });

  it.each([
    'const ms = growingDelay({ firstMs, maxMs }, failures);',
    'const FRACTION_MAX = 2 ** 50;',
    'const waitMs = seconds * 1_000;',
    'const larger = size * 2;',
    'const inAll = attemptSeconds * attempts;',
    'this.waitMs = 2 * other;',
  ])('is not seen in `%s`', (text) => {
    expect(ownBackOff(parse('libs/engine/src/a.ts', text))).toEqual([]);
  });
});
