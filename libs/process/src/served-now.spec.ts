import { expect, it } from '@jest/globals';
import type { KnownCommands } from '#flow-files';
import { MemoryStore } from '#testing';
import { servedNow } from './process-evaluator.js';

const NOW = 10_000_000;
const MINUTE_MS = 60_000;

const SCHEMA = { properties: { size: { type: 'integer' } } };
const catalogue = {
  modules: () => ['own'],
  commands: () => ['here'],
  parametersOf: () => SCHEMA,
  outputOf: () => null,
};

/** The commands that steps may use where the executor of `other` was seen last at a moment. */
async function commandsWith(seenAt: number): Promise<KnownCommands> {
  const parameters = { there: SCHEMA };
  const record = { module: 'other', commands: ['there'], parameters, seenAt };
  const { commands } = await servedNow({
    catalogue: catalogue as never,
    clock: { now: () => NOW },
    records: new MemoryStore().records,
    registry: { listKnown: (since) => Promise.resolve((seenAt >= since ? [record] : []) as never) },
  });
  return commands;
}

it('steps wait for an executor that is silent or stopped for a while', async () => {
  expect((await commandsWith(NOW - 59 * MINUTE_MS)).modules()).toEqual(['own', 'other']);
});

it('one that was silent for an hour is gone', async () => {
  expect((await commandsWith(NOW - 61 * MINUTE_MS)).modules()).toEqual(['own']);
});

it('constants of steps are held against what commands say they take', async () => {
  const commands = await commandsWith(NOW);
  expect(commands.schemas?.('own', 'here')).toEqual([SCHEMA]);
  expect(commands.schemas?.('other', 'there')).toEqual([SCHEMA]);
  expect(commands.isPartial).toBeUndefined();
});
