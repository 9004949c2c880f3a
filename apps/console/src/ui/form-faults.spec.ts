import { describe, expect, it } from '@jest/globals';
import { Refused } from '../api/exchange.js';
import type { ProblemBody } from '../api/shapes.js';
import { faultsOf, placeFaults, pointerTo } from './form-faults.js';

const FIELDS = ['/parameters', pointerTo('/parameters', 'a/b'), '/labels'];

function refused(detail: string, errors?: readonly object[]): Refused {
  return new Refused({ code: 'INVALID_PARAMETERS', detail, errors } as unknown as ProblemBody);
}

describe('the mistakes in a form', () => {
  it('stand at the innermost field that has their place', () => {
    const faults = [
      { pointer: '/parameters/a~1b/0', message: 'One.' },
      { pointer: '/parameters/a~1b', message: 'Two.' },
      { pointer: '/parameters/other', message: 'Three.' },
    ];
    const { about, at } = placeFaults(faults, FIELDS);
    expect([...at]).toEqual([
      ['/parameters/a~1b', '0: One. Two.'],
      ['/parameters', 'other: Three.'],
    ]);
    expect(about).toBe('2 fields need a correction.');
  });

  it('are named as their authors named them, wherever they are', () => {
    const { about } = placeFaults([{ pointer: '/schedule/a~1b~0c', message: 'Wrong.' }], FIELDS);
    expect(about).toBe('schedule › a/b~c: Wrong.');
  });

  it('take no field for another one whose name begins alike', () => {
    const faults = [{ pointer: '/labelsOfOthers', message: 'Wrong.' }];
    expect(placeFaults(faults, FIELDS)).toEqual({ at: new Map(), about: 'labelsOfOthers: Wrong.' });
  });

  it('are those that an answer names, without its first sentence again', () => {
    const errors = [{ pointer: '/labels', message: 'A label is wrong.' }];
    const { about, at } = faultsOf(refused('No: A label is wrong.', errors), FIELDS);
    expect([at.get('/labels'), about]).toEqual([
      'A label is wrong.',
      'One field needs a correction.',
    ]);
  });

  it('are all said where some have no field', () => {
    const errors = [
      { pointer: '/labels', message: 'A label is wrong.' },
      { pointer: '/priority', message: 'Too much.' },
    ];
    const { about, at } = faultsOf(refused('No.', errors), FIELDS);
    expect([at.size, about]).toEqual([1, 'No. priority: Too much.']);
    expect(faultsOf(refused('No room.'), FIELDS).about).toBe('No room.');
    expect(faultsOf(new Error('gone'), FIELDS).about).toMatch(/^Backstep does not answer/);
  });
});
