import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '#testing';
import { withinLimit } from './within-limit.js';

const never = new Promise<never>(() => {});

describe('a wait with a limit', () => {
  it('comes to what the work comes to, and then ends what the work left open', async () => {
    const clock = new ManualClock();
    let given: AbortSignal | undefined;
    const work = (signal: AbortSignal): Promise<string> => {
      given = signal;
      return Promise.resolve('done');
    };
    await expect(withinLimit(work, { clock, ms: 10 })).resolves.toBe('done');
    expect(given?.aborted).toBe(true);
  });

  it('ends by its limit though the work never settles', async () => {
    const clock = new ManualClock();
    const waited = withinLimit(() => never, { clock, ms: 10 });
    const [ended] = await Promise.allSettled([waited, clock.advance(10)]);
    expect(ended).toMatchObject({
      reason: { code: 'NO_ANSWER', message: 'no answer within 0.01 s' },
    });
  });

  it('ends by its signal, with the reason of it', async () => {
    const clock = new ManualClock();
    const given = new AbortController();
    const wait = { clock, ms: 10, signal: given.signal };
    const waited = withinLimit(() => never, wait);
    given.abort(new Error('enough'));
    await expect(waited).rejects.toThrow('enough');
    await expect(withinLimit(() => Promise.resolve(), wait)).rejects.toThrow('enough');
  });
});
