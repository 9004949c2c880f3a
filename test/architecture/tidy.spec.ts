import { describe, expect, it } from '@jest/globals';
import { dialectComment, phrasesOf } from './dialect-rules.js';
import { starExport, undocumentedExports, widePort } from './door-rules.js';
import { pathOfUrl } from './file-path-rules.js';
import { pagesBeforeChange } from './shape.js';
import { parse, readPaths, readSourceTree } from './source-tree.js';
import type { Rule, SourceUnit } from './source-tree.js';
import {
  emptyName,
  fileLength,
  functionLength,
  lineLength,
  parameterCount,
  sleepInSpec,
  subjectlessComment,
} from './tidy-rules.js';

const DOCUMENTED = ['core', 'ports', 'engine'];
const tree = readSourceTree();
const index = new Map(tree.map((unit) => [unit.path, unit]));

function check(rule: Rule, file: string, text: string): string[] {
  return rule(parse(file, text));
}

function body(lines: number): string {
  return 'run();\n'.repeat(lines);
}

describe('the repository', () => {
  it.each<[string, Rule]>([
    ['files of at most 400 lines, specs of at most 600', fileLength],
    ['functions of at most 50 lines', functionLength],
    ['lines of at most 100 characters', lineLength],
    ['functions of at most three parameters', parameterCount],
    ['comments whose sentences have a subject', subjectlessComment],
    ['comments in plain words', dialectComment],
    ['specs that wait for signals and never sleep', sleepInSpec],
    ['doors that list what they open to', starExport],
    ['ports of at most ten methods', widePort],
    ['paths of files that are no part of a URL', pathOfUrl],
  ])('has %s', (_name, rule) => {
    expect(tree.flatMap(rule)).toEqual([]);
  });

  it('has no file or folder with a name that says nothing', () => {
    expect(readPaths().flatMap(emptyName)).toEqual([]);
  });

  it.each(DOCUMENTED)('documents every export of %s', (library) => {
    const door = index.get(`libs/${library}/src/index.ts`);
    expect(door ? undocumentedExports(door, index) : []).toEqual([]);
  });
});

describe('the rules on size', () => {
  it('see a long file, and let a spec be longer', () => {
    expect(check(fileLength, 'libs/a/src/b.ts', body(401))).toHaveLength(1);
    expect(check(fileLength, 'libs/a/src/b.ts', body(400))).toEqual([]);
    expect(check(fileLength, 'libs/a/src/b.spec.ts', body(600))).toEqual([]);
    expect(check(fileLength, 'libs/a/src/b.spec.ts', body(601))).toHaveLength(1);
  });

  it('see a long function, arrow or method', () => {
    const long = body(50);
    expect(check(functionLength, 'a.ts', `function f() {\n${long}}`)).toHaveLength(1);
    expect(check(functionLength, 'a.ts', `const f = () => {\n${long}};`)).toHaveLength(1);
    expect(check(functionLength, 'a.ts', `class A {\nf() {\n${long}}\n}`)).toHaveLength(1);
    expect(check(functionLength, 'a.ts', `function f() {\n${body(48)}}`)).toEqual([]);
  });

  it('let a suite be as long as its tests, but no test be long', () => {
    const test = `it('x', () => {\n${body(40)}});\n`;
    const suite = `export function contract() {\ndescribe('x', () => {\n${test}${test}});\n}`;
    expect(check(functionLength, 'a.spec.ts', suite)).toEqual([]);
    const rules = `function f() {\n${test}${test}}`.replaceAll("it('x'", "rule('it is so'");
    expect(check(functionLength, 'a.ts', rules)).toEqual([]);
    const long = `it('x', async () => {\n${body(50)}});`;
    expect(check(functionLength, 'a.spec.ts', long)).toHaveLength(1);
  });

  it('see a long line, but not one that cannot be split', () => {
    const word = 'x'.repeat(101);
    expect(check(lineLength, 'a.ts', `// ${word}`)).toHaveLength(1);
    expect(check(lineLength, 'a.ts', `const a = ${'b + '.repeat(30)} c;`)).toHaveLength(1);
    expect(check(lineLength, 'a.ts', `// see https://example.org/${word}`)).toEqual([]);
    expect(check(lineLength, 'a.ts', `import { a } from './${word}.js';`)).toEqual([]);
    expect(check(lineLength, 'a.ts', `say('${word}');`)).toEqual([]);
  });

  it('see a fourth parameter, except in constructors and where it is decorated', () => {
    expect(check(parameterCount, 'a.ts', 'function f(a, b, c, d) {}')).toHaveLength(1);
    expect(
      check(parameterCount, 'a.ts', 'interface A { f(a: 1, b: 2, c: 3, d: 4): 5 }'),
    ).toHaveLength(1);
    expect(check(parameterCount, 'a.ts', 'function f(a, b, c) {}')).toEqual([]);
    expect(check(parameterCount, 'a.ts', 'class A { constructor(a, b, c, d) {} }')).toEqual([]);
    const decorated = 'class A { f(@P() a, @P() b, @P() c, @P() d) {} }';
    expect(check(parameterCount, 'a.ts', decorated)).toEqual([]);
  });
});

