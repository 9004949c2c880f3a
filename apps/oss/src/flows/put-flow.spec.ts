import { expect, it } from '@jest/globals';
import { EVERYBODY } from '#access';
import type { KnownCommands } from '#flow-files';
import { knownTo } from './put-flow.js';

const ANNOUNCED: KnownCommands = {
  modules: () => ['m', 'n'],
  commands: () => ['check'],
  schemas: () => [{ required: ['a'] }],
  outputs: () => [{ properties: { host: {} }, additionalProperties: false }],
  hasAny: (module) => module === 'n',
};

it('a key for some modules gets the same findings in them as any other', async () => {
  const options = {
    announced: { fresh: () => Promise.resolve(ANNOUNCED) },
    flows: { list: () => [], defaults: () => [] },
  } as unknown as Parameters<typeof knownTo>[0];
  const { commands } = await knownTo(options, { ...EVERYBODY, modules: ['m'] });
  expect([commands?.modules(), commands?.isPartial]).toEqual([['m'], true]);
  for (const of of ['schemas', 'outputs'] as const) {
    expect(commands?.[of]?.('m', 'check')).toEqual(ANNOUNCED[of]?.('m', 'check'));
  }
  expect(commands?.hasAny?.('n')).toBe(true);
});
