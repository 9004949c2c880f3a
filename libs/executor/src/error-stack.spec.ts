import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { fuzzBudget } from '../../../test/fuzz/budget.js';
import { TerminalError } from './command-error.js';
import { stackOf } from './error-stack.js';

const SURPRISE = { isMeant: false };
const FRAME = /^ {4}at /;

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

describe('the stack of an error', () => {
  it('names the error and the places it came from', () => {
    const error = thrownBy(() => (undefined as unknown as { a: { b: string } }).a.b);
    const [head, first] = stackOf(error, SURPRISE)?.split('\n') ?? [];
    expect(head).toBe("TypeError: Cannot read properties of undefined (reading 'a')");
    expect(first).toContain('error-stack.spec.ts');
  });

  it('has the causes, whole, also of an error that is told in one line', () => {
    const cause = new RangeError('too far', { cause: new Error('the first of all') });
    const lines = stackOf(new TerminalError('no way', { cause }), { isMeant: true })?.split('\n');
    const heads = lines?.filter((line) => !FRAME.test(line));
    expect(heads).toEqual([
      'TerminalError: no way',
      'Caused by: RangeError: too far',
      'Caused by: Error: the first of all',
    ]);
    expect(lines?.[1]).toContain('error-stack.spec.ts');
    expect(lines?.[2]).toBe(heads?.[1]);
    expect(FRAME.test(lines?.[3] ?? '')).toBe(true);
  });

  it('has what an aggregate holds', () => {
    const error = new AggregateError([new Error('one'), new Error('two')], 'both');
    expect(stackOf(error, SURPRISE)).toMatch(/AggregateError: both[^]*Error: one[^]*Error: two/);
  });

  it('leaves out the frames at its end that only call commands', () => {
    const error = new Error('late');
    error.stack = [
      'Error: late',
      '    at order (file:///app/dist/order.js:3:9)',
      '    at lib (/app/node_modules/pg/client.js:1:1)',
      '    at call (/app/node_modules/@nestjs/core/call.js:1:1)',
      '    at run (/app/node_modules/backstep/dist/run.js:1:1)',
    ].join('\n');
    const [, ...frames] = stackOf(error, SURPRISE)?.split('\n') ?? [];
    expect(frames).toHaveLength(2);
    expect(frames[1]).toContain('node_modules/pg');
  });

  it.each([
    ['a text', 'no'],
    ['nothing', undefined],
    ['an object', { message: 'no' }],
    ['an error without frames', Object.assign(new Error('no'), { stack: 'Error: no' })],
    [
      'an error whose stack cannot be read',
      Object.defineProperty(new Error('no'), 'stack', {
        get: () => {
          throw new Error('never');
        },
      }),
    ],
  ])('is none of %s', (_what, error) => {
    expect(stackOf(error, SURPRISE)).toBeUndefined();
  });

  it('ends, in whole lines, whatever is thrown', () => {
    const text = fc.string({ maxLength: 3_000 });
    fc.assert(
      fc.property(
        fc.array(text, { minLength: 1, maxLength: 9 }),
        fc.boolean(),
        (texts, isMeant) => {
          const errors = texts.map((each) => new Error(each));
          errors.forEach((error, n) => (error.cause = errors[(n + 1) % errors.length]));
          const stack = stackOf(errors[0], { isMeant }) ?? '';
          expect(stack.length).toBeLessThanOrEqual(4_000);
          expect(stack.split('\n').filter((line) => FRAME.test(line))).not.toHaveLength(0);
          expect(stack).not.toMatch(/\n$/);
        },
      ),
      fuzzBudget(100),
    );
  });
});