describe('the rule on comments', () => {
  const words = (text: string): string[] =>
    check(subjectlessComment, 'a.tsx', text).map((line) => line.replace(/^.* says /, ''));

  it('sees a sentence without a subject in every kind of comment', () => {
    expect(words('// Who asks.\nrun();')).toEqual(['"Who asks."']);
    expect(words('/** Is told of it. */ const a = 1;')).toEqual(['"Is told of it."']);
    expect(words('/**\n * A name.\n * What it means.\n */')).toEqual(['"What it means."']);
    expect(words('const a = {\n  b, // Whose it is.\n};')).toEqual(['"Whose it is."']);
    expect(words('function f() {\n  go();\n  /* Told later. */\n}')).toEqual(['"Told later."']);
  });

  it('sees none in whole sentences, in texts and between tags', () => {
    expect(words('/** Tells what it is, and who asks. */')).toEqual([]);
    expect(words('// Whatever comes is taken. Whoever asks is answered.')).toEqual([]);
    expect(words("say('// What it is'); say(`/* Who */`); /[/*] Who/;")).toEqual([]);
    expect(words('const a = <p>// What it is</p>;')).toEqual([]);
  });
});

describe('the rule on plain words', () => {
  it('sees phrases that have a plain replacement, over lines too', () => {
    const words = '/**\n * Asks whoever\n * comes to it anew, of\n * which it has so many.\n */';
    expect(check(dialectComment, 'libs/access/src/a.ts', words)).toEqual([
      'libs/access/src/a.ts:1 says "whoever" (say: a noun: the caller, the process, the reader)',
      'libs/access/src/a.ts:1 says "anew" (say: again)',
      'libs/access/src/a.ts:1 says "of which" (say: whose, or its)',
      'libs/access/src/a.ts:1 says "comes to" (say: the value of, results in, reaches)',
      'libs/access/src/a.ts:1 says "so many" (say: a number of, at most, this number of)',
    ]);
  });

  it('finds none in the pages that stand before the first change', () => {
    const found = pagesBeforeChange().flatMap(({ path, text }) =>
      phrasesOf(text).map((phrase) => `${path} says ${phrase}`),
    );
    expect(found).toEqual([]);
  });

  it('sees none in plain words, nor where the comments are still to be mended', () => {
    expect(phrasesOf('Two lists, each of which has so many that they are cut.')).toEqual([]);
    expect(check(dialectComment, 'libs/core/src/a.ts', '// Somebody acts anew.')).toEqual([]);
  });
});

describe('the rules on names, sleep and doors', () => {
  it('see a name that says nothing, wherever it stands in a path', () => {
    expect(emptyName('libs/common/src/a.ts')).toHaveLength(1);
    expect(emptyName('libs/core/src/string-utils.ts')).toHaveLength(1);
    expect(emptyName('libs/core/src/commons-hall.ts')).toEqual([]);
  });

  it('see a sleep in a spec, but not elsewhere', () => {
    expect(check(sleepInSpec, 'libs/a/src/b.spec.ts', 'setTimeout(go, 10);')).toHaveLength(1);
    expect(check(sleepInSpec, 'test/e2e/b.e2e-spec.ts', 'await sleep(10);')).toHaveLength(1);
    const timers = "import { setTimeout as wait } from 'node:timers/promises';";
    expect(check(sleepInSpec, 'libs/a/src/b.spec.ts', timers)).toHaveLength(1);
    expect(
      check(sleepInSpec, 'libs/a/src/b.spec.ts', 'clock.sleep(1); jest.setTimeout(2);'),
    ).toEqual([]);
    expect(check(sleepInSpec, 'libs/testing/src/b.spec.ts', 'setTimeout(go, 10);')).toEqual([]);
  });

  it('see a door that exports everything', () => {
    expect(check(starExport, 'libs/a/src/index.ts', "export * from './b.js';")).toHaveLength(1);
    expect(check(starExport, 'libs/a/src/index.ts', "export { b } from './b.js';")).toEqual([]);
  });

  it('see an export without a doc comment, through any number of files', () => {
    const units = [
      parse('libs/core/src/index.ts', "export { a, b, type C } from './x.js';"),
      parse('libs/core/src/x.ts', "/** A. */ export const a = 1;\nexport { b } from './y.js';"),
      parse('libs/core/src/y.ts', 'export function b() {}'),
    ];
    const samples = new Map(units.map((unit) => [unit.path, unit]));
    expect(undocumentedExports(units[0] as SourceUnit, samples)).toEqual([
      'libs/core/src/y.ts:1 b has no doc comment',
      'libs/core/src/index.ts:1 C is declared nowhere',
    ]);
  });

  it('see an eleventh method of a port, but not fields', () => {
    const methods = Array.from({ length: 10 }, (_, n) => `f${n}(): void;`).join(' ');
    const file = 'libs/ports/src/a.ts';
    expect(check(widePort, file, `interface A { ${methods} go(): void }`)).toHaveLength(1);
    expect(check(widePort, file, `interface A { ${methods} go: () => void }`)).toHaveLength(1);
    expect(check(widePort, file, `interface A { ${methods} more: number }`)).toEqual([]);
  });
});
