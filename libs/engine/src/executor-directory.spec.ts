import { expect, it } from '@jest/globals';
import { done, ManualClock, MemoryStore, ScriptedCommands } from '#testing';
import { ExecutorDirectory } from './executor-directory.js';

const BUILD = { version: 'test', host: 'localhost', pid: 1 };
const SETTINGS = { owner: 'here', build: BUILD, concurrency: 4 };

it('asks anew who is there when its answer is old, though the clock was set back', async () => {
  const clock = new ManualClock();
  const registry = new MemoryStore();
  const parts = { registry, catalogue: new ScriptedCommands([]), clock };
  const directory = new ExecutorDirectory(parts, SETTINGS, { inUse: () => 0 });
  clock.misset(3_600_000);
  expect(await directory.hasElsewhere('m', 'a')).toBe(false);
  clock.misset(0);
  await clock.advance(5_000);
  const load = { since: 0, busy: 0, slots: 1 };
  const record = { instance: 'there', module: 'm', commands: ['a'], ...load, ...BUILD };
  await registry.announce({ ...record, seenAt: clock.now() });
  expect(await directory.hasElsewhere('m', 'a')).toBe(true);
});

it('tells since when it is there, and how much it does now', async () => {
  const clock = new ManualClock();
  const registry = new MemoryStore();
  const catalogue = new ScriptedCommands(['m'], []);
  for (const name of ['m.a', 'm.b', 'm.c']) catalogue.scripts.set(name, () => done());
  catalogue.schemas.set('m.a', { type: 'object' });
  catalogue.outputs.set('m.c', { required: ['id'] });
  catalogue.schemas.set('m.b', { description: 'x'.repeat(20_000) });
  const parts = { registry, catalogue, clock };
  let busy = 0;
  const directory = new ExecutorDirectory(parts, SETTINGS, { inUse: () => busy });
  const start = clock.now();
  await directory.tick();
  busy = 3;
  await clock.advance(5_000);
  await directory.tick();
  expect(await directory.list('m')).toEqual([
    {
      instance: 'here',
      module: 'm',
      commands: ['a', 'b', 'c'],
      parameters: { a: { type: 'object' } },
      outputs: { c: { required: ['id'] } },
      since: start,
      seenAt: start + 5_000,
      busy: 3,
      slots: 4,
      ...BUILD,
    },
  ]);
});

it('knows the secret outputs of an executor that has stopped', async () => {
  const clock = new ManualClock();
  const registry = new MemoryStore();
  const parts = { registry, catalogue: new ScriptedCommands([]), clock };
  const directory = new ExecutorDirectory(parts, SETTINGS, { inUse: () => 0 });
  const load = { since: 0, seenAt: clock.now(), busy: 0, slots: 1 };
  const record = { instance: 'there', module: 'm', commands: ['a'], ...load, ...BUILD };
  await registry.announce({ ...record, secrets: { a: ['password'] } });
  await registry.withdraw('there', 'm');
  expect(await directory.secretsOf('m', 'a')).toEqual(['password']);
});
