import { expect, it } from '@jest/globals';
import { laidOut } from './flow-text.js';

it('spreads a text of one line over lines, with its comments', () => {
  const steps = [{ name: 'a', set: { b: [], c: {} } }];
  expect(laidOut(JSON.stringify(steps))).toBe(JSON.stringify(steps, null, 2));
  expect(laidOut('[{"a":1}] // why\n')).toBe('[\n  {\n    "a": 1\n  }\n] // why');
});

it('leaves a text of several lines as it is', () => {
  const text = '// why\n[ {"a":1} ]';
  expect(laidOut(text)).toBe(text);
});
