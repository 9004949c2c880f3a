import { describe, expect, it } from '@jest/globals';
import { nearName } from './near-name.js';

const KNOWN = ['attempts', 'command', 'drain', 'lease', 'maxDelay', 'module', 'needs', 'retry'];

describe('the name that was meant', () => {
  it.each([
    ['a letter too few', 'comand', 'command'],
    ['a letter too many', 'leases', 'lease'],
    ['another letter', 'modale', 'module'],
    ['two letters swapped', 'laese', 'lease'],
    ['another case and other signs', 'Max-Delay', 'maxDelay'],
    ['several slips in a long name', 'attmepst', 'attempts'],
  ])('is found: %s', (_slip, written, meant) => {
    expect(nearName(written, KNOWN)).toBe(meant);
  });

  it.each(['timeout', 'ne', 'x', '', 'lease'.repeat(20)])('is not guessed from %p', (written) => {
    expect(nearName(written, KNOWN)).toBeUndefined();
  });

  it('is the nearest, and of several as near the first', () => {
    expect(nearName('steps', ['stop', 'step', 'steep'])).toBe('step');
    expect(nearName('lab', ['lob', 'lap'])).toBe('lob');
  });
});
