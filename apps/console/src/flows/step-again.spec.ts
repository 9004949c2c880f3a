import { describe, expect, it } from '@jest/globals';
import { step } from '../task/task-spec.js';
import { fieldsOf } from './start-input.js';
import { stepAgain, textsOf } from './step-again.js';

describe('a step that is to run once more', () => {
  it('has what all steps before it gave, and no other', () => {
    const steps = [
      step('a', { output: { host: 'h1' } }),
      step('b', { needs: ['a'], output: null }),
      step('c', { needs: ['b'], output: { c: 1 } }),
      step('aside', { output: { aside: 1 } }),
    ];
    const again = stepAgain({ input: { size: 3 }, steps }, 'c');
    expect(again).toEqual({ input: { size: 3 }, given: { a: { host: 'h1' } } });
    expect(stepAgain({ input: {}, steps }, 'a').given).toEqual({});
  });

  it('fills the fields of a form, and the rest as JSON', () => {
    const fields = fieldsOf({ properties: { size: { type: 'integer' } } });
    const again = { input: { size: 3, zone: 'b' }, given: {} };
    expect(textsOf(fields, again)).toEqual({ typed: { size: '3' }, more: '{"zone":"b"}' });
    expect(textsOf(fields, null)).toEqual({ typed: {}, more: '' });
  });
});
