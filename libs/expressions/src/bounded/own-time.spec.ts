import { Worker } from 'node:worker_threads';
import { once } from 'node:events';
import { expect, it } from '@jest/globals';
import { isOverrun, processorMs, ticksIn } from './own-time.js';

it.each([
  ['1 (node) R 1 2 3 4 5 6 7 8 9 10 120 34 0 0 20', 154],
  ['1 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 1 2 0 0 20', 3],
  ['1 (node) R 1 2', null],
  ['', null],
])('%s', (stat, ticks) => {
  expect(ticksIn(stat)).toBe(ticks);
});

it('grows while the main thread computes', () => {
  const before = processorMs();
  while (processorMs() - before < 50);
  expect(processorMs() - before).toBeGreaterThanOrEqual(50);
});

(process.platform === 'linux' ? it : it.skip)(
  'does not grow by what other threads do',
  async () => {
    const code = `const end = process.cpuUsage().user + 400_000;
    while (process.cpuUsage().user < end);`;
    const before = processorMs();
    await once(new Worker(code, { eval: true }), 'exit');
    expect(processorMs() - before).toBeLessThan(400);
  },
);

it.each([
  ['just began', { wallMs: 0, processorMs: 0 }, false],
  ['has had the processor for its time', { wallMs: 1_000, processorMs: 1_000 }, true],
  ['lasts long, as others have the processor', { wallMs: 60_000, processorMs: 999 }, false],
  ['has several threads at work', { wallMs: 990, processorMs: 1_900 }, false],
  ['is costly on a busy machine', { wallMs: 4_000, processorMs: 1_000 }, true],
])('work that %s', (_, spent, overrun) => {
  expect(isOverrun(spent, 1_000)).toBe(overrun);
});
