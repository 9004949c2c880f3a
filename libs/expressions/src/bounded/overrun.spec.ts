import { expect, it } from '@jest/globals';
import { isOverrun } from './overrun.js';

it.each([
  ['just began', { wallMs: 0, processorMs: 0 }, false],
  ['has had the processor for its time', { wallMs: 1_000, processorMs: 1_000 }, true],
  ['lasts long, as others have the processor', { wallMs: 60_000, processorMs: 999 }, false],
  ['has several threads at work', { wallMs: 990, processorMs: 1_900 }, false],
  ['is costly on a busy machine', { wallMs: 4_000, processorMs: 1_000 }, true],
])('work that %s', (_, spent, overrun) => {
  expect(isOverrun(spent, 1_000)).toBe(overrun);
});
