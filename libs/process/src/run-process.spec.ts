import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '#testing';
import { watchParent } from './run-process.js';

const NPX = { npm_command: 'exec', npm_lifecycle_event: 'npx' };

function watch(env: Record<string, string>) {
  const clock = new ManualClock();
  const parent = { env, ppid: 42 };
  let gone = 0;
  watchParent(parent, clock, () => (gone += 1));
  return { clock, parent, gone: () => gone };
}

describe('a process started by npx', () => {
  it('is told once when its parent is gone', async () => {
    const { clock, gone, parent } = watch(NPX);
    await clock.advance(5_000);
    expect(gone()).toBe(0);
    parent.ppid = 1;
    await clock.advance(5_000);
    expect(gone()).toBe(1);
  });

  it.each([{}, { npm_command: 'run-script', npm_lifecycle_event: 'start' }])(
    'is the only kind that is: %j',
    async (env) => {
      const { clock, gone, parent } = watch(env);
      parent.ppid = 1;
      await clock.advance(5_000);
      expect(gone()).toBe(0);
    },
  );
});
