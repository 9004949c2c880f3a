import * as fc from 'fast-check';
import { expect, it } from '@jest/globals';
import { fuzzBudget } from '../../../test/fuzz/budget.js';
import { flowTexts } from './flow-texts.js';

const text = (...lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

it('is the part behind the name, with the comments above it and behind its end', () => {
  const file = text(
    '// of all flows',
    '{',
    '  "$schema": "s", // behind the schema',
    '  // above one',
    '  /* and more',
    '     of it */',
    '  "one": /* a list */ [',
    '    { "wait": { "for": "1s" } }, // inside',
    '  ], // behind one',
    '',
    '  // above two',
    '  "two": []',
    '  // below two',
    '}',
    '// the end',
  );
  expect([...flowTexts(file)]).toEqual([
    [
      'one',
      text(
        '// behind the schema',
        '// above one',
        '/* and more',
        '   of it */',
        '/* a list */',
        '[',
        '  { "wait": { "for": "1s" } }, // inside',
        '] // behind one',
      ),
    ],
    ['two', text('// above two', '[]', '// below two')],
  ]);
});

it('of a flow that is alone has the comments around it as well', () => {
  const file = '\uFEFF// Ask Ann.\r\n{"one":\r\n  {\r\n"steps": []}}// the end';
  expect([...flowTexts(file)]).toEqual([['one', '// Ask Ann.\n{\r\n"steps": []} // the end\n']]);
});

it('loses no comment, and has none twice', () => {
  const comment = fc
    .integer({ min: 0, max: 3 })
    .map((n) => ['', '/*c*/', '//c\n', '\n /*c*/ \n'][n]);
  fc.assert(
    fc.property(fc.array(fc.tuple(comment, comment, comment), { minLength: 1 }), (flows) => {
      const parts = flows.map(([above, inside, behind], i) => {
        return `${above}"f${i}": [1${inside}]${behind}`;
      });
      const file = `{${parts.join(',')}}`;
      const texts = [...flowTexts(file).values()];
      const count = (whole: string): number =>
        whole.split('/*c*/').length + whole.split('//c').length;
      expect(texts.reduce((sum, one) => sum + count(one) - 2, 0)).toBe(count(file) - 2);
    }),
    fuzzBudget(200),
  );
});
