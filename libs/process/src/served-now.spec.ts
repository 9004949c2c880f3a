import { expect, it } from '@jest/globals';
import { MemoryStore } from '#testing';
import { servedNow } from './process-evaluator.js';

const NOW = 10_000_000;
const MINUTE_MS = 60_000;

const catalogue = { modules: () => ['own'], commands: () => ['here'] };

/** The modules that steps may use where the executor of `other` was seen last at a moment. */
async function modulesWith(seenAt: number): Promise<readonly string[]> {
  const record = { module: 'other', commands: ['there'], seenAt };
  const { commands } = await servedNow({
    catalogue: catalogue as never,
    clock: { now: () => NOW },
    records: new MemoryStore().records,
    registry: {
      listKnown: (since) => Promise.resolve((seenAt >= since ? [record] : []) as never),
    },
  });
  return commands.modules();
}

it('steps wait for an executor that is silent or stopped for a while', async () => {
  expect(await modulesWith(NOW - 59 * MINUTE_MS)).toEqual(['own', 'other']);
});

it('one that was silent for an hour is gone', async () => {
  expect(await modulesWith(NOW - 61 * MINUTE_MS)).toEqual(['own']);
});
