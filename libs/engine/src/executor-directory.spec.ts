import { expect, it } from '@jest/globals';
import { ManualClock, MemoryStore, ScriptedCommands } from '#testing';
import { ExecutorDirectory } from './executor-directory.js';

const BUILD = { version: 'test', host: 'localhost', pid: 1 };

it('asks anew who is there when its answer is old, though the clock was set back', async () => {
  const clock = new ManualClock();
  const registry = new MemoryStore();
  const parts = { registry, catalogue: new ScriptedCommands([]), clock };
  const directory = new ExecutorDirectory(parts, { owner: 'here', build: BUILD });
  clock.misset(3_600_000);
  expect(await directory.hasElsewhere('m', 'a')).toBe(false);
  clock.misset(0);
  await clock.advance(5_000);
  const record = { instance: 'there', module: 'm', commands: ['a'], ...BUILD };
  await registry.announce({ ...record, seenAt: clock.now() });
  expect(await directory.hasElsewhere('m', 'a')).toBe(true);
});
