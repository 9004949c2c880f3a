import { describe, expect, it } from '@jest/globals';
import type { SourceIndex } from './door-rules.js';
import { closureOf, importCycles, unusedExports } from './graph-rules.js';
import { parse, readSourceTree } from './source-tree.js';

function indexOf(files: Readonly<Record<string, string>>): SourceIndex {
  return new Map(Object.entries(files).map(([file, text]) => [file, parse(file, text)]));
}

/** The gateway and the executors. */
const PROGRAMS = ['oss', 'resource', 'mysql', 'monitor', 'http', 'lab', 'standalone'];
const ENTRIES = PROGRAMS.map((name) => `apps/${name}/src/main.ts`);
const NOT_IN_PRODUCTION = /^(workshop|libs\/testing|apps\/(cli|console))\//;

describe('the graph of files', () => {
  const tree = new Map(readSourceTree().map((unit) => [unit.path, unit]));

  it('has no circle', () => {
    expect(importCycles(tree)).toEqual([]);
  });

  it('has no export that no other file imports', () => {
    expect(unusedExports(tree)).toEqual([]);
  });

  it('keeps the workshop, tests, command line and console out of what runs in production', () => {
    const closure = [...closureOf(ENTRIES, tree)];
    expect(closure).toEqual(expect.arrayContaining(ENTRIES));
    expect(closure).toContain('libs/store-sqlite/src/worker/main.ts');
    expect(closure.filter((file) => NOT_IN_PRODUCTION.test(file))).toEqual([]);
  });
});

describe('the rules on the graph', () => {
  it('see a circle of any length, but none of types', () => {
    const files = {
      'libs/a/src/a.ts': "import { b } from './b.js';",
      'libs/a/src/b.ts': "export { c } from './c.js';",
      'libs/a/src/c.ts': "import { type A, a } from './a.js';",
    };
    expect(importCycles(indexOf(files))).toEqual([
      'libs/a/src/a.ts libs/a/src/b.ts libs/a/src/c.ts import each other',
    ]);
    const types = "import { type A, type B } from './a.js';\nimport type { C } from './a.js';";
    expect(importCycles(indexOf({ ...files, 'libs/a/src/c.ts': types }))).toEqual([]);
  });

  it('follow programs through doors, later imports, types, and programs of threads', () => {
    const index = indexOf({
      'apps/a/src/main.ts': "import { b } from '#b'; const c = () => import('./c.js');",
      'libs/b/src/index.ts': "export { b } from './b.js';",
      'libs/b/src/b.ts': "import type { D } from '#workshop/d';",
      'workshop/d/index.ts': 'export interface D {}',
      'apps/a/src/c.ts': "const at = new URL('./thread.js', import.meta.url);",
      'apps/a/src/thread.ts': '',
      'apps/a/src/other.ts': '',
    });
    const all = [...index.keys()].filter((file) => file !== 'apps/a/src/other.ts');
    expect([...closureOf(['apps/a/src/main.ts'], index)].toSorted()).toEqual(all.toSorted());
  });

  it('see a circle of types in the core', () => {
    const files = {
      'libs/core/src/a.ts': "import type { B } from './b.js';",
      'libs/core/src/b.ts': "type A = import('./a.js').A;",
    };
    expect(importCycles(indexOf(files))).toEqual([
      'libs/core/src/a.ts libs/core/src/b.ts import each other',
    ]);
  });

  it('see a circle that is closed by a file that is loaded later', () => {
    const files = {
      'apps/a/src/a.ts': "const later = () => import('./b.js');",
      'apps/a/src/b.ts': "import { a } from './a.js';",
    };
    expect(importCycles(indexOf(files))).toEqual([
      'apps/a/src/a.ts apps/a/src/b.ts import each other',
    ]);
    const type = "type B = import('./b.js').B;";
    expect(importCycles(indexOf({ ...files, 'apps/a/src/a.ts': type }))).toEqual([]);
  });

  it('see an export that only its own file uses', () => {
    const index = indexOf({
      'libs/a/src/b.ts': 'export const used = 1, alone = 2;\nexport interface Mine {}',
      'libs/a/src/b.spec.ts': "import { used } from './b.js';",
    });
    expect(unusedExports(index)).toEqual([
      'libs/a/src/b.ts:1 exports alone, which no other file imports',
      'libs/a/src/b.ts:2 exports Mine, which no other file imports',
    ]);
  });

  it('see a name that a door passes on to nobody', () => {
    const index = indexOf({
      'libs/a/src/index.ts': "export { b, c, d } from './b.js';",
      'libs/a/src/b.ts': 'export const b = 1, c = 2, d = 3;',
      'libs/e/src/e.ts': "import { b } from '#a';",
      'libs/e/src/public.ts': "export { c } from '#a';",
    });
    expect(unusedExports(index)).toEqual([
      'libs/a/src/index.ts:1 exports d, which no other file imports',
    ]);
  });

  it('take what is loaded later, or as a whole, for used', () => {
    const index = indexOf({
      'apps/a/src/b.ts': 'export const b = 1;',
      'apps/a/src/c.ts': 'export const c = 1;',
      'apps/a/src/d.ts': 'export type D = 1;',
      'apps/a/src/main.ts': `const { b } = await import('./b.js');
        import * as all from './c.js';
        type D = import('./d.js').D;`,
    });
    expect(unusedExports(index)).toEqual([]);
  });
});
