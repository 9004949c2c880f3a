import { describe, expect, it } from '@jest/globals';
import { hiddenInput } from './determinism-rules.js';
import { parse, readSourceTree } from './source-tree.js';

describe('time and chance', () => {
  it('come as arguments everywhere but in the platform and in tests', () => {
    expect(readSourceTree().flatMap(hiddenInput)).toEqual([]);
  });

  it.each([
    'const a = Date.now();',
    'const clock = { now: Date.now };',
    'const a = new Date();',
    'const a = Date();',
    'const a = Math.random();',
    'const a = performance.now();',
    'const signal = AbortSignal.timeout(10);',
    'const signal = AbortSignal.any([a, b]);',
    'const a = process.hrtime.bigint();',
    'const a = crypto.randomUUID();',
    "import { randomUUID as id } from 'node:crypto';",
    "import { v7 } from 'uuid';",
  ])('are seen in `%s`', (text) => {
    expect(hiddenInput(parse('libs/core/src/a.ts', text))).toHaveLength(1);
    expect(hiddenInput(parse('apps/oss/src/a.ts', text))).toHaveLength(1);
    expect(hiddenInput(parse('libs/machine/src/a.ts', text))).toEqual([]);
  });

  it.each(['const a = new Date(0);', 'clock.now();', 'entropy.randomUUID();'])(
    'are not seen in `%s`',
    (text) => {
      expect(hiddenInput(parse('libs/core/src/a.ts', text))).toEqual([]);
    },
  );

  it('include bare timers where loops sleep on the clock', () => {
    const text = 'setTimeout(go, 1);';
    expect(hiddenInput(parse('libs/engine/src/a.ts', text))).toHaveLength(1);
    expect(hiddenInput(parse('libs/transport-rabbitmq/src/a.ts', text))).toEqual([]);
  });
});
