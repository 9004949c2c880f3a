import { expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { JsonValue } from './json.js';
import { jsonSize } from './json-size.js';
import { anyCharacter } from '../../../../test/fuzz/hostile-values.js';

const text = fc.string({ unit: anyCharacter });
const anyJson = fc.jsonValue({ stringUnit: 'binary' }) as fc.Arbitrary<JsonValue>;

it('the size of a value is the number of bytes that it is written with', () => {
  fc.assert(
    fc.property(anyJson, text, (value, key) => {
      for (const sample of [value, key, { [key]: value, gone: undefined }, [value, value]]) {
        // A plain check: an expectation costs more than what it looks at.
        if (jsonSize(sample) !== Buffer.byteLength(JSON.stringify(sample))) return false;
      }
      return true;
    }),
    { numRuns: 500 },
  );
});

it('depth is no obstacle', () => {
  let deep: JsonValue = [];
  for (let depth = 1; depth < 100_000; depth++) deep = [deep];
  expect(jsonSize(deep)).toBe(200_000);
});

it.each([
  '"\\\b\t\n\f\r\u0000\u001f\u007f',
  'é€😀',
  '\ud800',
  'a\udc00\ud800\ud800\udc00',
  '\u2028',
])('a text of odd characters is counted as it is written: %j', (odd) => {
  expect(jsonSize(odd)).toBe(Buffer.byteLength(JSON.stringify(odd)));
});

it.each([[{}], [[]], [-0], [1e21], [5e-324], [{ a: undefined }]])(
  'an edge is counted as it is written: %j',
  (value: JsonValue) => {
    expect(jsonSize(value)).toBe(Buffer.byteLength(JSON.stringify(value)));
  },
);
