import { expect, it } from '@jest/globals';
import { expressionsIn, isExpression } from './marks.js';

it('finds the expressions of a template where they stand', () => {
  const template = {
    host: '{% host %}',
    'a/b~c': [1, { deep: ['{% $input %}', 'plain', null] }],
    literal: 'before {% host %}',
    after: '{%x%}',
  };
  expect(expressionsIn(template)).toEqual([
    { pointer: '/host', text: '{% host %}' },
    { pointer: '/a~1b~0c/1/deep/0', text: '{% $input %}' },
    { pointer: '/after', text: '{%x%}' },
  ]);
  expect(expressionsIn('{% $ %}')).toEqual([{ pointer: '', text: '{% $ %}' }]);
});

it('looks through a template of any depth', () => {
  let template: unknown = '{% 1 %}';
  for (let depth = 0; depth < 100_000; depth += 1) template = [template];
  expect(expressionsIn(template as string)).toMatchObject([{ text: '{% 1 %}' }]);
});

it.each([
  ['{% a %}', true],
  ['{%%}', true],
  ['{%}', false],
  [' {% a %}\n', true],
  ['{% a %} b', false],
  ['a', false],
  [1, false],
  [null, false],
  [['{% a %}'], false],
])('%p is an expression: %p', (value, expected) => {
  expect(isExpression(value)).toBe(expected);
});
