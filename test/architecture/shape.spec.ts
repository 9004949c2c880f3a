import { describe, expect, it } from '@jest/globals';
import { Code, FIGURES } from './shape.js';
import { parse, readSourceTree } from './source-tree.js';

function measured(files: Readonly<Record<string, string>>): Record<string, number> {
  const code = new Code(() => Object.entries(files).map(([file, text]) => parse(file, text)));
  return Object.fromEntries(FIGURES.map(({ measure, name }) => [name, measure(code)]));
}

it.each(FIGURES)('keeps to the bound of $name', (figure) => {
  expect(figure.measure(new Code(readSourceTree))).toBeLessThanOrEqual(figure.bound);
});

describe('the figures', () => {
  const files = {
    'apps/oss/src/main.ts': "import { a } from '#core';\nexport interface AOptions { b: 1; c: 2 }",
    'libs/core/src/index.ts': "export { a, type B } from './a.js';",
    'libs/core/src/a.ts': "import type { C } from './c.js';\nexport const a = new WeakMap();",
    'libs/core/src/b.ts': "import type { C } from './c.js';\nimport './d/d.js';",
    'libs/core/src/c.ts': "import type { B } from './b.js'; // Whoever comes.",
    'libs/core/src/d/d.ts': '',
    'libs/core/src/a.spec.ts': "import { a } from './a.js';",
    'libs/ports/src/a-store.ts': 'export interface AStore { a(): void; b: () => void; c: 1 }',
    'libs/testing/src/a.ts': 'a();\n\nb();',
  };

  it('count the product alone, and what its processes load', () => {
    expect(measured(files)).toMatchObject({
      'lines of the product': 10,
      'lines that gateway and executors load': 9,
      'files of the product': 7,
    });
  });

  it('tell what the core is made of', () => {
    expect(measured(files)).toMatchObject({
      'floors of the core': 3,
      'files in the largest circle of the core': 2,
      'weak maps of the core': 1,
      'names that the core exports': 2,
    });
  });

  it('find small files, ports of stores, options and phrases', () => {
    expect(measured(files)).toMatchObject({
      'files of 40 lines or less with one user': 4,
      'methods of the ports of stores': 2,
      'members of the largest options': 2,
      'phrases of dialect in 1,000 lines of comments': 1000,
    });
  });
});
