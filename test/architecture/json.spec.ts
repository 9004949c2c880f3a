import { describe, expect, it } from '@jest/globals';
import { looseJson } from './json-rules.js';
import { parse, readSourceTree } from './source-tree.js';

describe('JSON', () => {
  it('is read in two places: one for texts of others, one for what Backstep wrote', () => {
    expect(readSourceTree().flatMap(looseJson)).toEqual([]);
  });

  it.each([
    'const a = JSON.parse(text);',
    'const a = globalThis.JSON.parse(text) as B;',
    'const all = texts.map(JSON.parse);',
    'const a = await response.json();',
    'const a = (await fetch(url)).json() as Promise<B>;',
    'const a = parseJson(text);',
    "const a = fork(url, { stdio: 'ignore' });",
  ])('is seen to be read in `%s`', (text) => {
    expect(looseJson(parse('apps/oss/src/a.ts', text))).toHaveLength(1);
    expect(looseJson(parse('libs/store-mongo/src/a.ts', text))).toHaveLength(1);
    expect(looseJson(parse('libs/core/src/task/task.ts', text))).toHaveLength(1);
    expect(looseJson(parse('libs/json/src/read-json.ts', text))).toEqual([]);
    expect(looseJson(parse('libs/core/src/json/shape.ts', text))).toEqual([]);
    expect(looseJson(parse('apps/oss/src/a.spec.ts', text))).toEqual([]);
  });

  it.each([
    'const a = readJson(text, limits);',
    'reply.json(body);',
    'this.json(path);',
    "const a = fork(url, { serialization: 'advanced' });",
  ])('is not seen to be read in `%s`', (text) => {
    expect(looseJson(parse('apps/oss/src/a.ts', text))).toEqual([]);
  });
});
