import { expect, it } from '@jest/globals';
import type { ExecutorRecord } from '#ports';
import { ManualClock, RecordingObserver } from '#testing';
import { UnheardModules } from './unheard-modules.js';

it('modules whose executors live without a subscription are told of, seen twice', async () => {
  const record = (module: string): ExecutorRecord => ({
    ...{ instance: `${module}-1`, module, version: '1', host: 'h', pid: 1, commands: [] },
    ...{ since: 0, seenAt: 0, busy: 0, slots: 1 },
  });
  const receivers = new Map<string, number | null>([
    ['a', 0],
    ['b', 1],
    ['c', null],
  ]);
  const unheard = new UnheardModules({
    clock: new ManualClock(),
    observer: new RecordingObserver(),
    list: async () => ['c', 'b', 'a', 'a'].map(record),
    transport: { receivers: async (module) => receivers.get(module) ?? null },
  });
  await unheard.tick();
  expect(unheard.notes()).toEqual([]);
  await unheard.tick();
  expect(unheard.notes()).toEqual([
    'degraded: executors of a live, and none is subscribed to its queue; their /readyz says why',
  ]);
  receivers.set('a', 1);
  await unheard.tick();
  expect(unheard.notes()).toEqual([]);
});
