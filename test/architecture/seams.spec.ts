import { describe, expect, it } from '@jest/globals';
import { CONSOLE_SEAM, handOutsideSeams } from './seam-rules.js';
import { parse, readPaths, readSourceTree } from './source-tree.js';

/** Each is a tax on every upgrade of its package. */
const SEAMS_MAX = 6;

describe('hands in the insides of packages', () => {
  it('are in libs/seams alone', () => {
    expect(readSourceTree().flatMap(handOutsideSeams)).toEqual([]);
  });

  it('are few, and each has a spec that fails when its package changes', () => {
    const files = readPaths();
    const isSeam = (file: string) => /^libs\/seams\/src\/[a-z-]+\.ts$/.test(file);
    const seams = files.filter((file) => isSeam(file) || file === CONSOLE_SEAM);
    expect(seams.length).toBeGreaterThan(1);
    expect(seams.length).toBeLessThanOrEqual(SEAMS_MAX);
    const specs = seams.map((file) => file.replace(/\.ts$/, '.spec.ts'));
    expect(specs.filter((file) => !files.includes(file))).toEqual([]);
  });

  it.each([
    "import { createRequire } from 'node:module';",
    "import { setFlagsFromString } from 'node:v8';",
    'if (socket._httpMessage) go();',
    'Creator.prototype.create = own;',
    'const { prototype } = Creator; prototype.create = own;',
  ])('are seen in `%s`', (text) => {
    expect(handOutsideSeams(parse('libs/a/src/a.ts', text))).toHaveLength(1);
    expect(handOutsideSeams(parse('libs/seams/src/a.ts', text))).toEqual([]);
    expect(handOutsideSeams(parse('libs/a/src/a.spec.ts', text))).toEqual([]);
  });

  it('are none where a class reads its own members or the key of a document', () => {
    const text = 'const { _id } = found; use(found._id); this.#own = target.prototype;';
    expect(handOutsideSeams(parse('libs/a/src/a.ts', text))).toEqual([]);
  });
});
