import { expect, it } from '@jest/globals';
import { isAt } from './passing.js';

const passing = { border: 'outcome', edge: 'after', direction: 'normal', queues: true } as const;

it.each([
  [{ border: 'outcome', edge: 'after' }, true],
  [{ border: 'outcome', edge: 'after', direction: 'normal' }, true],
  [{ border: 'outcome', edge: 'before' }, false],
  [{ border: 'outcome', edge: 'after', direction: 'rollback' }, false],
  [{ border: 'outcome', edge: 'after', draining: true }, false],
] as const)('whether a passing is at %j: %s', (place, expected) => {
  expect(isAt(place, passing)).toBe(expected);
});
