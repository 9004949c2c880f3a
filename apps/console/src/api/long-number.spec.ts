import { expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { isNumber, longNumberIn } from './long-number.js';

it.each([
  ['12345678901234567890', '12345678901234567890'],
  ['-9007199254740993', '-9007199254740993'],
  ['{"id": "9007199254740993", "n": [1, 9007199254740993]}', '9007199254740993'],
  ['1e400', '1e400'],
  ['0.1000000000000000000001', '0.1000000000000000000001'],
  ['{"a\\"1": 1e30, "b": -0, "c": 0.5e-3, "d": 9007199254740992}', null],
  ['"12345678901234567890"', null],
])('finds the number of %s that loses digits', (text, found) => {
  expect(longNumberIn(text)).toBe(found);
});

it('finds every whole number that is read as another one', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }), (id) => {
      const isSame = BigInt(Number(id)) === id || String(Number(id)) === String(id);
      const found = longNumberIn(String(id));
      expect(isSame || found !== null).toBe(true);
      if (Number.isSafeInteger(Number(id))) expect(found).toBeNull();
    }),
  );
});

it.each(['0x10', '007', '+5', 'Infinity', '', '1_0'])('takes %j for no number', (text) => {
  expect(isNumber(text)).toBe(false);
});
