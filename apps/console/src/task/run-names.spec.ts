import { describe, expect, it } from '@jest/globals';
import type { Scope } from '../api/shapes.js';
import { runNames } from './run-names.js';
import { step } from './task-spec.js';

const scope = (kind: string, name: string, steps: Scope['steps']): Scope => {
  return { kind, name, way: 'forward', steps };
};

describe('the name of a run', () => {
  const inner = step('inner', { id: 'both#left/g#2/pick#otherwise/inner' });
  const pick = step('pick', { scopes: [scope('case', 'otherwise', [inner])] });
  const group = step('g', { scopes: [scope('try', '2', [pick])] });
  const names = runNames([step('both', { scopes: [scope('branch', 'left', [group])] })]);

  it('says the places of a step from the outside in', () => {
    expect(names('both#left/g#1/pick#otherwise/inner')).toBe(
      'both, branch left › g, try 1 › pick, otherwise › inner',
    );
  });

  it('is the name of a step of the task itself', () => {
    expect(names('make')).toBe('make');
  });

  it('says which run of a step it is', () => {
    expect(names('make~3')).toBe('make (run 3)');
    expect(names('g~2#1/pick')).toBe('g (run 2), try 1 › pick');
  });

  it('says the part of a step that is not there any more as it is', () => {
    expect(names('gone#7/x')).toBe('gone, 7 › x');
  });
});
