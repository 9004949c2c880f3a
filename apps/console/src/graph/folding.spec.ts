import { describe, expect, it } from '@jest/globals';
import { countSteps, foldable, holdersOf, openedWith, shapeOf, UNFOLDED_MAX } from './folding.js';
import { layout } from './graph-layout.js';
import { flowGraph, type GraphStep } from './graph-model.js';

const one = (name: string) => ({ name, normal: { module: 'm', command: 'c' } });
const many = (count: number) => Array.from({ length: count }, (_, n) => one(`s${n}`));

const { steps } = flowGraph([
  one('first'),
  {
    name: 'outer',
    group: [one('a'), { name: 'pick', choice: [{ name: 'big', steps: [one('b')] }] }],
  },
]);
const [, outer] = steps as readonly [GraphStep, GraphStep];

const boxesOf = (open: readonly string[]): readonly string[] =>
  layout(steps, { direction: 'LR', open: new Set(open) }).boxes.map(({ id }) => id);

describe('folding', () => {
  it('counts the steps in steps', () => {
    expect(countSteps(steps)).toBe(5);
  });

  it('is of steps that hold others, and of their scopes', () => {
    expect(foldable(steps)).toEqual(['1', '1 scope 0', '1/group/1', '1/group/1 scope 0']);
  });

  it('leaves a step in the place of all that it holds', () => {
    expect(boxesOf([])).toEqual(['0', '1']);
    expect(boxesOf(['1'])).toEqual(['0', '1', '1 scope 0']);
    expect(boxesOf(['1', '1 scope 0'])).toEqual(['0', '1', '1 scope 0', '1/group/0', '1/group/1']);
    // Steps that are open within a fold are drawn once the fold is open.
    expect(boxesOf(['1/group/1', '1/group/1 scope 0'])).toEqual(['0', '1']);
  });

  it('makes a step as small as one that holds nothing', () => {
    const { boxes } = layout(steps, { direction: 'LR', open: new Set() });
    expect(new Set(boxes.map(({ height, width }) => `${width}x${height}`)).size).toBe(1);
  });

  it('finds all that must be open for a step to be drawn', () => {
    expect(holdersOf(steps, '1/group/1/choice/0/steps/0')).toEqual(foldable(steps));
    expect(holdersOf(steps, '1/group/0')).toEqual(['1', '1 scope 0']);
    expect(holdersOf(steps, '0')).toEqual([]);
    expect(holdersOf(steps, 'nowhere')).toEqual([]);
  });

  it('opens the scopes with their step, of very many steps the last alone', () => {
    expect(openedWith(outer)).toEqual(['1', '1 scope 0']);
    const [large] = flowGraph([
      { name: 'both', parallel: { left: many(UNFOLDED_MAX), right: many(1) } },
    ]).steps;
    expect(openedWith(large as GraphStep)).toEqual(['0', '0 scope 1']);
  });
});

describe('the shape of a drawing', () => {
  const changed = [{ ...outer, scopes: [{ ...outer.scopes[0], steps: [] }] }] as GraphStep[];

  it('differs by what is open', () => {
    const folded = shapeOf(steps, new Set());
    expect(shapeOf(steps, new Set(['1']))).not.toBe(folded);
    expect(shapeOf(steps, new Set(['1', '1 scope 0']))).not.toBe(shapeOf(steps, new Set(['1'])));
  });

  it('is the same whatever becomes of that which is folded', () => {
    expect(shapeOf(changed, new Set())).toBe(shapeOf([outer], new Set()));
    const open = new Set(['1', '1 scope 0']);
    expect(shapeOf(changed, open)).not.toBe(shapeOf([outer], open));
  });
});
