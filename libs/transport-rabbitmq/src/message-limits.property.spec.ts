import { expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { FUZZ_TIMEOUT_MS, fuzzBudget } from '../../../test/fuzz/budget.js';
import { fitToFrame } from './message-limits.js';

jest.setTimeout(FUZZ_TIMEOUT_MS);

const text = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ minLength: 500, maxLength: 6_000, unit: 'grapheme' }),
);
const anyHeaders = fc.dictionary(fc.string({ maxLength: 60 }), fc.oneof(text, fc.double()), {
  maxKeys: 12,
});

/** Bytes of a table as AMQP writes it. */
function tableBytes(headers: Readonly<Record<string, unknown>>): number {
  return Object.entries(headers).reduce((sum, [name, value]) => {
    const bytes = typeof value === 'string' ? 4 + Buffer.byteLength(value) : 8;
    return sum + 2 + Buffer.byteLength(name) + bytes;
  }, 4);
}

it('any headers fit into any frame, and lose no more than they must', () => {
  fc.assert(
    fc.property(anyHeaders, fc.integer({ min: 4_096, max: 200_000 }), (headers, frameMax) => {
      const fitting = fitToFrame({ headers }, frameMax).headers ?? {};
      const room = Math.min(frameMax, 65_536) - 1_500;
      expect(tableBytes(fitting)).toBeLessThan(room);
      expect(headers).toMatchObject(fitting);
      const left = Object.keys(headers).filter((name) => !(name in fitting));
      if (left.length === 0) return;
      const smallest = Math.min(...left.map((name) => tableBytes({ [name]: headers[name] })));
      expect(tableBytes(fitting) + smallest).toBeGreaterThan(room - 600);
    }),
    fuzzBudget(200),
  );
});

it('what says why a message is parked stays when it must be short', () => {
  const own = { 'x-backstep-reason': 'not JSON', 'x-backstep-queue': 'backstep.m' };
  const strange = Object.fromEntries(
    Array.from({ length: 32 }, (_, n) => [`h${n}`, 'x'.repeat(200)]),
  );
  expect(fitToFrame({ headers: { ...strange, ...own } }, 4_096).headers).toMatchObject(own);
});
